package engine

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// maxBlock is the most bytes one datablock may take on the wire.
const maxBlock = 256 << 10

// A transfer brings a peer's datablocks up to date. It is pulled: blocks are
// posted only as fast as the packets leave, so that a change made meanwhile
// still goes out in its newest form, and once.
type transfer struct {
	seq     uint32
	todo    []sim.Object // newer than what the peer had when it was asked for
	next    int
	begun   bool     // the peer has been sent something, and gets classes as they are declared
	done    bool     // the peer has been told that this was all
	sent    []uint64 // per index, the modified key of the version last posted
	pending bool
}

// TransmitDataBlocks sends the descriptions of declared classes, and every
// block newer than what this peer has.
// DataBlocksDone follows with the same seq when the peer has them all. A call
// while one is under way begins again with what is still missing.
func (c *Connection) TransmitDataBlocks(seq uint32) {
	if c.bot {
		return
	}
	c.host.world.Hold(func() { c.transmit(seq) }) // what may be taken back is not told
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
	c.pull()
}

// blocks is the table of what the peer declares: the world's own on a client,
// one apart where this side declares blocks itself.
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

// pull posts blocks while less than what the next packets can carry is queued.
func (c *Connection) pull() {
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

// room is where blocks are written. A host that writes none needs none.
func (h *Host) room() []byte {
	if h.scratch == nil {
		h.scratch = make([]byte, maxBlock)
	}
	return h.scratch
}

// pullAhead keeps two full packets of blocks ready, no more.
const pullAhead = 2 * netcore.MaxDatagram

// postBlock encodes a block as it is now and sends it. A block too large for
// the wire costs that block only; its mod is told.
func (c *Connection) postBlock(b sim.Object) bool {
	w := bitstream.NewWriter(c.host.room())
	c.host.world.Blocks.Pack(w, b, c.transfer.base(b))
	if w.Err() != nil {
		c.host.log("datablock is too large to send", "name", b.Ident().Name(), "limit", maxBlock)
		c.transfer.markSent(b)
		return true
	}
	c.transfer.markSent(b)
	return c.post(&description{data: slices.Clone(w.Bytes()), to: c, n: int(dataOf(b).Index())}, bulk)
}

// base is the block that b is described by difference from: its parent, if the
// peer has the parent as it is now.
func (t *transfer) base(b sim.Object) sim.Object {
	p := dataOf(b).ParentBlock()
	if p == nil || p == b || t.sentKey(p) != dataOf(p).Key() {
		return nil
	}
	return p
}
