package meeting

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/core"
)

// lookup is a client's question to a rendezvous.
type lookup struct {
	*rendezvous.Lookup
	at   string
	done func([]netcore.Addr, error) // nil: it was called
}

// errReplaced is the result of a resolve that a later one replaced.
var errReplaced = errors.New("another connect began")

// Via lets a client find servers through a rendezvous.
type Via struct {
	core   *core.Core
	lookup *lookup // nil: none is under way
}

// NewVia returns a Via of a client. It sees the datagrams of its rendezvous.
func NewVia(c *core.Core) *Via {
	v := &Via{core: c}
	c.Loop.Other = v.other
	c.Before(v.lookUp)
	return v
}

// Resolver returns a Resolver that also knows addresses with a rendezvous. A later call replaces
// the lookup of an earlier one.
func (v *Via) Resolver(resolve engine.Resolver) engine.Resolver {
	calls := 0
	return func(address string, done func([]netcore.Addr, error)) {
		calls++
		call := calls
		v.lookup = nil
		rest, via := strings.CutPrefix(address, engine.Via)
		if !via {
			resolve(address, done)
			return
		}
		at, pin, _ := strings.Cut(rest, "#")
		at, beside, both := strings.Cut(at, ",")
		key, err := seal.ParseKey(pin)
		var direct netcore.Addr
		if both && err == nil {
			direct, err = parseDirect(beside)
		}
		if err != nil {
			done(nil, err)
			return
		}
		if both {
			done = besides(direct, done)
		}
		resolve(at, func(to []netcore.Addr, err error) {
			if call != calls {
				done(nil, errReplaced)
				return
			}
			var l *rendezvous.Lookup
			if err == nil {
				l, err = rendezvous.NewLookup(v.core.Now(), v.core.From.Entropy, key, oneOfEachFamily(to))
			}
			if err != nil {
				done(nil, err)
				return
			}
			v.lookup = &lookup{Lookup: l, at: at, done: done}
		})
	}
}

// parseDirect reads the address of a server beside that of its rendezvous.
func parseDirect(text string) (netcore.Addr, error) {
	at, err := netip.ParseAddrPort(text)
	if err != nil || at.Port() == 0 {
		return netcore.Addr{}, fmt.Errorf("%q must be IP:PORT of the server, as in via:HOST:PORT,IP:PORT#KEY", text)
	}
	return netcore.UDPAddr(at), nil
}

// besides also tries an address of the server that is known without the rendezvous.
func besides(direct netcore.Addr, done func([]netcore.Addr, error)) func([]netcore.Addr, error) {
	return func(to []netcore.Addr, err error) {
		if !errors.Is(err, errReplaced) {
			err = nil
			if !slices.Contains(to, direct) {
				to = append(to, direct)
			}
		}
		done(to, err)
	}
}

// lookUp runs before each tick. It carries on a lookup.
func (v *Via) lookUp() {
	l := v.lookup
	if l == nil {
		return
	}
	l.Send(v.core.Now(), v.core.Loop.Send)
	if done := l.done; done != nil && l.Done(v.core.Now()) {
		l.done = nil
		to, err := l.Result()
		if err != nil {
			err = fmt.Errorf("%s: %w", l.at, err)
		}
		done(to, err)
	}
}

// other handles a datagram of a rendezvous. A punch needs no answer: the requests of the client go
// on.
func (v *Via) other(from netcore.Addr, b []byte) bool {
	if !rendezvous.Is(b) {
		return false
	}
	if v.lookup != nil {
		v.lookup.Receive(v.core.Now(), from, b)
	}
	return true
}

// Hint says what to check after a connect that got no answer, as the end of a sentence. paged says
// that the page of the server has named the address. It returns "" for connects that failed for
// another reason.
func Hint(address string, paged bool, r netcore.Reason) string {
	if r.Code != netcore.ConnectTimeout || r.Text != "" {
		return ""
	}
	at := core.HostPort(address)
	port := at[strings.LastIndexByte(at, ':')+1:]
	switch {
	case paged:
		return fmt.Sprintf(" (its page answers, so a firewall or a router drops UDP port %s: open the link in a browser meanwhile)", port)
	case !strings.HasPrefix(address, engine.Via):
		return fmt.Sprintf(" (is the address right, is the server running, and do its firewall and its router let UDP port %s in?)", port)
	}
	return ". The rendezvous has told the server, but no packet came through: one of the two routers gives each destination another port (symmetric NAT), or a firewall drops UDP. The server needs an open port (serve --map-port, or forward it in the router)"
}
