package engine

import "github.com/torc-engine/torc/engine/sim"

// reclassed handles an object with a new class. Its ghosts have the old class, so each peer loses
// its ghost and gets a new one when it has the class description. The object gets a new number and
// keeps its scope rules.
func (h *Host) reclassed(was, is sim.Object) {
	if was != is {
		h.replaced(was, is)
	}
	h.snapshots.renumber(is)
}

// replaced puts an object in place of another with the same id. Drivers and driven objects find the
// new object by this id at the next moves.
func (h *Host) replaced(was, is sim.Object) {
	if n := is.Ident().Number(); n != 0 {
		h.snapshots.objects[n].object, h.scope.sources[n].object = is, is
	}
	for _, c := range h.conns {
		if k := &c.Visible.camera; k.object == was {
			k.object, _ = is.(sim.Placer)
		}
		if k := &c.Control; sim.Object(k.object) == was {
			k.object, k.mismatch, c.Visible.camera.control = nil, false, nil
			if driven, ok := is.(sim.Controllable); ok {
				k.object, c.Visible.camera.control = driven, is
			}
		}
	}
}

// rolledBack removes an object that a rollback takes back.
func (h *Host) rolledBack(o sim.Object) {
	h.schedule.CancelOwner(sim.Owner{Object: o.Ident().ID()})
	h.scripts.Undone(o)
	h.snapshots.remove(o)
	if c, ok := o.(*Connection); ok { // a bot that was never announced
		c.ended = true
		h.conns.remove(c)
	}
}
