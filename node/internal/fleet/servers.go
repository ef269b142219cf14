package fleet

import (
	"cmp"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script"
)

// merge makes the list of the other servers from the peers, from presence and from the answers to
// queries, and tells the mods what has changed. While the line to the fleet is down, the answers
// count: presence is old then.
func (s *Service) merge() {
	var list []script.FleetServer
	answers := byName(s.answers)
	for _, t := range s.targets() {
		f, answered := unknown(t), answers[t.Name]
		if answered != nil {
			f = *answered
			f.Address = t.Address
		}
		if p := s.presence.keyed(t.Key); p != nil && (s.up || answered == nil) {
			f = presentServer(t, p, f.Ping)
		} else if p != nil {
			f.Own = p.Own
		}
		list = append(list, f)
	}
	sortPeers(list)
	before := s.known
	s.known = list
	s.compare(before)
}

// targets returns the other servers that this one knows: the peers, then those of the fleet. A peer
// that is in the fleet, too, is there once, as the operator has described it.
func (s *Service) targets() []Peer {
	list := slices.Clone(s.opts.Peers)
	for i := range s.presence.list {
		if p := &s.presence.list[i]; !s.peers[p.Key] {
			list = append(list, Peer{Name: p.Name, Address: p.Address, Key: p.Key})
		}
	}
	return list
}

// byName returns servers by their names.
func byName(list []script.FleetServer) map[string]*script.FleetServer {
	m := make(map[string]*script.FleetServer, len(list))
	for i := range list {
		m[list[i].Name] = &list[i]
	}
	return m
}

// presentServer returns a server that lives, as mods see it.
func presentServer(t Peer, p *bus.Server, ping int) script.FleetServer {
	return script.FleetServer{
		Name: t.Name, Address: t.Address, Title: p.Title, Mission: p.Mission, State: stateOf(p.Draining),
		Players: p.Players, Max: p.Max, Free: max(p.Max-p.Players-p.Bots, 0), Ping: ping, Own: p.Own,
	}
}

// answeredServer returns a server that has answered a query, as mods see it.
func answeredServer(t Peer, f *query.Found) script.FleetServer {
	i := &f.Info
	return script.FleetServer{
		Name: t.Name, Address: t.Address, Title: console.Clean(i.Name), Mission: console.Clean(i.Mission), State: stateOf(i.Draining),
		Players: i.Players, Max: i.MaxPlayers, Free: max(i.MaxPlayers-i.Players-i.Bots, 0), Ping: int(f.RTT.Milliseconds()),
	}
}

// compare tells the mods which servers have come, have gone, or have another state.
func (s *Service) compare(before []script.FleetServer) {
	was, is := byName(before), byName(s.known)
	for i := range before {
		if f := &before[i]; is[f.Name] == nil {
			s.tellMods(*f, script.Left)
		}
	}
	for i := range s.known {
		f := &s.known[i]
		switch old := was[f.Name]; {
		case old == nil:
			s.tellMods(*f, script.Joined)
		case old.State != f.State:
			s.tellMods(*f, script.Changed)
		}
	}
}

// tellMods runs onFleetChange in the next tick.
func (s *Service) tellMods(f script.FleetServer, how script.FleetChange) {
	s.inTick(func() { s.core.Side.Scripts.FleetChanged(f, how) })
}

// sortPeers brings servers into the order in which mods see them: by name, and the silent ones
// last.
func sortPeers(list []script.FleetServer) {
	slices.SortFunc(list, func(a, b script.FleetServer) int {
		return cmp.Or(cmp.Compare(silent(a), silent(b)), cmp.Compare(a.Name, b.Name))
	})
}

// silent is 1 for a server that does not answer.
func silent(s script.FleetServer) int {
	if s.State == stateUnknown {
		return 1
	}
	return 0
}
