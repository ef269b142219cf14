package main

import (
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node/swarm"
)

// swarm runs many clients of one server that nobody plays.
func (sys *system) swarm(o *config.Swarm) error {
	cfg, err := sys.clientConfig(&o.Client)
	if err != nil {
		return err
	}
	p, err := newSession(sys, &o.Node, &cfg)
	if err != nil {
		return err
	}
	s, err := swarm.New(swarm.Config{
		Common: cfg.Common, Address: cfg.Client.Address, AcceptKey: cfg.Client.AcceptKey, Args: cfg.Client.Args, Timeout: cfg.Client.Timeout,
		Wander: cfg.Client.Wander, Count: o.Count, For: o.For,
	})
	if err != nil {
		return explain(&o.Folder, err)
	}
	p.runs(s)
	defer p.close()
	if err := p.open(&o.Terminal, cfg.Data); err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return explain(&o.Folder, err)
	}
	return explain(&o.Folder, p.run(namedConsole{"client", s.Console}))
}
