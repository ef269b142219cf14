package engine

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// maxBlock is the largest size of a datablock on the wire in bytes.
const maxBlock = 256 << 10

// A transfer updates a peer's datablocks. It posts blocks only as fast as packets leave. So a block
// changed meanwhile is sent once, in its newest version.
type transfer struct {
	seq     uint32
	todo    []sim.Object // newer than the peer's version at the start
	next    int
	begun   bool     // a transmission has begun; newly declared classes are sent too
	done    bool     // the end was announced to the peer
	sent    []uint64 // by index: modification key of the version last posted
	pending bool
}

// blockTransfer is the exchange of datablocks with a peer.
type blockTransfer struct {
	transfer   transfer
	peerBlocks *sim.Blocks // the peer's datablocks, if both sides declare some
	received   int         // blocks received in this transmission, on the client side
	expected   int         // total blocks of this transmission
}

// TransmitDataBlocks sends the descriptions of declared classes, and every block newer than the
// peer's. When the peer has them all, DataBlocksDone is called with the same seq. A call during a
// transmission restarts it with the missing blocks.
func (c *Connection) TransmitDataBlocks(seq uint32) {
	if c.bot {
		return
	}
	c.host.world.OnCommit(func() { c.transmit(seq) }) // a rollback can still revert the changes
}

func (c *Connection) transmit(seq uint32) {
	if c.ended {
		return
	}
	t := &c.transfer
	c.describeClasses()
	t.begun = true
	t.seq, t.next, t.done, t.pending = seq, 0, false, true
	t.todo = t.todo[:0]
	for _, b := range c.host.world.Blocks.Newer(0) {
		if t.sentKey(b) < dataOf(b).Key() {
			t.todo = append(t.todo, b)
		}
	}
	if c.phase == PhaseJoining {
		c.setPhase(PhaseDataBlocks)
	}
	c.post(&phaseStep{stepDataBlocksStart, seq, uint64(len(t.todo))}, bulk)
	c.postBlocks()
}

// blocks returns the table of the peer's datablocks. On a client it is the world's own table, on a
// server a separate one.
func (c *Connection) blocks() *sim.Blocks {
	if !c.host.cfg.Server {
		return c.host.world.Blocks
	}
	if c.peerBlocks == nil {
		c.peerBlocks = c.host.world.NewBlocks()
	}
	return c.peerBlocks
}

func dataOf(o sim.Object) *sim.Block { return o.(sim.Datablock).Data() }

func (t *transfer) sentKey(o sim.Object) uint64 {
	if i := int(dataOf(o).Index()); i < len(t.sent) {
		return t.sent[i]
	}
	return 0
}

func (t *transfer) markSent(o sim.Object) {
	b := dataOf(o)
	for int(b.Index()) >= len(t.sent) {
		t.sent = append(t.sent, 0)
	}
	t.sent[b.Index()] = b.Key()
}

// postBlocks posts blocks until the queue holds enough for the next packets.
func (c *Connection) postBlocks() {
	t := &c.transfer
	if !t.pending {
		return
	}
	for t.next < len(t.todo) && c.events.QueuedBulk() < pullAhead {
		b := t.todo[t.next]
		t.next++
		if b.Ident().Dead() || t.sentKey(b) >= dataOf(b).Key() {
			continue
		}
		if !c.postBlock(b) {
			return
		}
	}
	if t.next == len(t.todo) {
		t.pending, t.done = false, true
		c.post(&phaseStep{stepDataBlocksDone, t.seq, 0}, bulk)
	}
}

// blockBuffer returns the buffer for writing datablocks, allocated at first use.
func (h *Host) blockBuffer() []byte {
	if h.scratch == nil {
		h.scratch = make([]byte, maxBlock)
	}
	return h.scratch
}

// pullAhead is the queue target: two full packets of blocks.
const pullAhead = 2 * netcore.MaxDatagram

// postBlock encodes the current version of a block and sends it. A block too large for the wire is
// skipped and logged.
func (c *Connection) postBlock(b sim.Object) bool {
	w := bitstream.NewWriter(c.host.blockBuffer())
	c.host.world.Blocks.Pack(w, b, c.transfer.base(b))
	if w.Err() != nil {
		c.host.log("datablock is too large to send", "name", b.Ident().Name(), "limit", maxBlock)
		c.transfer.markSent(b)
		return true
	}
	c.transfer.markSent(b)
	return c.post(&declaration{data: slices.Clone(w.Bytes()), to: c, n: int(dataOf(b).Index())}, bulk)
}

// base returns the parent of b as the base for a delta encoding, if the peer has the parent's
// current version.
func (t *transfer) base(b sim.Object) sim.Object {
	p := dataOf(b).ParentBlock()
	if p == nil || p == b || t.sentKey(p) != dataOf(p).Key() {
		return nil
	}
	return p
}

// describeClasses sends the peer the descriptions of newly declared classes, in order of
// declaration.
func (c *Connection) describeClasses() {
	declared := c.host.world.Classes().Declared()
	for c.gate.classes < len(declared) && !c.ended {
		class := declared[c.gate.classes]
		c.gate.classes++
		w := bitstream.NewWriter(c.host.blockBuffer())
		c.host.world.Classes().PackClass(w, class)
		if w.Err() != nil {
			panic("BUG: class " + class.Name + " cannot be described")
		}
		c.post(&declaration{class: true, data: slices.Clone(w.Bytes()), to: c, n: c.gate.classes}, bulk)
	}
}
