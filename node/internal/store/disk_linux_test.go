//go:build amd64 || arm64

package store

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// request is a system call for a file, as bbolt makes it.
type request struct {
	op     string // "write", "sync" or "truncate"
	fd     int
	offset int64
	data   []byte // of a write
	size   int64  // of a truncate
}

// disk decides on requests: 0 lets one through, done skips it, and anything else is its error. It
// gets each request once.
type disk func(request) unix.Errno

// done answers a sync without doing it. A real sync is not needed, because these tests only
// simulate power failures.
const done = unix.Errno(0xffff)

// These parts of seccomp are missing in golang.org/x/sys.
const (
	seccompSetFilter   = 1
	seccompNewListener = 1 << 3
	seccompNotify      = 0x7fc00000
	seccompAllow       = 0x7fff0000
	seccompReceive     = 0xc0502100
	seccompSend        = 0xc0182101
	seccompGoOn        = 1
)

type notification struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

type response struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// watched are the system calls by which bbolt changes files.
var watched = map[int32]string{
	unix.SYS_PWRITE64: "write", unix.SYS_FDATASYNC: "sync", unix.SYS_FSYNC: "sync", unix.SYS_FTRUNCATE: "truncate",
}

// on runs a function on a new thread. The disk decides on its writes, syncs and truncates. This
// needs no privilege and does not affect other threads.
func (d disk) on(t *testing.T, run func()) {
	t.Helper()
	listener, installed, ended := make(chan int), make(chan error), make(chan any)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		fd, err := listen()
		installed <- err
		if err != nil {
			return
		}
		listener <- fd
		defer func() { ended <- recover() }()
		run()
	}()
	if err := <-installed; err != nil {
		t.Skipf("no test of a failing disk: this kernel lets nobody watch the system calls of a thread (seccomp: %v)", err)
	}
	fd := <-listener
	stop := make([]int, 2)
	require.NoError(t, unix.Pipe(stop))
	served := make(chan error)
	go func() { served <- d.serve(fd, stop[0]) }()
	select {
	case failure := <-ended:
		require.NoError(t, unix.Close(stop[1]))
		require.NoError(t, <-served)
		require.NoError(t, errors.Join(unix.Close(stop[0]), unix.Close(fd)))
		if failure != nil {
			panic(failure)
		}
	case err := <-served: // without a listener the thread's calls fail, so it ends
		_ = errors.Join(unix.Close(stop[0]), unix.Close(stop[1]), unix.Close(fd))
		<-ended
		require.NoError(t, err)
	}
}

// listen makes the kernel ask before this thread writes, syncs or truncates.
func listen() (int, error) {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}}
	for nr := range watched {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: uint32(nr)},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: seccompNotify})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: seccompAllow})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, seccompSetFilter, seccompNewListener, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, errno
	}
	return int(fd), nil
}

// serve answers until the other end of stop is closed.
func (d disk) serve(listener, stop int) error {
	var last answered
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}, {Fd: int32(stop), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return err
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			return nil
		}
		var n notification
		switch _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), seccompReceive, uintptr(unsafe.Pointer(&n))); errno {
		case 0:
		case unix.EINTR, unix.ENOENT: // a signal came first; the thread calls again
			continue
		default:
			return errno
		}
		if !last.interrupted || last.nr != n.nr || last.args != n.args {
			a, err := d.decide(n)
			if err != nil {
				return err
			}
			last = answered{nr: n.nr, args: n.args, response: a}
		}
		last.id = n.id
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), seccompSend, uintptr(unsafe.Pointer(&last.response)))
		last.interrupted = errno == unix.ENOENT
		if errno != 0 && !last.interrupted {
			return errno
		}
	}
}

// answered is the newest call that the disk has decided on. If a signal interrupted the call before
// its answer, the thread makes the call again and gets the same answer.
type answered struct {
	nr   int32
	args [6]uint64
	response
	interrupted bool
}

// decide asks the disk about a call.
func (d disk) decide(n notification) (response, error) {
	r := request{op: watched[n.nr], fd: int(n.args[0])}
	switch r.op {
	case "write":
		r.offset, r.data = int64(n.args[3]), make([]byte, n.args[2])
		// The kernel copies the memory, because the race detector sees no synchronization with the
		// other goroutine.
		local := []unix.Iovec{{Base: &r.data[0]}}
		local[0].SetLen(len(r.data))
		remote := []unix.RemoteIovec{{Base: uintptr(n.args[1]), Len: len(r.data)}}
		if _, err := unix.ProcessVMReadv(unix.Getpid(), local, remote, 0); err != nil {
			return response{}, err
		}
	case "truncate":
		r.size = int64(n.args[1])
	}
	switch errno := d(r); errno {
	case 0:
		return response{flags: seccompGoOn}, nil
	case done:
		return response{}, nil
	default:
		return response{errno: -int32(errno)}, nil
	}
}
