package engine

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// maxBlock is the largest size of a datablock on the wire in bytes.
const maxBlock = 256 << 10

// A BlockTransfer updates a peer's datablocks, and receives the peer's. It posts blocks only as
// fast as packets leave. So a block changed meanwhile is sent once, in its newest version.
type BlockTransfer struct {
	conn *Connection

	seq     uint32
	begun   bool // a transmission has begun; newly declared classes are sent too
	pending bool
	done    bool         // the end was announced to the peer
	todo    []sim.Object // newer than the peer's version at the start
	next    int
	sent    []uint64 // by index: modification key of the version last posted

	peerBlocks *sim.Blocks // the peer's datablocks, if both sides declare some
	received   int32       // blocks received in this transmission, on the client side
	expected   int32       // total blocks of this transmission
}

// Transmit sends the descriptions of declared classes, and every block newer than the
// peer's. When the peer has them all, DataBlocksDone is called with the same seq. A call during a
// transmission restarts it with the missing blocks.
func (t *BlockTransfer) Transmit(seq uint32) {
	if !canServe || t.conn.bot {
		return
	}
	t.conn.host.world.OnCommit(func() { t.transmit(seq) }) // a rollback can still revert the changes
}

func (t *BlockTransfer) transmit(seq uint32) {
	c := t.conn
	if c.ended {
		return
	}
	t.describeClasses()
	t.begun = true
	t.seq, t.next, t.done, t.pending = seq, 0, false, true
	t.todo = t.todo[:0]
	for _, b := range c.host.world.Blocks.Newer(0) {
		if t.sentKey(b) < dataOf(b).Key() {
			t.todo = append(t.todo, b)
		}
	}
	if c.Join.phase == PhaseJoining {
		c.Join.setPhase(PhaseDataBlocks)
	}
	c.post(&phaseStep{stepDataBlocksStart, seq, uint64(len(t.todo))}, bulk)
	t.fill()
}

// table returns the table of the peer's datablocks. On a client it is the world's own table, on a
// server a separate one.
func (t *BlockTransfer) table() *sim.Blocks {
	c := t.conn
	if !c.host.cfg.Server {
		return c.host.world.Blocks
	}
	if t.peerBlocks == nil {
		t.peerBlocks = c.host.world.NewBlocks()
	}
	return t.peerBlocks
}

// Find returns the datablock with an index among those of the connection's server, or nil.
func (t *BlockTransfer) Find(index int) sim.Object { return t.table().ByIndex(index) }

func dataOf(o sim.Object) *sim.Block { return o.(sim.Datablock).Data() }

func (t *BlockTransfer) sentKey(o sim.Object) uint64 {
	if i := int(dataOf(o).Index()); i < len(t.sent) {
		return t.sent[i]
	}
	return 0
}

func (t *BlockTransfer) markSent(o sim.Object) {
	b := dataOf(o)
	for int(b.Index()) >= len(t.sent) {
		t.sent = append(t.sent, 0)
	}
	t.sent[b.Index()] = b.Key()
}

// fill posts blocks until the queue holds enough for the next packets.
func (t *BlockTransfer) fill() {
	if !t.pending {
		return
	}
	for t.next < len(t.todo) && t.conn.events.QueuedBulk() < pullAhead {
		b := t.todo[t.next]
		t.next++
		if b.Ident().Dead() || t.sentKey(b) >= dataOf(b).Key() {
			continue
		}
		if !t.postBlock(b) {
			return
		}
	}
	if t.next == len(t.todo) {
		t.pending, t.done = false, true
		t.conn.post(&phaseStep{stepDataBlocksDone, t.seq, 0}, bulk)
	}
}

// pullAhead is the queue target: two full packets of blocks.
const pullAhead = 2 * netcore.MaxDatagram

// postBlock encodes the current version of a block and sends it. A block too large for the wire is
// skipped and logged.
func (t *BlockTransfer) postBlock(b sim.Object) bool {
	c := t.conn
	w := bitstream.NewWriter(c.host.described.buffer())
	c.host.world.Blocks.Pack(w, b, t.base(b))
	if w.Err() != nil {
		c.host.cfg.Log.Warn("datablock is too large to send", "name", b.Ident().Name(), "limit", maxBlock)
		t.markSent(b)
		return true
	}
	t.markSent(b)
	return c.post(&declaration{data: slices.Clone(w.Bytes()), to: c, n: int(dataOf(b).Index())}, bulk)
}

// base returns the parent of b as the base for a delta encoding, if the peer has the parent's
// current version.
func (t *BlockTransfer) base(b sim.Object) sim.Object {
	p := dataOf(b).ParentBlock()
	if p == nil || p == b || t.sentKey(p) != dataOf(p).Key() {
		return nil
	}
	return p
}

// describeClasses sends the peer the descriptions of newly declared classes, in order of
// declaration.
func (t *BlockTransfer) describeClasses() {
	c := t.conn
	declared := c.host.world.Classes().Declared()
	for c.Ghosting.gate.classes < len(declared) && !c.ended {
		class := declared[c.Ghosting.gate.classes]
		c.Ghosting.gate.classes++
		w := bitstream.NewWriter(c.host.described.buffer())
		c.host.world.Classes().PackClass(w, class)
		if w.Err() != nil {
			panic("BUG: class " + class.Name + " cannot be described")
		}
		c.post(&declaration{class: true, data: slices.Clone(w.Bytes()), to: c, n: c.Ghosting.gate.classes}, bulk)
	}
}
