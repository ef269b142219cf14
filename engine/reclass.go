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
	for _, c := range h.conns {
		if c.control.chain.has(is) {
			c.control.force = true // the peer controls the new ghost, and must be told so
		}
	}
}

// replaced puts an object wherever another was that had its id.
func (h *Host) replaced(was, is sim.Object) {
	if n := is.Ident().Number(); n != 0 {
		h.images.objects[n].object, h.scope.sources[n].object = is, is
	}
	is.Ident().SetController(0)
	for _, c := range h.conns {
		if k := &c.sight.camera; k.object == was {
			k.object, _ = is.(sim.Placed)
		}
		c.controlReplaced(was, is)
	}
}

// controlReplaced goes on with what the peer controls, or drives by that, in
// another object, or ends it if moves do not drive one of that class.
func (c *Connection) controlReplaced(was, is sim.Object) {
	k := &c.control
	if !k.chain.has(was) {
		return
	}
	if sim.Object(k.object) == was {
		k.object, _ = is.(sim.Controlled)
		c.sight.camera.control = nil
		if k.object != nil {
			c.sight.camera.control = is
		}
	}
	k.chain.follow(k.object, c.ID(), c.lag())
	k.force, k.differs = true, false
}

// undone lets go of an object that is taken back as if it had not been made.
func (h *Host) undone(o sim.Object) {
	h.schedule.CancelOwner(sim.Owner{Object: o.Ident().ID()})
	h.scripts.Undone(o)
	h.images.remove(o)
	if c, ok := o.(*Connection); ok {
		c.Disconnect("its object was taken back")
	}
}
