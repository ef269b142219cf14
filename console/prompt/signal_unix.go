//go:build unix

package prompt

import (
	"os"
	"os/signal"
	"syscall"
)

func ignoreBrokenPipe() { signal.Ignore(syscall.SIGPIPE) }

// notifyResize reports changes of the terminal's size until stop is called.
func notifyResize() (changed <-chan os.Signal, stop func()) {
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, syscall.SIGWINCH)
	return ch, func() { signal.Stop(ch) }
}
