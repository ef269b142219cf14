package engine

// replicate is the last step of a tick. It takes snapshots of the changed objects and updates every
// connection's scope. After that the world does not change until the next tick, so connections can
// build packets at any time, and in parallel.
func (h *Host) replicate() {
	if !h.serves() {
		h.Demos.recordGhosts()
		h.world.ClearMarks()
		return
	}
	h.Demos.start()
	for _, r := range h.Demos.recorders {
		r.BeginTick(h.tick)
	}
	h.snapshots.takeAll(h.tick)
	h.Rules.showFields()
	h.Demos.recordTick()
	for _, c := range h.conns {
		if c.bot {
			continue
		}
		if c.Blocks.begun {
			c.Blocks.describeClasses()
		}
		c.Ghosting.gate.step()
	}
	h.scope.step()
	for _, c := range h.conns {
		if c.bot {
			continue
		}
		c.Ghosting.stepAlways()
		c.Ghosting.watchSize()
		if c.sends() {
			c.Control.tell()
			c.Control.withhold()
		}
	}
}
