package engine

import "github.com/torc-engine/torc/netcore"

// A description carries one thing that its sender declares: a datablock, or a
// class that was declared while it ran. How many blocks there are was said when
// the transmission began.
type description struct {
	class bool
	data  []byte

	to *Connection // at the sender
	n  int         // likewise: the block's index, or how many classes the peer has with this one
}

func (e *description) KindID() netcore.EventID { return descriptionID }

func (e *description) Serialize(s *netcore.EventCodec) {
	s.Flag(&e.class)
	s.Bytes(&e.data, maxBlock)
}

// Process declares a class at once: ghosts in the next packet may be of it, and
// cannot be read without it. No object changes by that. A block waits for Tick.
func (e *description) Process(n *netcore.Conn) error {
	c := owner(n)
	if e.class {
		return c.host.declareClass(e.data)
	}
	return c.arrived(e)
}

// run declares the block on the calling side.
func (e *description) run(c *Connection) {
	r := &c.host.reader
	r.Reset(e.data)
	if _, err := c.blocks().Unpack(r); err != nil {
		c.fail("bad datablock: " + err.Error())
		return
	}
	c.phase = max(c.phase, PhaseDataBlocks)
	c.received++
	c.host.scripts.DataBlockReceived(c, c.received, max(c.expected, c.received))
}

// Processed hears that the peer has what was described.
func (e *description) Processed() {
	if e.class {
		e.to.gate.learntClass(e.n)
		return
	}
	e.to.gate.learntBlock(uint16(e.n))
}
