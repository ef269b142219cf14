//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// restartSignal ends a server like SIGTERM, but tells its clients to come back. Service managers
// send it before they start the server again.
var restartSignal os.Signal = syscall.SIGUSR1

// reloadSignal makes a server read its settings again. When the terminal of a process closes, the
// process gets the same signal.
var reloadSignal os.Signal = syscall.SIGHUP

// runAgain replaces the process by a new one with the same arguments and further flags. It returns
// only an error.
func runAgain(flags []string) error {
	path, err := os.Executable()
	if err == nil {
		err = syscall.Exec(path, append(os.Args, flags...), os.Environ())
	}
	return fmt.Errorf("cannot start again: %w", err)
}
