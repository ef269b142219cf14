package ghost

import "github.com/torc-engine/torc/netcore"

// What an event calls a ghost: its id + 1, and above that its birth, which tells
// it from those that had or will have the id. Both ends know the birth of a
// ghost, it is the packet in which the first of its creates arrived.
//
// An event that is read in the packet in which it was written needs no births.
// One that travels in pieces was written long before it is read.
const births = 1<<15 - 1 // they go round; 0 is none that is told

// birth is what a name tells of the packet with which a ghost began, of whose
// number those are the low bits.
func birth(seq uint32) uint16 { return uint16(seq%births) + 1 }

// splitName takes a name apart: id is -1 if it names nobody, born 0 if the name
// has no birth.
func splitName(name uint32) (id int, born uint16) {
	return int(name&netcore.NameMask) - 1, uint16(name >> netcore.NameBits)
}

func joinName(id int, born uint16) uint32 { return uint32(id+1) | uint32(born)<<netcore.NameBits }

// NameOf returns what the ghost of an object is called in events to the peer; 0 if
// the object is not Live.
func (g *Stream) NameOf(obj uint32) uint32 {
	id := g.table.find(obj)
	if id < 0 || g.table.state[id] != Live {
		return 0
	}
	return joinName(id, birth(g.table.birth[id]))
}

// Named returns the token of the ghost that the peer means by a NameOf, 0 if it
// is gone.
func (g *Stream) Named(name uint32) (token uint32) {
	id, born := splitName(name)
	if id < 0 {
		return 0
	}
	o := g.recv.ghosts.find(uint32(id))
	if o == nil || born != 0 && born != birth(o.birth) {
		return 0
	}
	return o.token(uint32(id))
}

// TheirName returns what the peer's ghost with a token is called in events to
// the peer. It is 0 as soon as the news has come that the ghost is gone, though
// it may not have been taken yet: the peer knows that it has come, and may have
// given the id to another.
func (g *Stream) TheirName(token uint32) uint32 {
	id := token & (idCount - 1)
	o := g.recv.ghosts.find(id)
	if o == nil || o.token(id) != token {
		return 0
	}
	return joinName(int(id), birth(o.birth))
}

// Holder returns the object whose ghost the peer means by TheirName, in an event
// of the packet that is being read. It is 0 if the object has left the scope, or
// the peer did not have that ghost when it wrote the packet: then it meant who
// had the id before.
func (g *Stream) Holder(name uint32) (obj uint32) {
	id, born := splitName(name)
	t := &g.table
	switch {
	case id < 0 || id >= t.rows() || t.state[id] != Live:
		return 0
	case born != 0 && born != birth(t.birth[id]):
		return 0
	case born == 0 && g.peerAck != nil && int32(t.birth[id]-uint32(g.peerAck())) > 0:
		return 0 // its ack has overtaken the packet
	}
	return t.obj[id]
}
