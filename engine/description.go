package engine

import (
	"bytes"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
)

// A declaration describes one item of its sender: a datablock, or a class declared at run
// time. The number of datablocks is sent when the transmission begins.
type declaration struct {
	class bool
	data  []byte

	listed bool        // on the sending side: a class of this host's list
	to     *Connection // on the sending side
	n      int         // likewise: index of the block, or number of classes sent with this one
}

func (e *declaration) KindID() event.KindID { return descriptionID }

func (e *declaration) Serialize(s *event.Codec) {
	s.Flag(&e.class)
	s.Bytes(&e.data, maxBlock)
}

// Process declares a class immediately, because ghosts in the next packet may need it. This changes
// no object. A datablock waits for Tick.
func (e *declaration) Process(n *netcore.Conn) error {
	c := owner(n)
	if e.class {
		return c.host.described.declare(c, e.data)
	}
	return c.inbox.add(e)
}

// run declares the datablock on the client side.
func (e *declaration) run(c *Connection) {
	r := &c.host.reader
	r.Reset(e.data)
	if _, err := c.Blocks.table().Unpack(r); err != nil {
		c.fail("bad datablock: " + err.Error())
		return
	}
	c.Join.phase = max(c.Join.phase, PhaseDataBlocks)
	c.Blocks.received++
	c.host.scripts.DataBlockReceived(c, int(c.Blocks.received), int(max(c.Blocks.expected, c.Blocks.received)))
}

// Processed records that the peer has the description.
func (e *declaration) Processed() {
	switch {
	case e.listed:
		e.to.Ghosting.gate.learntListed()
		return
	case e.class:
		e.to.Ghosting.gate.learntClass(e.n)
		return
	}
	e.to.Ghosting.gate.learntBlock(uint16(e.n))
}

// descriptions are those of classes that are declared at run time, on a host.
type descriptions struct {
	host    *Host
	scratch []byte // for writing them, and datablocks
}

// indexOf returns the index of a class among the declared ones.
func (d *descriptions) indexOf(class *sim.Class) int {
	classes := d.host.world.Classes()
	return classes.WireID(class) - classes.WireID(classes.Declared()[0])
}

// declare declares a class from the peer's description.
func (d *descriptions) declare(c *Connection, description []byte) error {
	h := d.host
	if h.serves() && d.declares(description) {
		return nil
	}
	h.reader.Reset(description)
	if listed, err := c.list(&h.reader, h.world.Classes()); listed {
		return err
	}
	_, err := h.world.Classes().UnpackClass(&h.reader)
	return err
}

// declares reports whether this host has declared the same class with the same number. This is the
// case if it runs the same mods as the peer.
func (d *descriptions) declares(description []byte) bool {
	for _, class := range d.host.world.Classes().Declared() {
		w := bitstream.NewWriter(d.buffer())
		d.host.world.Classes().PackClass(w, class)
		if bytes.Equal(w.Bytes(), description) {
			return true
		}
	}
	return false
}

// buffer returns the buffer for writing datablocks, allocated at first use.
func (d *descriptions) buffer() []byte {
	if d.scratch == nil {
		d.scratch = make([]byte, maxBlock)
	}
	return d.scratch
}
