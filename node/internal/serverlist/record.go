package serverlist

import (
	"net/netip"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/seal"
)

// A record is a server that wants to be listed.
type record struct {
	entry Entry
	key   seal.Key
	since netcore.Time
	at    [2]place // of IPv4 and of IPv6
	known bool     // it has answered once
	due   netcore.Time
	wait  time.Duration // until the next query if it does not answer, and never has
	index int           // in the queue; -1: it is not in it

	search   *query.Search // nil: it is not asked now
	asked    netcore.Addr
	deadline netcore.Time

	site     site
	resolved netcore.Time // when its name was resolved; 0: never
	waits    bool         // for the addresses of its name
}

// A place is an address from which a server is registered.
type place struct {
	addr  netcore.Addr
	until netcore.Time
}

// heard notes that the server is registered at an address.
func (r *record) heard(now netcore.Time, at netcore.Addr) {
	i := 0
	if !at.AddrPort().Addr().Is4() {
		i = 1
	}
	r.at[i] = place{addr: at.Remote(), until: now + registeredTime}
}

// address returns an address at which the server is registered, IPv4 first.
func (r *record) address(now netcore.Time) (netcore.Addr, bool) {
	for _, p := range r.at {
		if now < p.until {
			return p.addr, true
		}
	}
	return netcore.Addr{}, false
}

// has reports whether the server is registered at an address, from any port.
func (r *record) has(now netcore.Time, a netip.Addr) bool {
	return slices.ContainsFunc(r.at[:], func(p place) bool { return now < p.until && p.addr.AddrPort().Addr() == a.Unmap() })
}

// linkOf puts the link of an answer into the entry if it leads to the server: to an address of its
// own, or to a name whose addresses the list has seen. It returns the name whose addresses are
// needed.
func (r *record) linkOf(now netcore.Time, web string) (resolve string) {
	s, ok := parseSite(web)
	if !ok || web == "" {
		r.site, r.entry.Web = site{}, ""
		return ""
	}
	changed := s != r.site
	r.site = s
	ip, err := netip.ParseAddr(s.host)
	switch {
	case s.host == "" || err == nil && r.has(now, ip):
		at, _ := r.address(now)
		r.entry.Web = s.at(at.AddrPort().Addr())
	case err == nil:
		r.entry.Web = ""
	default:
		if changed {
			r.entry.Web = ""
		}
		if !r.waits && (changed || r.resolved == 0 || now >= r.resolved+resolveAgain) {
			return s.host
		}
	}
	return ""
}

// resolveAgain is the time after which the list looks up a name of a link again.
const resolveAgain = 10 * time.Minute

// named takes the addresses of a name.
func (r *record) named(now netcore.Time, host string, addrs []netip.Addr) {
	r.waits = false
	if host != r.site.host {
		return
	}
	r.resolved, r.entry.Web = now, ""
	for _, a := range addrs {
		if r.has(now, a) {
			r.entry.Web = r.site.at(a)
			return
		}
	}
}
