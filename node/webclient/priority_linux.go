package webclient

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// atLowPriority runs f on a thread of the lowest priority, and waits for it.
func atLowPriority(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()                         // the thread ends with the goroutine
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 19) // of this thread; it always may be lower
		f()
	}()
	<-done
}
