package engine

import "github.com/torc-engine/torc/engine/sim"

// An object that an event names crosses the connection as the id of its ghost.
// Whose ghost that is the event says: one of the sender's objects, which its
// receiver has as a ghost, or one of the receiver's, which its sender has. The
// id is written whenever the event is packed and read when it comes, so it means
// the same on both sides. Of an event in pieces it has more to it, for it is
// written long before (netcore.Ghosts.NameOf).

// ownRefs is a connection as the translator of the sender's objects: in an
// event that leaves they are objects of this side, by their ids here; in one
// that comes they are ghosts, by their tokens.
type ownRefs Connection

// ToWire is what the peer's ghost of an object is called, 0 if it has none.
func (r *ownRefs) ToWire(obj uint32) uint32 {
	o := r.host.world.Find(sim.ID(obj))
	if o == nil || o.Ident().Number() == 0 {
		return 0
	}
	return r.ghosts.NameOf(o.Ident().Number())
}

// FromWire is the token of the ghost that is called so.
func (r *ownRefs) FromWire(name uint32) uint32 { return r.ghosts.Named(name) }

// peerRefs is a connection as the translator of the receiver's objects: in an
// event that leaves they are ghosts, by their ids here; in one that comes they
// are objects of this side.
type peerRefs Connection

// ToWire is what a ghost of the peer's is called, 0 for what is none any more.
func (r *peerRefs) ToWire(obj uint32) uint32 { return r.ghosts.TheirName(r.tokens[sim.ID(obj)]) }

// FromWire is the object of this side whose ghost is called so.
func (r *peerRefs) FromWire(name uint32) uint32 {
	if o := r.host.ObjectOf(r.ghosts.Holder(name)); o != nil {
		return uint32(o.Ident().ID())
	}
	return 0
}
