package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/node/remote"
)

// attach runs torc console: a prompt, or line mode, on the console of a running server.
func (sys *system) attach(o *config.Console) error {
	path := o.Socket
	if path == "" {
		dir, err := sys.dataFolder(o.Data)
		if err != nil {
			return err
		}
		path = filepath.Join(dir, remote.Socket)
	}
	c, err := remote.Dial(path)
	if err != nil {
		return failure{unconnected, fmt.Errorf("cannot reach a server at %s (%w): name its data folder with --data DIR", path, errors.Unwrap(err))}
	}
	defer c.Close()
	term, err := prompt.Open(prompt.Auto, sys.prompt(filepath.Join(filepath.Dir(path), "history")))
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	sys.notify(signals, os.Interrupt, syscall.SIGTERM)
	err = c.Attach(term, signals)
	switch {
	case errors.Is(err, remote.ErrEnded):
		term.Print("disconnected: " + err.Error())
		err = nil
	case errors.Is(err, remote.ErrLine):
		if _, pipe := term.(*prompt.LineMode); !pipe {
			err = nil // the user has seen the error
		}
	case errors.As(err, new(remote.Refused)):
		err = failure{unconnected, err}
	}
	finish(term, signals)
	return err
}

// finish waits until all output is read, however slowly. A signal ends the wait, and the rest of
// the output is lost.
func finish(term prompt.Source, signals <-chan os.Signal) {
	for errors.Is(term.Close(), prompt.ErrOutputPending) {
		select {
		case <-signals:
			return
		default:
		}
	}
}

// dataFolder returns the data folder of a server.
func (sys *system) dataFolder(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	return config.DataFolder("server", sys.lookup)
}
