package engine

import "github.com/torc-engine/torc/engine/sim"

// moved hears that an object is of another class: its ghosts are of the old one,
// so each peer loses them, and gets new ones when it has the description. The
// object has another number from here on, under the same rules of scope.
func (h *Host) moved(was, is sim.Object) {
	if was != is {
		h.replaced(was, is)
	}
	h.images.renumber(is)
}

// replaced puts an object wherever another was that had its id. What drives or
// is driven by it finds it by that with the next moves.
func (h *Host) replaced(was, is sim.Object) {
	if n := is.Ident().Number(); n != 0 {
		h.images.objects[n].object, h.scope.sources[n].object = is, is
	}
	for _, c := range h.conns {
		if k := &c.sight.camera; k.object == was {
			k.object, _ = is.(sim.Placed)
		}
		if k := &c.control; sim.Object(k.object) == was {
			k.object, k.differs, c.sight.camera.control = nil, false, nil
			if driven, ok := is.(sim.Controlled); ok {
				k.object, c.sight.camera.control = driven, is
			}
		}
	}
}

// undone lets go of an object that is taken back as if it had not been made.
func (h *Host) undone(o sim.Object) {
	h.schedule.CancelOwner(sim.Owner{Object: o.Ident().ID()})
	h.scripts.Undone(o)
	h.images.remove(o)
	if c, ok := o.(*Connection); ok { // a bot, of which nobody has heard yet
		c.ended = true
		h.forget(c)
	}
}
