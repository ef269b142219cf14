package node

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

// resolveAgain is the time between two lookups of the name of a rendezvous that does not answer.
const resolveAgain = 30 * time.Second

// meeting keeps a server registered at a rendezvous, over IPv4 and IPv6.
type meeting struct {
	server        *Server
	resolve       engine.Resolver
	registrations []*rendezvous.Registration
	next          netcore.Time // of the next lookup of the name
	registered    bool
	warned        bool // since it was registered
}

// openRendezvous begins to register the server.
func (s *Server) openRendezvous() {
	if s.cfg.Server.Rendezvous != "" {
		s.meeting = &meeting{server: s, resolve: core.PickResolver(s.cfg.Resolve, s.core.Posts)}
		s.core.Before(s.meeting.tick)
	}
}

// tick sends what is due.
func (m *meeting) tick() {
	now := m.server.core.Now()
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
		m.resolve(m.server.cfg.Server.Rendezvous, m.resolved)
	}
	for _, r := range m.registrations {
		r.Send(now, m.server.core.Loop.Send)
	}
}

// resolved begins registrations at the addresses of the rendezvous, one of each family.
func (m *meeting) resolved(to []netcore.Addr, err error) {
	if err != nil {
		m.server.core.Log.Warn("cannot register at the rendezvous", "why", err)
		return
	}
	m.registrations = nil
	for _, at := range oneOfEachFamily(to) {
		m.registrations = append(m.registrations, rendezvous.NewRegistration(m.server.core.Now(), m.server.core.From.Entropy, m.server.own, at))
	}
}

// tell tells the operator how players reach the server.
func (m *meeting) tell() {
	at := netcore.WithPort(m.server.cfg.Server.Rendezvous)
	m.server.core.Print(fmt.Sprintf("registered at the rendezvous: torc join %s%s#%s", engine.Via, at, m.server.Key()))
}

// warn tells the operator that the rendezvous does not answer.
func (m *meeting) warn() {
	at := netcore.WithPort(m.server.cfg.Server.Rendezvous)
	m.server.core.Log.Warn("the rendezvous does not answer: new players cannot join through it", "rendezvous", at)
}

func (m *meeting) receive(from netcore.Addr, b []byte) {
	if m == nil {
		return
	}
	for _, r := range m.registrations {
		r.Receive(m.server.core.Now(), from, b)
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

// lookup is a client's question to a rendezvous.
type lookup struct {
	*rendezvous.Lookup
	at   string
	done func([]netcore.Addr, error) // nil: it was called
}

// errReplaced is the result of a resolve that a later one replaced.
var errReplaced = errors.New("another connect began")

// resolveVia returns a Resolver that also knows addresses with a rendezvous. A later call replaces the
// lookup of an earlier one.
func (c *Client) resolveVia(resolve engine.Resolver) engine.Resolver {
	calls := 0
	return func(address string, done func([]netcore.Addr, error)) {
		calls++
		call := calls
		c.lookup = nil
		rest, via := strings.CutPrefix(address, engine.Via)
		if !via {
			resolve(address, done)
			return
		}
		at, pin, _ := strings.Cut(rest, "#")
		key, err := seal.ParseKey(pin)
		if err != nil {
			done(nil, err)
			return
		}
		resolve(at, func(to []netcore.Addr, err error) {
			if call != calls {
				done(nil, errReplaced)
				return
			}
			var l *rendezvous.Lookup
			if err == nil {
				l, err = rendezvous.NewLookup(c.core.Now(), c.core.From.Entropy, key, oneOfEachFamily(to))
			}
			if err != nil {
				done(nil, err)
				return
			}
			c.lookup = &lookup{Lookup: l, at: at, done: done}
		})
	}
}

// lookUp runs before each tick. It carries on a lookup.
func (c *Client) lookUp() {
	l := c.lookup
	if l == nil {
		return
	}
	l.Send(c.core.Now(), c.core.Loop.Send)
	if done := l.done; done != nil && l.Done(c.core.Now()) {
		l.done = nil
		to, err := l.Result()
		if err != nil {
			err = fmt.Errorf("%s: %w", l.at, err)
		}
		done(to, err)
	}
}

// other handles a datagram of a rendezvous. A punch needs no answer: the requests of the client go on.
func (c *Client) other(from netcore.Addr, b []byte) bool {
	if !rendezvous.Is(b) {
		return false
	}
	if c.lookup != nil {
		c.lookup.Receive(c.core.Now(), from, b)
	}
	return true
}

// viaHint explains a connect through a rendezvous that got no answer.
func viaHint(address string, r netcore.Reason) string {
	if !strings.HasPrefix(address, engine.Via) || r.Code != netcore.ConnectTimeout || r.Text != "" {
		return ""
	}
	return ". The rendezvous has told the server, but no packet came through: one of the two routers gives each destination another port (symmetric NAT), or a firewall drops UDP. The server needs an open port (serve --map-port, or forward it in the router)"
}
