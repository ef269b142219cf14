package meeting

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

// resolveAgain is the time between two lookups of the name of a rendezvous that does not answer.
const resolveAgain = 30 * time.Second

// registrar keeps a server registered at a rendezvous, over IPv4 and IPv6.
type registrar struct {
	core          *core.Core
	own           seal.KeyPair // of the server
	at            string       // HOST:PORT of the rendezvous
	resolve       engine.Resolver
	registrations []*rendezvous.Registration
	next          netcore.Time // of the next lookup of the name
	registered    bool
	warned        bool // since it was registered
	public        *bool
	told          rendezvous.Answer // what the operator knows about the list, while sv.public is on
}

// register begins to register the server.
func (s *Service) register() {
	if s.opts.Rendezvous != "" {
		s.registrar = &registrar{core: s.core, own: s.opts.Own, at: s.opts.Rendezvous, resolve: s.opts.Resolve, public: &s.public}
		s.core.Before(s.registrar.tick)
	}
}

// tick sends what is due.
func (m *registrar) tick() {
	now := m.core.Now()
	registered := slices.ContainsFunc(m.registrations, func(r *rendezvous.Registration) bool { return r.Registered(now) })
	unanswered := m.registrations != nil && now >= m.next
	switch {
	case registered && !m.registered:
		m.tell()
		m.warned = false
	case !registered && !m.warned && (m.registered || unanswered):
		m.warn()
		m.warned = true
	}
	m.registered = registered
	if !registered && now >= m.next {
		m.next = now + resolveAgain
		m.resolve(m.at, m.resolved)
	}
	for _, r := range m.registrations {
		r.SetPublic(now, *m.public)
		r.Send(now, m.core.Loop.Send)
	}
	m.tellList()
}

// tellList tells the operator of a public server whether the rendezvous lists it.
func (m *registrar) tellList() {
	lists := rendezvous.Unanswered
	for _, r := range m.registrations {
		if l := r.Lists(); *m.public && m.registered && lists != rendezvous.Yes && l != rendezvous.Unanswered {
			lists = l
		}
	}
	if lists == m.told || lists == rendezvous.Unanswered && *m.public {
		return
	}
	m.told = lists
	switch lists {
	case rendezvous.Yes:
		m.core.Print("in the public list of " + netcore.WithPort(m.at))
	case rendezvous.No:
		m.core.Log.Warn("the rendezvous keeps no public list, so sv.public has no effect", "rendezvous", netcore.WithPort(m.at))
	}
}

// resolved begins registrations at the addresses of the rendezvous, one of each family.
func (m *registrar) resolved(to []netcore.Addr, err error) {
	if err != nil {
		m.core.Log.Warn("cannot register at the rendezvous", "why", err)
		return
	}
	m.registrations = nil
	for _, at := range oneOfEachFamily(to) {
		m.registrations = append(m.registrations, rendezvous.NewRegistration(m.core.Now(), m.core.From.Entropy, m.own, at))
	}
}

// tell tells the operator how players reach the server.
func (m *registrar) tell() {
	at := netcore.WithPort(m.at)
	m.core.Print(fmt.Sprintf("registered at the rendezvous: torc join %s%s#%s", engine.Via, at, m.core.Side.Host.Identity().Public))
}

// warn tells the operator that the rendezvous does not answer.
func (m *registrar) warn() {
	at := netcore.WithPort(m.at)
	m.core.Log.Warn("the rendezvous does not answer: new players cannot join through it", "rendezvous", at)
}

func (m *registrar) receive(from netcore.Addr, b []byte) {
	if m == nil {
		return
	}
	for _, r := range m.registrations {
		r.Receive(m.core.Now(), from, b)
	}
}

// leave ends the registration of a server that ends. One that starts again keeps it.
func (m *registrar) leave() {
	if m == nil || !m.core.Ending() || errors.Is(m.core.Err(), core.ErrRestart) {
		return
	}
	for _, r := range m.registrations {
		r.Leave(m.core.Loop.Send)
	}
}

// oneOfEachFamily returns the first IPv4 address and the first IPv6 address.
func oneOfEachFamily(all []netcore.Addr) (some []netcore.Addr) {
	for _, a := range all {
		if !slices.ContainsFunc(some, func(b netcore.Addr) bool {
			return a.AddrPort().Addr().Is4() == b.AddrPort().Addr().Is4()
		}) {
			some = append(some, a)
		}
	}
	return some
}
