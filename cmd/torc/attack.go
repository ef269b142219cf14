package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/torc-engine/torc/cmd/torc/internal/attack"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// attackServer runs torc attack.
func attackServer(o *config.Options, stdout io.Writer) error {
	do := attack.Options{Server: o.Address, Rows: o.Rows, Short: o.Short, JSON: o.JSON}
	if o.Address == attack.Inside {
		do.Server, do.Inside = "", true // the process in a network namespace
	}
	signal.Ignore(syscall.SIGPIPE) // a closed output is an error of a write, after which the server ends
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := attack.Run(ctx, stdout, do)
	var usage *attack.UsageError
	if errors.As(err, &usage) {
		return &config.UsageError{Text: usage.Text}
	}
	return err
}
