package script

import (
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// The objectRoster knows which mod made an object, and which mod steers a bot.
type objectRoster struct {
	world     *sim.World
	warn      func(text string)
	makers    map[sim.ID]maker  // mod that made an object
	counts    map[string]int    // number of living objects, by the name of the mod that made them
	steeredBy map[sim.ID]string // the mod that last steered a bot or the client
}

func newObjectRoster(world *sim.World, warn func(string)) *objectRoster {
	return &objectRoster{world: world, warn: warn, makers: map[sim.ID]maker{}, counts: map[string]int{}, steeredBy: map[sim.ID]string{}}
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

// leaving returns the living objects with these ids. Bots are clients: they stay until they have
// left the game.
func (r *objectRoster) leaving(ids []sim.ID) (all []sim.Object) {
	for _, id := range ids {
		if o := r.world.Find(id); o != nil {
			if _, bot := o.(*engine.Connection); !bot {
				all = append(all, o)
			}
		}
	}
	return all
}

// deleteAll deletes objects by id and skips those that no longer exist.
func (r *objectRoster) deleteAll(ids []sim.ID) {
	w := r.world
	for _, id := range ids {
		switch o := w.Find(id).(type) {
		case nil:
		case *engine.Connection:
			o.Disconnect("its mod was unloaded")
		default:
			if err := w.Delete(o); err != nil {
				r.warn(err.Error())
			}
		}
	}
}
