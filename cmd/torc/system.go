package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/torc-engine/torc/console/prompt"
)

// system is what a run of the program has from the operating system: the command line, the standard
// files, the environment and the signals. The process has one. A test can run the program many
// times in its own process, each time with a system of its own.
type system struct {
	args     []string // of the command line, without the name of the program
	in       io.Reader
	out, err io.Writer
	lookup   func(name string) (value string, found bool) // a variable of the environment
	environ  []string
	notify   func(c chan<- os.Signal, signals ...os.Signal) // passes signals on to c from now on
	again    func(flags []string) error                     // starts the process anew, with further flags
	exit     func(status int)                               // ends the process at once
}

// ofProcess returns the system of this process.
func ofProcess() *system {
	return &system{
		args: os.Args[1:], in: os.Stdin, out: os.Stdout, err: os.Stderr,
		lookup: os.LookupEnv, environ: os.Environ(), notify: signal.Notify, again: runAgain, exit: os.Exit,
	}
}

// prompt returns the options of a prompt on the standard files.
func (sys *system) prompt(history string) prompt.SourceOptions {
	in, _ := sys.in.(*os.File)
	out, _ := sys.out.(*os.File)
	return prompt.SourceOptions{In: in, Out: out, History: history}
}

// isTerminal reports whether the standard input is an open terminal.
func (sys *system) isTerminal() bool {
	in, ok := sys.in.(*os.File)
	return ok && term.IsTerminal(int(in.Fd()))
}

// untilSignal returns a context that a signal to end the program cancels.
func (sys *system) untilSignal() (ctx context.Context, cancel func()) {
	signals := make(chan os.Signal, 1)
	sys.notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel = context.WithCancel(context.Background())
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
