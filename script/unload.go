package script

import (
	"maps"
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// unloadServerMods unloads the mods that were loaded for a server after this client has left it. The next
// server may run other mods or versions. Mods that the client loaded itself stay.
func (s *Scripts) unloadServerMods() {
	if !s.leftServer {
		return
	}
	for _, m := range s.serverMods {
		s.Runtime.Remove(m)
	}
	s.serverMods, s.leftServer = nil, false
	s.purgeUnloaded()
	s.updateRoster()
}

// purgeUnloaded removes everything that unloaded mods have left behind. These mods failed to load,
// were unloaded or were replaced.
func (s *Scripts) purgeUnloaded() {
	absent := func(m *vm.Mod) bool { return !slices.Contains(s.Runtime.Mods, m) }
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
	maps.DeleteFunc(s.steeredBy, func(_ sim.ID, name string) bool { return s.Runtime.Mod(name) == nil })
	s.rebuildCallbacks()
}

// retire ends an instance, so that none of its code runs any more.
func (s *Scripts) retire(m *vm.Mod) {
	instanceOf(m).disabled = true
	s.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Owner()})
	s.sockets.Retire(m)
}

// rebuildCallbacks rebuilds the set of callback names. It also clears the caches that refer to mods, classes
// and datablocks, because some of them may be gone.
func (s *Scripts) rebuildCallbacks() {
	clear(s.defined)
	for _, m := range s.Runtime.Mods {
		bind.Of(m).ForgetMembers()
		for _, call := range instanceOf(m).imports {
			call.chain = nil
		}
		for _, functions := range instanceOf(m).callbacks {
			for name := range functions {
				s.defined[strings.ToLower(name)] = true
			}
		}
	}
	for _, o := range s.overrides {
		s.defined[strings.ToLower(o.name)] = true
	}
	clear(s.definedCache)
	s.forgetChains()
	s.forgetScratch()
	s.Runtime.Changes++
}

// forgetScratch clears reused slices and thread pools, because they would keep unloaded instances
// and their states alive.
func (s *Scripts) forgetScratch() {
	if s.Runtime.Depth() > 0 {
		return
	}
	s.Runtime.ForgetScratch()
}

// consoleNames returns the console names of a mod, sorted.
func (s *Scripts) consoleNames(m *vm.Mod) []string {
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

// recordMaker records the mod that made an object.
func (s *Scripts) recordMaker(m *vm.Mod, id sim.ID) {
	s.makers[id] = maker{m.Name, m.Loading}
	s.objects[m.Name]++
}

// dropMaker drops the record of a deleted object.
func (s *Scripts) dropMaker(id sim.ID) {
	by, known := s.makers[id]
	if !known {
		return
	}
	delete(s.makers, id)
	if s.objects[by.mod]--; s.objects[by.mod] == 0 {
		delete(s.objects, by.mod)
	}
}

// fileObjects returns the objects that the files of mods have made, in order of their ids.
func (s *Scripts) fileObjects(mods map[string]*vm.Mod) []sim.ID {
	var ids []sim.ID
	for id, by := range s.makers {
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
