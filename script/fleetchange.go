package script

import (
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// fleetChangeEvent is the global function of a mod that hears of other servers.
const fleetChangeEvent = "onFleetChange"

// maxFleetChanges is how many changes of other servers a mod hears of in a tick.
const maxFleetChanges = 16

// fleetNews are the changes of other servers that a mod has not heard of: one for each server.
type fleetNews struct {
	names []string // of the servers, oldest first
	by    map[string]serverChange
}

// A serverChange is a server and what has happened to it, as far as a mod has not heard of it.
type serverChange struct {
	FleetServer
	how FleetChange
}

// FleetChanged lets every mod hear of a change of another server, from the next BeginTick on.
func (s *Scripts) FleetChanged(server FleetServer, how FleetChange) {
	for _, m := range s.Runtime.Mods {
		if _, hears := m.Global(fleetChangeEvent).(*lua.LFunction); !hears {
			continue
		}
		n := s.fleetNews[m.Name]
		if n == nil {
			n = &fleetNews{by: map[string]serverChange{}}
			s.fleetNews[m.Name] = n
		}
		n.add(serverChange{server, how})
	}
}

// add adds a change. It stands for an earlier one of the same server.
func (n *fleetNews) add(c serverChange) {
	before, waits := n.by[c.Name]
	switch {
	case !waits:
		n.names = append(n.names, c.Name)
	case before.how == Joined && c.how == Left:
		delete(n.by, c.Name)
		n.names = slices.DeleteFunc(n.names, func(name string) bool { return name == c.Name })
		return
	case before.how == Joined:
		c.how = Joined
	case before.how == Left:
		c.how = Changed
	}
	n.by[c.Name] = c
}

// next takes the oldest change.
func (n *fleetNews) next() serverChange {
	c := n.by[n.names[0]]
	delete(n.by, c.Name)
	n.names = n.names[1:]
	return c
}

// tellFleetNews calls onFleetChange of the mods, of each as often as it may in a tick. A mod that
// is suspended misses them.
func (s *hooks) tellFleetNews() {
	if len(s.fleetNews) == 0 {
		return
	}
	for _, m := range slices.Clone(s.Runtime.Mods) {
		n := s.fleetNews[m.Name]
		for told := 0; n != nil && told < maxFleetChanges && len(n.names) > 0 && !s.Runtime.BusyFor(m); told++ {
			s.tellFleetChange(m, n.next())
		}
	}
	for mod, n := range s.fleetNews { // any order: all that have nothing go
		if len(n.names) == 0 || s.Runtime.Mod(mod) == nil {
			delete(s.fleetNews, mod)
		}
	}
}

func (s *hooks) tellFleetChange(m *vm.Mod, c serverChange) {
	joined := lua.LValue(lua.LNil)
	if c.how != Changed {
		joined = lua.LBool(c.how == Joined)
	}
	if fn, ok := m.Global(fleetChangeEvent).(*lua.LFunction); ok && m.Receives(fleetChangeEvent) {
		s.dispatch.call(m, fleetChangeEvent, fn, instanceOf(m).fleetServer(&c.FleetServer), joined)
	}
}
