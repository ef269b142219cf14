package engine

import (
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/move"
)

// controlState encodes the control state of an object for this connection. It has n bits and is
// valid until the next call.
func (c *Connection) controlState(o sim.Controllable) (state []byte, n int) {
	h := c.host
	h.writer.Reset(h.control[:])
	o.CodeControl(sim.Coder{Codec: &h.writer.Codec, View: (*controlRefs)(c)})
	if h.writer.Err() != nil || h.writer.Pos() > move.MaxControlState {
		c.logPeer("control state too large to send", "object", o.Ident().String())
		return nil, 0
	}
	return h.writer.Bytes(), h.writer.Pos()
}

// stateHash returns the hash of a control state, for comparison between the two sides.
func stateHash(state []byte, n int) uint32 {
	return crc32.ChecksumIEEE(state) ^ uint32(n)<<16
}

// checksum returns the part of the hash sent with a move. It is never 0.
func checksum(state []byte, n int) uint16 { return max(1, uint16(stateHash(state, n))) }

// errUnresolved means that a control state refers to a ghost that is missing on this side. Another
// state will follow.
var errUnresolved = errors.New("it refers to a deleted object")

// readState reads a control state into an object.
func (c *Connection) readState(o sim.Controllable, state []byte, n int) error {
	r := &c.host.reader
	r.Reset(state)
	c.host.unresolved = false
	o.CodeControl(sim.Coder{Codec: &r.Codec, View: (*controlRefs)(c)})
	switch {
	case r.Err() != nil && c.host.unresolved:
		return errUnresolved
	case r.Err() != nil:
		return r.Err()
	case r.Pos() != n:
		return fmt.Errorf("it has %d bits, but %d were read", n, r.Pos())
	}
	return nil
}

// controlRefs translates object references in control state. It uses the names of ghosts in events.
// A name is the same on both sides.
type controlRefs Connection

// ToWire returns the name of an object's ghost. The object can be a ghost of the peer's object, or
// have a ghost at the peer. It returns 0 if no name is known.
func (r *controlRefs) ToWire(obj uint32) uint32 {
	if token, theirs := r.tokens[sim.ID(obj)]; theirs {
		return r.ghosts.PeerNameOf(token)
	}
	return (*ownRefs)(r).ToWire(obj)
}

// FromWire returns the ghost with this name.
func (r *controlRefs) FromWire(name uint32) uint32 {
	id := (*Connection)(r).ghostFor(r.ghosts.TokenOf(name))
	if id == 0 {
		r.host.unresolved = true
	}
	return uint32(id)
}
