package ghost

import "github.com/torc-engine/torc/netcore"

// An event refers to a ghost by a name. The low bits are the ghost's id + 1, and the bits above are
// its birth. The birth tells the ghost from earlier and later ghosts with the same id. It derives
// from the packet in which the first create of the ghost arrived, so both ends know it.
//
// An event that fits into one packet needs no births. An event in several pieces can be read long
// after it was written.
const birthCount = 1<<15 - 1 // births wrap around after this number; 0 means that the name has no birth

// birth returns the birth of a ghost from the low bits of the number of its create packet.
func birth(seq uint32) uint16 { return uint16(seq%birthCount) + 1 }

// splitName splits a name. id is -1 if the name is 0. born is 0 if the name has no birth.
func splitName(name uint32) (id int, born uint16) {
	return int(name&netcore.NameMask) - 1, uint16(name >> netcore.NameBits)
}

func joinName(id int, born uint16) uint32 { return uint32(id+1) | uint32(born)<<netcore.NameBits }

// NameOf returns the name of an object's ghost for events to the peer. It returns 0 if the ghost is
// not Live.
func (g *Stream) NameOf(obj uint32) uint32 {
	id := g.liveID(obj)
	if id < 0 {
		return 0
	}
	return joinName(id, g.table.birth[id])
}

// TokenOf returns the token of the ghost with a name from the peer's NameOf. It returns 0 if the
// ghost is gone.
func (g *Stream) TokenOf(name uint32) (token uint32) {
	id, born := splitName(name)
	if id < 0 {
		return 0
	}
	o := g.received(uint32(id))
	if o == nil || born != 0 && born != birth(o.birth) {
		return 0
	}
	return o.token(uint32(id))
}

// PeerNameOf returns the name of the peer's ghost with a token, for events to the peer. It returns
// 0 from the moment the kill of the ghost is received, even if Next has not returned the kill yet.
// The peer learns of the delivery and can then give the id to another ghost.
func (g *Stream) PeerNameOf(token uint32) uint32 {
	id := token & (idCount - 1)
	o := g.received(id)
	if o == nil || o.token(id) != token {
		return 0
	}
	return joinName(int(id), birth(o.birth))
}

// ObjectOf returns the object of the ghost with a name from the peer's PeerNameOf. The name must
// come from an event of the packet that is being read. ObjectOf returns 0 if the object has left
// the scope. It also returns 0 if the peer did not have the current ghost when it wrote the packet:
// the name then means a previous ghost with the same id.
func (g *Stream) ObjectOf(name uint32) (obj uint32) {
	g.ApplyFates()
	id, born := splitName(name)
	t := &g.table
	switch {
	case id < 0 || id >= t.rows() || t.state[id] != Live:
		return 0
	case born != 0 && born != t.birth[id]:
		return 0
	case born == 0 && g.peerAck != nil && t.bornAfter(id, g.peerAck()):
		return 0 // the ack of the create arrived before this older packet
	}
	return t.obj[id]
}
