package udp

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// gate lets a goroutine wait for a socket, without a wake-up for datagrams that arrive while nobody
// waits. Go's poller would wake a thread for each of them, and a read that blocks in the kernel
// keeps the scheduler's monitor awake: it then looks around every 20 µs. So the gate is an epoll
// instance of its own. The socket is in it, for one event at a time, and Go's poller only sees the
// gate.
type gate struct {
	socket int
	file   *os.File // the epoll instance
	waiter syscall.RawConn
	try    func(fd uintptr) bool // open, without an allocation for each wait

	// of the present wait
	armed bool
	err   error
	event unix.EpollEvent
}

func newGate(socket int) (g *gate, err error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	err = unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, socket, &unix.EpollEvent{Events: unix.EPOLLONESHOT})
	err = errors.Join(err, unix.SetNonblock(fd, true))
	g = &gate{socket: socket, file: os.NewFile(uintptr(fd), "socket gate")}
	g.try = g.open
	if err == nil {
		g.waiter, err = g.file.SyscallConn()
	}
	if err != nil {
		return nil, errors.Join(err, g.file.Close())
	}
	return g, nil
}

// wait waits until the socket can be read. It returns an error after close.
func (g *gate) wait() error {
	g.armed, g.err = false, nil
	return errors.Join(g.waiter.Read(g.try), g.err)
}

// open reports whether the wait is over: the socket can be read, or there is an error.
func (g *gate) open(fd uintptr) bool {
	if !g.armed {
		g.armed, g.event = true, unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT}
		g.err = unix.EpollCtl(int(fd), unix.EPOLL_CTL_MOD, g.socket, &g.event)
	}
	if g.err != nil {
		return true
	}
	n, _, err := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, fd, uintptr(unsafe.Pointer(&g.event)), 1, 0, 0, 0)
	if err != 0 && err != unix.EINTR {
		g.err = err
	}
	return int(n) == 1 || g.err != nil
}

// close ends the gate, also while somebody waits.
func (g *gate) close() error { return g.file.Close() }
