package node

import (
	"context"
	"fmt"
	"net/netip"
	"strings"

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
	server  *Server
	network modNetwork // nil: this platform or this server has none
	trials  *trials
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
	c := m.server.core
	get := func() string {
		var list []string
		if c.Side.Scripts == nil {
			return "" // the default
		}
		for _, p := range c.Side.Scripts.Sockets().Allowed() {
			list = append(list, p.String())
		}
		return strings.Join(list, " ")
	}
	set := func(text string) error {
		var list []netip.Prefix
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
			p, err := parseNetwork(word)
			if err != nil {
				return err
			}
			list = append(list, p)
		}
		c.Side.Scripts.Sockets().Allow(list)
		return nil
	}
	return []console.Var{{
		Name: "mod.networks", Value: console.Func(get, set),
		Help: "networks that mods can reach by name although they are not public, as in \"10.0.0.0/8 127.0.0.1\"",
	}}
}

// parseNetwork parses a network or a single address.
func parseNetwork(word string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(word); err == nil && a.Zone() == "" {
		return netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()), nil
	}
	p, err := netip.ParsePrefix(word)
	if err != nil || p.Addr().Is4In6() || p != p.Masked() {
		return p, fmt.Errorf("%s must be an address or a network, as in 10.0.0.0/8", console.Quote(word))
	}
	return p, nil
}
