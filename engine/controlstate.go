package engine

import (
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/move"
)

// encode encodes the control state of an object for this connection. It has n bits and is
// valid until the next call.
func (r *controlRefs) encode(o sim.Controllable) (state []byte, n int) {
	h := r.conn.host
	h.writer.Reset(h.control[:])
	o.CodeControl(sim.Coder{Codec: &h.writer.Codec, View: r})
	if h.writer.Err() != nil || h.writer.Pos() > move.MaxControlState {
		r.conn.logPeer("control state too large to send", "object", o.Ident().String())
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

// decode reads a control state into an object.
func (r *controlRefs) decode(o sim.Controllable, state []byte, n int) error {
	h := r.conn.host
	in := &h.reader
	in.Reset(state)
	h.unresolved = false
	o.CodeControl(sim.Coder{Codec: &in.Codec, View: r})
	switch {
	case in.Err() != nil && h.unresolved:
		return errUnresolved
	case in.Err() != nil:
		return in.Err()
	case in.Pos() != n:
		return fmt.Errorf("it has %d bits, but %d were read", n, in.Pos())
	}
	return nil
}

// controlRefs translates object references in control state. It uses the names of ghosts in events.
// A name is the same on both sides.
type controlRefs references

// ToWire returns the name of an object's ghost. The object can be a ghost of the peer's object, or
// have a ghost at the peer. It returns 0 if no name is known.
func (r *controlRefs) ToWire(obj uint32) uint32 {
	c := r.conn
	if token, theirs := c.PeerGhosts.tokens[sim.ID(obj)]; theirs {
		return c.ghosts.PeerNameOf(token)
	}
	return (*ownRefs)(r).ToWire(obj)
}

// FromWire returns the ghost with this name.
func (r *controlRefs) FromWire(name uint32) uint32 {
	c := r.conn
	id := c.PeerGhosts.idOf(c.ghosts.TokenOf(name))
	if id == 0 {
		c.host.unresolved = true
	}
	return uint32(id)
}
