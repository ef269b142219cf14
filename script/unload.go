package script

import (
	"slices"
	"sort"

	"github.com/torc-engine/torc/engine/sim"
)

// leave unloads the halves of mods that were loaded for a server this client
// has left: the next server may run others, or other versions. What the client
// loaded by itself stays.
func (s *Scripts) leave() {
	for _, m := range s.visiting {
		s.Remove(m)
	}
	s.visiting = nil
	s.forgetAbsent()
}

// forgetAbsent takes back what mods have registered that are not loaded (any
// more): one that failed halfway, or was left behind with its server.
func (s *Scripts) forgetAbsent() {
	absent := func(m *Mod) bool { return !slices.Contains(s.Mods, m) }
	s.overrides = slices.DeleteFunc(s.overrides, func(o override) bool { return absent(o.mod) })
	for m := range s.known {
		if absent(m) {
			extOf(m).gone = true
			s.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Name})
			delete(s.known, m)
		}
	}
	var names []string
	for name, m := range s.commandOf {
		if absent(m) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		m := s.commandOf[name]
		extOf(m).gone = true
		s.console.Unregister(name)
		delete(s.commandOf, name)
		delete(s.chat, name)
		s.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Name})
	}
}
