package main

import (
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// swarm runs many clients of one server that nobody plays.
func swarm(o *config.Options) error {
	cfg, err := clientConfig(o)
	if err != nil {
		return err
	}
	p, err := newSession(o, &cfg)
	if err != nil {
		return err
	}
	s, err := node.NewSwarm(node.SwarmConfig{Config: cfg, Count: o.Count, For: o.For})
	if err != nil {
		return explain(o, err)
	}
	p.runs(s)
	defer p.close()
	if err := p.open(o, cfg.Data); err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return explain(o, err)
	}
	return explain(o, p.run(namedConsole{"client", s.Console()}))
}
