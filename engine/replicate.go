package engine

// replicate is the last step of a tick: what has changed becomes images, and
// every connection learns what its peer may see of it. After that the world
// only rests until the next tick, so that connections may pack at any time, and
// at once.
func (h *Host) replicate() {
	if !h.serves() {
		h.world.ClearMarks()
		return
	}
	h.images.pass(h.tick)
	for _, c := range h.conns {
		if c.transfer.begun {
			c.describeClasses()
		}
		c.gate.step()
	}
	h.scope.step()
	for _, c := range h.conns {
		c.stepAlways()
	}
}
