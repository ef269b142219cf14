package main

import (
	"fmt"
	"strings"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/bots"
	"github.com/torc-engine/torc/engine/node/keys"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

// join is a client of a server elsewhere.
func join(o *config.Options) error {
	l, err := newLoop(o, "client")
	if err != nil {
		return err
	}
	defer l.close()
	if err := accept(o, l.home.Path("known_servers")); err != nil {
		return err
	}
	hostport, _, _ := strings.Cut(o.Address, "#")
	to, err := udp.Resolve(hostport)
	if err != nil {
		return failure{unconnected, err}
	}
	if l.socket, err = udp.Dial(to); err != nil {
		return err
	}
	s, err := l.client(o, l.home, udp.Resolve)
	if err != nil {
		return err
	}
	if o.Bot == "wander" {
		l.bot = bots.NewWander(seedOf(o))
	}
	if err := s.start(o); err != nil {
		return err
	}
	err = s.host.Connect(o.Address, engine.ConnectArgs{Name: o.Name, Password: o.Password, Args: o.Args, Timeout: o.Timeout})
	if err != nil {
		return &config.Usage{Text: fmt.Sprintf("%s: %v", o.Address, err)}
	}
	return l.run()
}

// accept writes down the key that --accept-key vouches for.
func accept(o *config.Options, path string) error {
	if o.AcceptKey == "" {
		return nil
	}
	key, err := seal.ParseKey(o.AcceptKey)
	if err != nil {
		return &config.Usage{Text: fmt.Sprintf("--accept-key: %v", err)}
	}
	known, err := keys.Load(path)
	if err != nil {
		return err
	}
	hostport, _, _ := strings.Cut(o.Address, "#")
	if err := known.Accept(hostport, key); err != nil {
		return &config.Usage{Text: fmt.Sprintf("--accept-key: %v", err)}
	}
	return known.Save(path)
}
