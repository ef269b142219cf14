package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/data"
	"github.com/torc-engine/torc/netcore"
)

// localName is what the server of this process is called by its client.
const localName = "local"

// play is a server and a client of it in one process, without a socket.
func play(o *config.Options) error {
	l, err := newLoop(o, "server")
	if err != nil {
		return err
	}
	defer l.close()
	home, err := clientHome(o)
	if err != nil {
		return err
	}
	l.pipe = netcore.NewPipe(1, 2)
	server, err := l.server(o, nil)
	if err != nil {
		return err
	}
	client, err := l.client(o, home, func(hostport string) (netcore.Addr, error) {
		if hostport != localName {
			return netcore.Addr{}, errors.New("this client plays on the server of its own process; torc join HOST:PORT goes elsewhere")
		}
		return l.pipe.A().Addr(), nil
	})
	if err != nil {
		return err
	}
	if err := l.registerSides(); err != nil {
		return err
	}
	if err := errors.Join(client.load(o), server.start(o)); err != nil {
		return err
	}
	address := localName + "#" + server.host.Identity().Public.String()
	if err := client.host.Connect(address, engine.ConnectArgs{Name: o.Name, Password: o.Password, Args: o.Args}); err != nil {
		return err
	}
	return l.run()
}

// clientHome is where the client's half keeps its key: beside the server's data if that was named.
func clientHome(o *config.Options) (*data.Folder, error) {
	if o.Data != "" {
		return data.Open(filepath.Join(o.Data, "client"), false)
	}
	dir, err := data.Default("client", os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return data.Open(dir, false)
}
