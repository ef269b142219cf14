package engine

import "github.com/torc-engine/torc/engine/sim"

// An object that an event names crosses the connection as the id of its ghost.
// Whose ghost that is the event says: one of the sender's objects, which its
// receiver has as a ghost, or one of the receiver's, which its sender has. The
// id is written whenever the event is packed and read when it comes, so it means
// the same on both sides.

// ownRefs is a connection as the translator of the sender's objects: in an
// event that leaves they are objects of this side, by their ids here; in one
// that comes they are ghosts, by their tokens.
type ownRefs Connection

// ToWire is a ghost id + 1, 0 for an object of which the peer has no ghost.
func (r *ownRefs) ToWire(obj uint32) uint32 {
	o := r.host.world.Find(sim.ID(obj))
	if o == nil || o.Ident().Number() == 0 {
		return 0
	}
	return r.ghosts.ToWire(o.Ident().Number())
}

// FromWire is the token of the ghost that has the id now.
func (r *ownRefs) FromWire(id uint32) uint32 { return r.ghosts.FromWire(id) }

// peerRefs is a connection as the translator of the receiver's objects: in an
// event that leaves they are ghosts, by their ids here; in one that comes they
// are objects of this side.
type peerRefs Connection

// ToWire is a ghost id + 1, 0 for what is no ghost of the peer's any more. That
// may have come already and wait for its turn: then the peer knows that it has
// come, and may have given the id to another.
func (r *peerRefs) ToWire(obj uint32) uint32 {
	token, ok := r.tokens[sim.ID(obj)]
	wire := uint32(uint16(token)) + 1
	if !ok || r.ghosts.FromWire(wire) != token {
		return 0
	}
	return wire
}

// FromWire is the object of this side whose ghost at the peer has the id.
func (r *peerRefs) FromWire(id uint32) uint32 {
	if o := r.host.ObjectOf(r.ghosts.Holder(id)); o != nil {
		return uint32(o.Ident().ID())
	}
	return 0
}
