package netcore

// Holder returns the object whose ghost the peer means by a wire id, which is a
// ghost id + 1: the way back from the peer's FromWire. It is 0 for an id of
// which the peer is not known to have the ghost, or whose object has left the
// scope. A peer that names a ghost has said with the same packet that it has
// it: so what it means is never somebody who has got the id since.
func (g *Ghosts) Holder(wire uint32) (obj uint32) {
	id := int(wire) - 1
	if id < 0 || id >= g.table.rows() || g.table.state[id] != GhostLive {
		return 0
	}
	return g.table.obj[id]
}
