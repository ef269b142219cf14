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
		if c.bot {
			continue
		}
		if c.transfer.begun {
			c.describeClasses()
		}
		c.gate.step()
	}
	h.scope.step()
	for _, c := range h.conns {
		if c.bot {
			continue
		}
		c.stepAlways()
		c.watchSize()
		if c.sends() {
			c.tellControl()
			c.withhold()
		}
	}
}

// watchSize tells the operator, once for a connection, of an object that no
// packet can carry: what its class has coded by hand is too much.
func (c *Connection) watchSize() {
	if o := c.host.ObjectOf(c.ghosts.Oversize()); o != nil && !c.oversize {
		c.oversize = true
		c.complain("an object is too large for a packet, the player does not get it", "object", o.Ident().String())
	}
}
