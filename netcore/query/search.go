package query

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

const (
	retryTime  = 300 * time.Millisecond // between two requests to an address
	maxTries   = 5                      // requests with a cookie to one server
	maxServers = 256                    // found by one search
)

// Found is a server that has answered.
type Found struct {
	Addrs []netcore.Addr // at least one. Anybody can claim a key: a join shows who has it
	Info  Info
	RTT   time.Duration // of a request
}

// Search is the client's side of a query. It asks for challenges, and asks each address that
// answers with a challenge for its information.
//
// Challenges must come from the addresses that were asked. A search of a group cannot know these;
// its caller passes on only packets from addresses on the local network.
type Search struct {
	nonce   seal.Nonce
	targets []netcore.Addr // empty: a group, whose members are not known
	ask     time.Duration  // when to ask for challenges again
	servers []*server      // in order of discovery
}

// server is a server that has sent a challenge.
type server struct {
	addr   netcore.Addr
	cookie seal.Cookie
	asked  netcore.Time // the last request
	next   netcore.Time // the next one
	tries  int
	found  *Found // nil: no answer yet
}

// NewSearch begins a search for the server with these addresses. Without an address it is a search
// of a group.
func NewSearch(now netcore.Time, entropy io.Reader, targets ...netcore.Addr) (*Search, error) {
	s := &Search{targets: targets, ask: now}
	if _, err := io.ReadFull(entropy, s.nonce[:]); err != nil {
		return nil, fmt.Errorf("no entropy for a query: %w", err)
	}
	return s, nil
}

// Send passes on the requests that are due. The zero Addr stands for the group.
func (s *Search) Send(now netcore.Time, out func(to netcore.Addr, b []byte)) {
	if now >= s.ask {
		s.ask = now + retryTime
		for _, to := range s.unheard() {
			out(to, appendRequest(nil, s.nonce, seal.Cookie{}))
		}
	}
	for _, v := range s.servers {
		if v.found == nil && v.tries < maxTries && now >= v.next {
			v.tries++
			v.asked, v.next = now, now+retryTime
			out(v.addr, appendRequest(nil, s.nonce, v.cookie))
		}
	}
}

// unheard returns the addresses to ask for a challenge.
func (s *Search) unheard() (to []netcore.Addr) {
	if len(s.targets) == 0 {
		return []netcore.Addr{{}}
	}
	for _, t := range s.targets {
		if s.server(t) == nil {
			to = append(to, t)
		}
	}
	return to
}

// Receive handles a datagram.
func (s *Search) Receive(now netcore.Time, from netcore.Addr, b []byte) {
	if cookie, ok := parseChallenge(b, s.nonce); ok {
		s.challenged(now, from, cookie)
		return
	}
	nonce, rest, ok := parseHead(b, packetAnswer)
	v := s.server(from)
	if !ok || nonce != s.nonce || v == nil || v.found != nil {
		return
	}
	if info, err := parseInfo(rest); err == nil {
		v.found = &Found{Addrs: []netcore.Addr{v.addr}, Info: info, RTT: now - v.asked}
	}
}

// challenged notes the cookie of a server. A second challenge replaces the cookie: the one before
// has expired.
func (s *Search) challenged(now netcore.Time, from netcore.Addr, cookie seal.Cookie) {
	if v := s.server(from); v != nil {
		v.cookie = cookie
		return
	}
	if len(s.servers) < maxServers && s.asks(from) {
		s.servers = append(s.servers, &server{addr: from.Remote(), cookie: cookie, next: now})
	}
}

// asks reports whether this search asks an address.
func (s *Search) asks(from netcore.Addr) bool {
	for _, t := range s.targets {
		if t.Remote() == from.Remote() {
			return true
		}
	}
	return len(s.targets) == 0
}

func (s *Search) server(at netcore.Addr) *server {
	for _, v := range s.servers {
		if v.addr == at.Remote() {
			return v
		}
	}
	return nil
}

// Due returns when Send next has something to do.
func (s *Search) Due() netcore.Time {
	due := s.ask
	for _, v := range s.servers {
		if v.found == nil && v.tries < maxTries {
			due = min(due, v.next)
		}
	}
	return due
}

// Found returns the servers that have answered so far, in the order of their discovery. Addresses
// with the same key are one server; IPv4 comes first.
func (s *Search) Found() (all []Found) {
	for _, v := range s.servers {
		if v.found == nil {
			continue
		}
		at := slices.IndexFunc(all, func(f Found) bool { return f.Info.Key == v.found.Info.Key })
		if at < 0 {
			all = append(all, Found{slices.Clone(v.found.Addrs), v.found.Info, v.found.RTT})
			continue
		}
		all[at].Addrs = append(all[at].Addrs, v.addr)
	}
	for _, f := range all {
		order.StableBy(f.Addrs, func(a, b netcore.Addr) int {
			return cmp.Compare(a.AddrPort().Addr().BitLen(), b.AddrPort().Addr().BitLen())
		})
	}
	return all
}
