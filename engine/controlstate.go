package engine

import (
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// controlState is the control state of an object as it travels over this
// connection: n bits, good until the next call.
func (c *Connection) controlState(o sim.Controlled) (state []byte, n int) {
	h := c.host
	h.writer.Reset(h.control[:])
	o.CodeControl(sim.Coder{Stream: &h.writer.Stream, View: (*controlRefs)(c)})
	if h.writer.Err() != nil || h.writer.Pos() > netcore.MaxControlState {
		c.complain("a control state is too large to send", "object", o.Ident().String())
		return nil, 0
	}
	return h.writer.Bytes(), h.writer.Pos()
}

// stateHash is the hash of a control state, by which either side knows it again.
func stateHash(state []byte, n int) uint32 {
	return crc32.ChecksumIEEE(state) ^ uint32(n)<<16
}

// checksum is what travels of the hash; it is not 0.
func checksum(state []byte, n int) uint16 { return max(1, uint16(stateHash(state, n))) }

// errUnresolved is that a control state cannot be read because it needs a ghost
// that is not here, any more or yet. Another state will follow.
var errUnresolved = errors.New("it names what is not here any more")

// readState reads a control state into an object.
func (c *Connection) readState(o sim.Controlled, state []byte, n int) error {
	r := &c.host.reader
	r.Reset(state)
	c.host.unresolved = false
	o.CodeControl(sim.Coder{Stream: &r.Stream, View: (*controlRefs)(c)})
	switch {
	case r.Err() != nil && c.host.unresolved:
		return errUnresolved
	case r.Err() != nil:
		return r.Err()
	case r.Pos() != n:
		return fmt.Errorf("it has %d bits, %d were read", n, r.Pos())
	}
	return nil
}

// controlRefs is a connection as the translator of what control state refers to:
// by the names that ghosts have in events, which are the same on both sides.
type controlRefs Connection

// ToWire is the name of an object's ghost at the peer's, or of the peer's ghost
// that the object is; 0 if it is neither, or not known to be.
func (r *controlRefs) ToWire(obj uint32) uint32 {
	if token, theirs := r.tokens[sim.ID(obj)]; theirs {
		return r.ghosts.TheirName(token)
	}
	return (*ownRefs)(r).ToWire(obj)
}

// FromWire is the ghost of that name.
func (r *controlRefs) FromWire(name uint32) uint32 {
	id := (*Connection)(r).ghostFor(r.ghosts.Named(name))
	if id == 0 {
		r.host.unresolved = true
	}
	return uint32(id)
}
