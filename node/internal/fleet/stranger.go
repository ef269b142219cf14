package fleet

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Limits of what other servers say about themselves.
const (
	maxServers = 1000
	maxText    = 255    // bytes
	maxMods    = 64     // of a server
	maxCount   = 10_000 // players
	// maxOwn is what the mods of all servers tell about them, in bytes: each list of servers is in
	// the journal.
	maxOwn = 2 << 20
)

// clean returns the servers of a list that can be used, by name. Each has a name and a key of its
// own. The operator's words about a peer count more than a server's words about itself.
func (p *presence) clean(list []bus.Server) (good []bus.Server) {
	list = slices.Clone(list)
	sortServers(list)
	byName, byKey := map[string]bool{}, map[seal.Key]bool{}
	for i := range list {
		s := &list[i]
		if why := p.objection(s); why != "" || byName[s.Name] || byKey[s.Key] || len(good) == maxServers {
			if why != "" || !p.settling { // while it settles, the list has many twice
				p.leaveOut(s, why)
			}
			continue
		}
		byName[s.Name], byKey[s.Key] = true, true
		good = append(good, cleaned(*s))
	}
	p.bound(good)
	return good
}

// bound leaves out what the mods of some servers tell, if all servers tell too much. Servers within
// their share keep theirs.
func (p *presence) bound(list []bus.Server) {
	all := 0
	for i := range list {
		all += ownBytes(&list[i])
	}
	if all <= maxOwn {
		return
	}
	for i := range list {
		if s := &list[i]; ownBytes(s) > maxOwn/len(list) {
			s.Own = map[string][]byte{}
			p.leaveOut(s, "only its fleet.own, because the servers tell more than 2 MiB together")
		}
	}
}

// ownBytes returns the size of what the mods of a server tell.
func ownBytes(s *bus.Server) (n int) {
	for mod, b := range s.Own { // any order: it is a sum
		n += len(mod) + len(b)
	}
	return n
}

// objection says why a server cannot be in the list, "" if it can.
func (p *presence) objection(s *bus.Server) string {
	o := &p.service.opts
	switch {
	case !names.Server(s.Name):
		return "its name is none"
	case s.Name == o.Joins.Name || s.Key == o.Own.Public:
		return "it has the name or the key of this server"
	case s.Key.Zero():
		return "it has no key"
	case !validAddress(s.Address) || !plain(s.Address):
		return "its address is not HOST:PORT"
	}
	for _, peer := range o.Peers {
		if peer.Name == s.Name && peer.Key != s.Key {
			return "a peer has the name, and another key"
		}
	}
	return ""
}

// leaveOut warns of a server that is left out, once for its name.
func (p *presence) leaveOut(s *bus.Server, why string) {
	if name := console.Clean(cut(s.Name)); !p.warned[name] && len(p.warned) < maxServers {
		p.warned[name] = true
		if why == "" {
			why = "another server has its name or its key, or the fleet has too many"
		}
		p.service.core.Log.Warn("a server of the fleet is left out: "+why, "name", name)
	}
}

// cleaned returns a server whose texts and numbers are within limits.
func cleaned(s bus.Server) bus.Server {
	s.Title, s.Mission = cut(console.Clean(s.Title)), cut(console.Clean(s.Mission))
	if !plain(s.Web) {
		s.Web = ""
	}
	if !plain(s.Metrics) {
		s.Metrics = ""
	}
	s.Players, s.Bots, s.Max = count(s.Players), count(s.Bots), count(s.Max)
	s.Mods = slices.DeleteFunc(slices.Clone(s.Mods), func(m string) bool { return !names.Short(m) })
	s.Mods = s.Mods[:min(len(s.Mods), maxMods)]
	own := map[string][]byte{}
	for _, mod := range slices.Sorted(maps.Keys(s.Own)) {
		if b := s.Own[mod]; names.Short(mod) && len(b) <= bus.MaxOwn && len(own) < maxMods {
			own[mod] = b
		}
	}
	s.Own = own
	return s
}

// plain reports whether a text is short, and has only visible characters of ASCII.
func plain(s string) bool {
	return len(s) <= maxText && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// cut returns the first part of a long text.
func cut(s string) string { return cutTo(s, maxText) }

// cutTo returns at most so many bytes of a text.
func cutTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}

func count(n int) int { return min(max(n, 0), maxCount) }

func sortServers(list []bus.Server) {
	order.StableBy(list, func(a, b bus.Server) int { return strings.Compare(a.Name, b.Name) })
}
