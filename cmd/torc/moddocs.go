package main

import (
	"errors"
	"io"
	"os"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/reference"
)

// modDocs writes the API of mods as a page, as data, or as stubs for editors.
func modDocs(o *config.Mod, stdout io.Writer) error {
	r, err := apiReference()
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
		return flags.Usagef("--out cannot be written: %v", err)
	}
	return nil
}

// apiReference is all that a mod may call, taken from a server and a client that nobody starts.
func apiReference() (*reference.Model, error) {
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

// referenceOf returns the API of one side: the names of torc and of base.
func referenceOf(server bool) (*reference.Model, error) {
	if server {
		s, err := node.NewServer(node.Config{Server: node.ServerConfig{Restarts: true}, Common: node.Common{Commands: new(live).commands()}})
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return withBase(s.Scripts())
	}
	c, err := node.NewClient(node.Config{Client: node.ClientConfig{Address: "127.0.0.1:1"}}) // it never connects
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var t terminal
	if err := t.addView(c.Host, namedConsole{"client", c.Console}); err != nil {
		return nil, err
	}
	return withBase(c.Scripts())
}

// withBase loads base and returns the API.
func withBase(s *script.Scripts) (*reference.Model, error) {
	if bad := s.LoadMods(manifest.Base); len(bad) > 0 {
		return nil, errors.Join(bad...)
	}
	return s.Reference(), nil
}
