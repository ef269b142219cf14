package netcore

// Holder returns the object whose ghost the peer means by a wire id, which is a
// ghost id + 1: the way back from the peer's FromWire. It is 0 for an id that
// no ghost has which the peer may have, or whose object has left the scope.
func (g *Ghosts) Holder(wire uint32) (obj uint32) {
	id := int(wire) - 1
	if id < 0 || id >= g.table.rows() {
		return 0
	}
	if s := g.table.state[id]; s != GhostCreating && s != GhostLive {
		return 0
	}
	return g.table.obj[id]
}
