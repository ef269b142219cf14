package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// leave unloads the mods that were loaded for a server after this client has left it. The next
// server may run other mods or versions. Mods that the client loaded itself stay.
func (s *Scripts) leave() {
	if !s.left {
		return
	}
	for _, m := range s.visiting {
		s.Remove(m)
	}
	s.visiting, s.left = nil, false
	s.forgetAbsent()
	s.enlist()
}

// forgetAbsent removes everything that unloaded mods have left behind. These mods failed to load,
// were unloaded or were replaced.
func (s *Scripts) forgetAbsent() {
	absent := func(m *Mod) bool { return !slices.Contains(s.Mods, m) }
	for _, m := range s.alive {
		if absent(m) {
			s.retire(m)
		}
	}
	s.alive = slices.DeleteFunc(s.alive, absent)
	s.overrides = slices.DeleteFunc(s.overrides, func(o override) bool { return absent(o.mod) })
	for _, name := range slices.Sorted(maps.Keys(s.registered)) {
		if absent(s.registered[name]) {
			s.console.Unregister(name)
			delete(s.registered, name)
		}
	}
	maps.DeleteFunc(s.chat, func(_ string, c chatCommand) bool { return absent(c.mod) })
	maps.DeleteFunc(s.steering, func(_ sim.ID, name string) bool { return s.Mod(name) == nil })
	s.recount()
}

// retire ends an instance, so that none of its code runs any more.
func (s *Scripts) retire(m *Mod) {
	extOf(m).gone = true
	s.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Owner()})
}

// recount rebuilds the set of callback names. It also clears the caches that refer to mods, classes
// and datablocks, because some of them may be gone.
func (s *Scripts) recount() {
	clear(s.defined)
	for _, m := range s.Mods {
		extOf(m).forgetMembers()
		for _, call := range extOf(m).imports {
			call.chain = nil
		}
		for _, functions := range extOf(m).callbacks {
			for name := range functions {
				s.defined[strings.ToLower(name)] = true
			}
		}
	}
	for _, o := range s.overrides {
		s.defined[strings.ToLower(o.name)] = true
	}
	clear(s.asked)
	s.forgetChains()
	s.forgetScratch()
	s.changes++
}

// forgetScratch clears reused slices and thread pools, because they would keep unloaded instances
// and their states alive.
func (s *Scripts) forgetScratch() {
	if s.Depth() > 0 {
		return
	}
	s.Host.ForgetScratch()
}

// namesOf returns the console names of a mod, sorted.
func (s *Scripts) namesOf(m *Mod) []string {
	var list []string
	for name, by := range s.registered {
		if by == m {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// A maker records the mod that made an object. file is true if the mod's files made it while
// loading; the object is then deleted with them.
type maker struct {
	mod  string
	file bool
}

// makes records the mod that made an object.
func (s *Scripts) makes(m *Mod, id sim.ID) {
	s.made[id] = maker{m.Name, m.Loading}
	s.objects[m.Name]++
}

// unmake drops the record of a deleted object.
func (s *Scripts) unmake(id sim.ID) {
	by, known := s.made[id]
	if !known {
		return
	}
	delete(s.made, id)
	if s.objects[by.mod]--; s.objects[by.mod] == 0 {
		delete(s.objects, by.mod)
	}
}

// fileMade returns the objects that the files of mods have made, in order of their ids.
func (s *Scripts) fileMade(mods map[string]*Mod) []sim.ID {
	var ids []sim.ID
	for id, by := range s.made {
		if by.file && mods[by.mod] != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// deleteAll deletes objects by id and skips those that no longer exist.
func (s *Scripts) deleteAll(ids []sim.ID) {
	w := s.engine.World()
	for _, id := range ids {
		switch o := w.Find(id).(type) {
		case nil:
		case *engine.Connection:
			o.Disconnect("its mod was unloaded")
		default:
			if err := w.Delete(o); err != nil {
				s.warn(err.Error())
			}
		}
	}
}
