package main

import (
	"io"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torclab/internal/attack"
	"github.com/torc-engine/torc/cmd/torclab/internal/bench"
)

// processes are the hidden subcommands: torclab starts itself with them, for clients and rows in
// processes of their own.
var processes = map[string]func(args []string, stdin io.Reader, stdout io.Writer) error{
	bench.Clients: func(_ []string, stdin io.Reader, stdout io.Writer) error { return bench.RunClients(stdin, stdout) },
	bench.Kernel:  func(_ []string, stdin io.Reader, stdout io.Writer) error { return bench.RunKernel(stdin, stdout) },
	attack.Inside: attackInside,
}

// attackInside plays the rows that need a network namespace, in that namespace.
func attackInside(args []string, _ io.Reader, stdout io.Writer) error {
	o, set := &attackOptions{}, flags.New("torclab "+attack.Inside)
	o.Declare(set)
	if _, err := set.Parse(args); err != nil {
		return err
	}
	o.Inside = true
	return o.attack(stdout)
}
