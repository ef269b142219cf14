package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/script"
)

// modDocs writes down what a mod may call: a page, data, or stubs for editors.
func modDocs(o *config.Options, stdout io.Writer) error {
	r, err := reference()
	if err != nil {
		return err
	}
	var text []byte
	switch o.Format {
	case "json":
		if text, err = r.JSON(); err != nil {
			return err
		}
		text = append(text, '\n')
	case "lua":
		text = []byte(r.Stubs())
	default:
		text = []byte(r.Markdown())
	}
	if o.Out == "" {
		_, err = stdout.Write(text)
		return err
	}
	if err := os.WriteFile(o.Out, text, 0o644); err != nil {
		return &config.Usage{Text: fmt.Sprintf("--out cannot be written: %v", err)}
	}
	return nil
}

// reference is all that a mod may call, taken from a server and a client that nobody starts.
func reference() (*script.Reference, error) {
	server, err := referenceOf(true)
	if err != nil {
		return nil, err
	}
	client, err := referenceOf(false)
	if err != nil {
		return nil, err
	}
	server.Merge(client)
	return server, nil
}

// referenceOf is what one side has to say: the program's own, and the commands and variables that base adds to them.
func referenceOf(server bool) (*script.Reference, error) {
	l := &loop{log: slog.New(slog.DiscardHandler)}
	s := &side{name: "client", loop: l}
	if server {
		s.name = "server"
	}
	cfg := engine.Config{Server: server, Log: l.log, Entropy: rand.Reader}
	var err error
	if cfg.Classes, err = newClasses(); err != nil {
		return nil, err
	}
	if cfg.Identity, err = seal.NewIdentity(rand.Reader); err != nil {
		return nil, err
	}
	s.host = engine.NewHost(cfg)
	s.console = console.New(func(string) {})
	if err := s.host.Bind(s.console); err != nil {
		return nil, err
	}
	if err := l.register(s); err != nil {
		return nil, err
	}
	setup := script.Setup{Engine: s.host, Console: s.console, Mods: []fs.FS{mods.FS()}}
	if server {
		setup.Store = script.NewMemoryStore()
	}
	if s.scripts, err = script.NewScripts(setup); err != nil {
		return nil, err
	}
	s.host.SetScripts(s.scripts)
	if bad := s.scripts.LoadMods(script.Base); len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return s.scripts.Reference(), nil
}
