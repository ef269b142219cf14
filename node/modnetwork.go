package node

import (
	"context"
	"net/netip"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/sockets"
)

// modNetwork makes the HTTP requests and TCP connections of mods. Shut ends all of them.
type modNetwork interface {
	sockets.Network
	Shut()
}

// modServices are what mods use of the machine: the network, and the tests before a reload.
type modServices struct {
	core.Passive
	server   *Server
	network  modNetwork     // nil: this platform or this server has none
	networks []netip.Prefix // of mod.networks
	trials   *trials
}

func newModServices(s *Server) *modServices {
	m := &modServices{server: s, trials: &trials{posts: s.core.Posts, spawn: s.core.From.Spawn, run: s.cfg.Server.Trial}}
	m.trials.ctx, m.trials.cancel = context.WithCancel(context.Background())
	if !s.stepped {
		m.network = newModNetwork()
	}
	return m
}

// setUp gives the scripts what they use.
func (m *modServices) setUp(setup *script.Setup) {
	s := m.server
	setup.Network = s.core.From.Network
	if m.network != nil {
		setup.Network = m.network
	}
	setup.Network = s.tape.Network(setup.Network)
	if m.trials.run != nil {
		setup.RunTests = m.trials.try
	}
	setup.RunTests = s.tape.Trials(setup.RunTests)
}

// Close ends the connections of mods.
func (m *modServices) Close() error {
	if m.network != nil {
		m.network.Shut()
	}
	return nil
}

// Variables is mod.networks: the networks that mods with a permission can reach although they are
// not public.
func (m *modServices) Variables() []console.Var {
	allow := func() error {
		m.server.core.Side.Scripts.Sockets().Allow(m.networks)
		return nil
	}
	return []console.Var{{
		Name: "mod.networks", Value: console.Hook(console.Networks(&m.networks), allow),
		Help: "networks that mods can reach by name although they are not public, as in \"10.0.0.0/8 127.0.0.1\"",
	}}
}
