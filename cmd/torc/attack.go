package main

import (
	"errors"
	"io"

	"github.com/torc-engine/torc/cmd/torc/internal/attack"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// attackServer runs torc attack.
func attackServer(o *config.Options, stdout io.Writer) error {
	do := attack.Options{Server: o.Address, Rows: o.Rows, Short: o.Short, JSON: o.JSON}
	if o.Address == attack.Inside {
		do.Server, do.Inside = "", true // the process in a network namespace
	}
	err := attack.Run(stdout, do)
	var usage *attack.UsageError
	if errors.As(err, &usage) {
		return &config.UsageError{Text: usage.Text}
	}
	return err
}
