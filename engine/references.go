package engine

import "github.com/torc-engine/torc/engine/sim"

// An event refers to an object by the id of its ghost. The event field says whose object it is: the
// sender's (the receiver has the ghost) or the receiver's (the sender has the ghost). The id is
// written when the event is packed and read when it arrives, so it means the same on both sides. A
// fragmented event is written long before it is sent, so its ids carry extra bits
// (ghost.Stream.NameOf).

// references translate the references to objects on a connection, in three ways. The methods are
// those of the types below, which have the same memory.
type references struct{ conn *Connection }

func (r *references) own() *ownRefs         { return (*ownRefs)(r) }
func (r *references) peer() *peerRefs       { return (*peerRefs)(r) }
func (r *references) control() *controlRefs { return (*controlRefs)(r) }

// ownRefs translates references to the sender's objects. In outgoing events they are object ids of
// this side. In incoming events they are tokens of ghosts.
type ownRefs references

// ToWire returns the name of the object's ghost at the peer, or 0 if it has none.
func (r *ownRefs) ToWire(obj uint32) uint32 {
	o := r.conn.host.world.Find(sim.ID(obj))
	if o == nil || o.Ident().Number() == 0 {
		return 0
	}
	return r.conn.ghosts.NameOf(o.Ident().Number())
}

// FromWire returns the token of the ghost with this name.
func (r *ownRefs) FromWire(name uint32) uint32 { return r.conn.ghosts.TokenOf(name) }

// peerRefs translates references to the receiver's objects. In outgoing events they are ghosts on
// this side, by object id. In incoming events they are objects of this side.
type peerRefs references

// ToWire returns the name of a ghost of the peer, or 0 if it is gone.
func (r *peerRefs) ToWire(obj uint32) uint32 {
	return r.conn.ghosts.PeerNameOf(r.conn.PeerGhosts.tokens[sim.ID(obj)])
}

// FromWire returns the id of the object with this ghost name.
func (r *peerRefs) FromWire(name uint32) uint32 {
	if o := r.conn.host.ObjectOf(r.conn.ghosts.ObjectOf(name)); o != nil {
		return uint32(o.Ident().ID())
	}
	return 0
}
