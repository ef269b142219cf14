//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// restartSignal ends a server like SIGTERM, but tells its clients to come back. Service managers send
// it before they start the server again.
var restartSignal os.Signal = syscall.SIGUSR1

// runAgain replaces the process by a new one with the same arguments. It returns only an error.
func runAgain() error {
	path, err := os.Executable()
	if err == nil {
		err = syscall.Exec(path, os.Args, os.Environ())
	}
	return fmt.Errorf("cannot start again: %w", err)
}
