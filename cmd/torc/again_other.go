//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// restartSignal and reloadSignal are nil: this system has none.
var restartSignal, reloadSignal os.Signal

// runAgain runs a new process with the same arguments and further flags until it ends.
func runAgain(flags []string) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("cannot start again: %w", err)
	}
	again := exec.Command(path, append(os.Args[1:], flags...)...)
	again.Stdin, again.Stdout, again.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = again.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(ended.ExitCode())
	}
	return err
}
