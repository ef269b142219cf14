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
func (r *modRoster) unloadServerMods() {
	if !r.leftServer {
		return
	}
	for _, m := range r.serverMods {
		r.scripts.Runtime.Remove(m)
	}
	r.serverMods, r.leftServer = nil, false
	r.purge()
	r.update()
}

// purge removes everything that unloaded mods have left behind. These mods failed to load,
// were unloaded or were replaced.
func (r *modRoster) purge() {
	absent := func(m *vm.Mod) bool { return !slices.Contains(r.scripts.Runtime.Mods, m) }
	for _, m := range r.alive {
		if absent(m) {
			r.retire(m)
		}
	}
	r.alive = slices.DeleteFunc(r.alive, absent)
	r.scripts.chains.overrides = slices.DeleteFunc(r.scripts.chains.overrides, func(o override) bool { return absent(o.mod) })
	for _, name := range slices.Sorted(maps.Keys(r.scripts.settings.registered)) {
		if absent(r.scripts.settings.registered[name]) {
			r.scripts.console.Unregister(name)
			delete(r.scripts.settings.registered, name)
		}
	}
	maps.DeleteFunc(r.scripts.chat.commands, func(_ string, c chatCommand) bool { return absent(c.mod) })
	maps.DeleteFunc(r.scripts.objects.steeredBy, func(_ sim.ID, name string) bool { return r.scripts.Runtime.Mod(name) == nil })
	r.scripts.chains.rebuild()
}

// retire ends an instance, so that none of its code runs any more.
func (r *modRoster) retire(m *vm.Mod) {
	instanceOf(m).disabled = true
	r.scripts.engine.Schedule().CancelOwner(sim.Owner{Mod: m.Owner()})
	r.scripts.sockets.Retire(m)
}

// rebuild rebuilds the set of callback names. It also clears the caches that refer to mods, classes
// and datablocks, because some of them may be gone.
func (c *callChains) rebuild() {
	clear(c.defined)
	for _, m := range c.scripts.Runtime.Mods {
		bind.Of(m).ForgetMembers()
		for _, call := range instanceOf(m).imports {
			call.chain = nil
		}
		for _, functions := range instanceOf(m).callbacks {
			for name := range functions {
				c.defined[strings.ToLower(name)] = true
			}
		}
	}
	for _, o := range c.overrides {
		c.defined[strings.ToLower(o.name)] = true
	}
	clear(c.asked)
	c.forget()
	c.scripts.mods.forgetScratch()
	c.scripts.Runtime.Changes++
}

// forgetScratch clears reused slices and thread pools, because they would keep unloaded instances
// and their states alive.
func (r *modRoster) forgetScratch() {
	if r.scripts.Runtime.Depth() > 0 {
		return
	}
	r.scripts.Runtime.ForgetScratch()
}

// namesOf returns the console names of a mod, sorted.
func (t *modSettings) namesOf(m *vm.Mod) []string {
	var list []string
	for name, by := range t.registered {
		if by == m {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// The objectRoster knows which mod made an object, and which mod steers a bot.
type objectRoster struct {
	scripts   *Scripts
	makers    map[sim.ID]maker  // mod that made an object
	counts    map[string]int    // number of living objects, by the name of the mod that made them
	steeredBy map[sim.ID]string // the mod that last steered a bot or the client
}

func newObjectRoster(s *Scripts) *objectRoster {
	return &objectRoster{scripts: s, makers: map[sim.ID]maker{}, counts: map[string]int{}, steeredBy: map[sim.ID]string{}}
}

// A maker records the mod that made an object. file is true if the mod's files made it while
// loading; the object is then deleted with them.
type maker struct {
	mod  string
	file bool
}

// record records the mod that made an object.
func (r *objectRoster) record(m *vm.Mod, id sim.ID) {
	r.makers[id] = maker{m.Name, m.Loading}
	r.counts[m.Name]++
}

// drop drops the record of a deleted object.
func (r *objectRoster) drop(id sim.ID) {
	by, known := r.makers[id]
	if !known {
		return
	}
	delete(r.makers, id)
	if r.counts[by.mod]--; r.counts[by.mod] == 0 {
		delete(r.counts, by.mod)
	}
}

// madeByFiles returns the objects that the files of mods have made, in order of their ids.
func (r *objectRoster) madeByFiles(mods map[string]*vm.Mod) []sim.ID {
	var ids []sim.ID
	for id, by := range r.makers {
		if by.file && mods[by.mod] != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// deleteAll deletes objects by id and skips those that no longer exist.
func (r *objectRoster) deleteAll(ids []sim.ID) {
	w := r.scripts.engine.World()
	for _, id := range ids {
		switch o := w.Find(id).(type) {
		case nil:
		case *engine.Connection:
			o.Disconnect("its mod was unloaded")
		default:
			if err := w.Delete(o); err != nil {
				r.scripts.warn(err.Error())
			}
		}
	}
}
