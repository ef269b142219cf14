package main

import (
	"errors"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/node"
)

// The statuses a process ends with.
const (
	ended       = 0 // as asked
	failed      = 1 // while running, or thrown out
	misused     = 2 // wrong usage
	unconnected = 3 // no connection was established
)

// failure is an error that decides the process's status.
type failure struct {
	status int
	error
}

func (f failure) Unwrap() error { return f.error }

// status is the exit status of an error.
func status(err error) int {
	var f failure
	var usage *flags.UsageError
	var refused *node.ConnectError
	switch {
	case err == nil:
		return ended
	case errors.As(err, &usage):
		return misused
	case errors.As(err, &refused):
		return unconnected
	case errors.As(err, &f):
		return f.status
	}
	return failed
}
