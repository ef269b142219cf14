//go:build unix

package prompt

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Read returns typed bytes, but none that are typed while the process is suspended. If a script
// runs the program, the shell goes on as soon as the script has stopped. The program can stop a
// little later. A call of read that waits would take the line that is typed for the shell.
func (f *files) Read(p []byte) (int, error) {
	for {
		if _, err := f.typed(-1); err != nil {
			return 0, err
		}
		if n, err := f.take(p); n > 0 || err != nil {
			return n, err
		}
	}
}

// take reads what has been typed: nothing if the shell has taken it.
func (f *files) take(p []byte) (int, error) {
	f.reading.Lock()
	defer f.reading.Unlock()
	if ready, err := f.typed(0); err != nil || !ready {
		return 0, err
	}
	return f.in.Read(p)
}

// typed waits for input or its end, at most for a time in milliseconds; -1: as long as it takes. It
// can return early. A system that cannot wait for a terminal counts as ready.
func (f *files) typed(limit int) (ready bool, err error) {
	conn, err := f.in.SyscallConn()
	if err != nil {
		return false, err
	}
	closed := conn.Control(func(fd uintptr) {
		var n int
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, limit)
		ready = n > 0
	})
	if errors.Is(err, unix.EINTR) {
		err = nil
	}
	return ready, errors.Join(closed, err)
}
