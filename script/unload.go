package script

import (
	"slices"
	"sort"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
)

// leave unloads the halves of mods that were loaded for a server this client
// has left: the next server may run others, or other versions. What the client
// loaded by itself stays.
func (s *Scripts) leave() {
	if !s.left {
		return
	}
	for _, m := range s.visiting {
		s.Remove(m)
	}
	for _, m := range s.Mods {
		clear(extOf(m).members) // of classes that were the server's
	}
	s.visiting, s.left = nil, false
	s.forgetAbsent()
}

// forgetAbsent takes back what mods have left behind that are not loaded (any
// more): one that failed halfway, or was unloaded.
func (s *Scripts) forgetAbsent() {
	absent := func(m *Mod) bool { return !slices.Contains(s.Mods, m) }
	for _, m := range s.alive {
		if absent(m) {
			extOf(m).gone = true
			s.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Name})
		}
	}
	s.alive = slices.DeleteFunc(s.alive, absent)
	s.overrides = slices.DeleteFunc(s.overrides, func(o override) bool { return absent(o.mod) })
	s.changes++
	var names []string
	for name, m := range s.registered {
		if absent(m) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		s.console.Unregister(name)
		delete(s.registered, name)
		delete(s.chat, strings.ToLower(name))
	}
}
