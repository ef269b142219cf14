package ghost

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/torc-engine/torc/netcore"
)

// ChangeKind is the kind of a change to a ghost.
type ChangeKind uint8

const (
	Create ChangeKind = iota // a new ghost, with all of its groups
	Update                   // groups of an existing ghost; with group 0: all groups, replaced
	Kill                     // the peer deleted the ghost
	Reset                    // the peer deleted every ghost
)

// Change is one change to one ghost, from one packet.
type Change struct {
	Kind   ChangeKind
	Token  uint32  // the ghost; for Reset the new epoch
	Layout *Layout // the ghost's class; nil for Reset
	Mask   uint32  // groups that have values
	// Repeated has the groups of Mask with the same values as last time. They are a repetition, and
	// the receiver may have extrapolated the ghost since.
	Repeated uint32
	Tick     uint32 // the sender's tick of this state

	batch  *changeBatch
	ghost  *receivedGhost // nil for Reset
	smooth uint32         // index of its first value in the batch
	first  uint32         // index of its first cell in the batch
	parts  uint32         // index of its first part in the batch, or noParts
}

// Values returns the values of a group in Mask. For a hand-written group they are its encoded bits.
// They are valid as long as the Change.
func (ch *Change) Values(group int) *Values {
	if ch.Mask>>group&1 == 0 {
		panic(fmt.Sprintf("BUG: a change with groups %#x has no group %d", ch.Mask, group))
	}
	v, before, b := &ch.batch.view.values[group], ch.Mask&(1<<group-1), ch.batch
	*v = Values{}
	if ch.Layout.isSmooth(group) {
		v.Cells = b.smoothCells(ch.Layout, group, ch.Smooth()[ch.Layout.cellsOf(before&ch.Layout.smooth):])
		return v
	}
	first := int(ch.first) + ch.Layout.cellsOf(before&^ch.Layout.smooth)
	end := first + len(ch.Layout.Groups[group].Cells)
	v.Cells = b.cells[first:end:end]
	if ch.parts != noParts {
		b.part(int(ch.parts)+bits.OnesCount32(before&^ch.Layout.smooth), v)
	}
	return v
}

// Smooth returns the values of the smooth groups in Mask, in ascending order of groups. The values
// of later changes follow. The first number of each pair is the cell, aligned to the highest of 32
// bits. The other one serves the stream. The values are valid as long as the Change.
//
// It is the fast way to the values of groups whose cells are all smooth, except group 0.
func (ch *Change) Smooth() [][2]uint32 { return ch.batch.smooth[ch.smooth:] }

// changeView holds the results of Change.Values.
type changeView struct {
	values [maxGroups]Values
	smooth [maxGroups][]uint64 // memory of the cells of smooth groups
}

// noParts is the index of the parts of a change that has cells alone.
const noParts = 1<<32 - 1

// changePart holds the start of the texts and the bits of a group. They end at the start of the
// next part. A change has a part for each group that is not smooth, or none.
type changePart struct{ texts, raw, rawBits, rawEnds uint32 }

// changeBatch holds the changes of one packet. The queue needs it until they are taken, and the
// receiver until its values are baselines.
type changeBatch struct {
	seq     netcore.Seq
	tick    uint32
	changes []Change
	smooth  []receivedValue // of the smooth groups
	cells   []uint64        // of the other groups
	parts   []changePart
	texts   []string
	raw     []byte
	rawEnds []RawEnd
	view    *changeView // of the queue
	size    int         // approximate memory in use, in bytes
	most    int         // the highest size so far
	uses    int8        // number of lists that hold the batch
}

func (b *changeBatch) reset(seq netcore.Seq, tick uint32) {
	clear(b.texts)
	b.seq, b.tick, b.size = seq, tick, 0
	b.changes, b.smooth, b.cells, b.parts = b.changes[:0], b.smooth[:0], b.cells[:0], b.parts[:0]
	b.texts, b.raw, b.rawEnds = b.texts[:0], b.raw[:0], b.rawEnds[:0]
}

// change appends a change. The caller adds the values of its groups next.
func (b *changeBatch) change(kind ChangeKind, g *receivedGhost, token uint32, l *Layout, mask uint32) {
	b.reserve()
	b.changes = b.changes[:len(b.changes)+1]
	b.changes[len(b.changes)-1].set(b, kind, g, token, l, mask)
}

// reserve makes room for a change and for the values of a run.
func (b *changeBatch) reserve() {
	if len(b.changes) == cap(b.changes) || cap(b.smooth)-len(b.smooth) < runCells {
		b.grow()
	}
}

func (b *changeBatch) grow() {
	b.changes, b.smooth = slices.Grow(b.changes, 1), slices.Grow(b.smooth, runCells)
}

// set fills a change in place, because copying memory that was just written is slow.
func (ch *Change) set(b *changeBatch, kind ChangeKind, g *receivedGhost, token uint32, l *Layout, mask uint32) {
	ch.Kind, ch.Token, ch.Layout, ch.Mask, ch.Repeated, ch.Tick = kind, token, l, mask, 0, b.tick
	ch.batch, ch.ghost = b, g
	ch.smooth, ch.first, ch.parts = uint32(len(b.smooth)), uint32(len(b.cells)), noParts
	if mask != 0 && mask&^l.plain != 0 {
		ch.parts = uint32(len(b.parts))
	}
}

// markRepeated marks a group of the last change as a repetition.
func (b *changeBatch) markRepeated(group int) { b.changes[len(b.changes)-1].Repeated |= 1 << group }

// add appends the values of the next group of the last change. The group is not smooth.
func (b *changeBatch) add(v *Values) {
	if b.changes[len(b.changes)-1].parts != noParts {
		b.parts = append(b.parts, changePart{uint32(len(b.texts)), uint32(len(b.raw)), uint32(v.RawBits), uint32(len(b.rawEnds))})
	}
	b.cells = append(b.cells, v.Cells...)
	for _, text := range v.Texts {
		b.size += len(text)
	}
	b.texts = append(b.texts, v.Texts...)
	b.raw = append(b.raw, v.Raw...)
	b.rawEnds = append(b.rawEnds, v.RawEnds...)
}

// addSmooth appends a smooth group of the last change with n cells, and returns its values for the
// caller to fill in.
func (b *changeBatch) addSmooth(n int) []receivedValue {
	first := len(b.smooth)
	if first+n > cap(b.smooth) {
		b.smooth = slices.Grow(b.smooth, n)
	}
	b.smooth = b.smooth[:first+n]
	return b.smooth[first:]
}

// smoothCells returns the cells of a smooth group from its received values.
func (b *changeBatch) smoothCells(l *Layout, group int, values []receivedValue) []uint64 {
	cells := b.view.smooth[group][:0]
	for i, width := range l.places[group].widths {
		cells = append(cells, uint64(values[i][0]>>(32-width)))
	}
	b.view.smooth[group] = cells
	return cells
}

// part fills v with the texts and the bits of the i-th part in the batch.
func (b *changeBatch) part(i int, v *Values) {
	p := b.parts[i]
	end := changePart{texts: uint32(len(b.texts)), raw: uint32(len(b.raw)), rawEnds: uint32(len(b.rawEnds))}
	if i+1 < len(b.parts) {
		end = b.parts[i+1]
	}
	v.Texts = b.texts[p.texts:end.texts:end.texts]
	v.Raw, v.RawBits = b.raw[p.raw:end.raw:end.raw], int(p.rawBits)
	v.RawEnds = b.rawEnds[p.rawEnds:end.rawEnds:end.rawEnds]
}

// measure sets size. The batch must be complete. Its memory counts, not its length: a batch that is
// reused keeps the memory of larger packets.
func (b *changeBatch) measure() {
	b.size += batchSize + changeSize*cap(b.changes) + 16*cap(b.parts) + 8*cap(b.smooth) + 8*cap(b.cells) + 16*cap(b.texts) + cap(b.raw) + 24*cap(b.rawEnds)
	b.most = max(b.most, b.size)
}

const (
	batchSize   = 256      // bytes of a changeBatch
	changeSize  = 64       // bytes of a Change
	changeBytes = 32 << 20 // of queued changes; a connection with more refuses packets
	spareBytes  = 16 << 20 // of batches kept for reuse: as many as a tick brings at 40 Mbit/s
)

// changeQueue is the queue of received changes, packet by packet.
type changeQueue struct {
	waiting []*changeBatch
	taken   int // number of changes already taken from the first batch
	size    int // total size of waiting in bytes
	spare   []*changeBatch
	kept    int // total of the highest sizes of spare
	view    changeView
}

// batch returns an empty batch that is not queued.
func (q *changeQueue) batch(seq netcore.Seq, tick uint32) *changeBatch {
	last := len(q.spare) - 1
	if last < 0 {
		q.spare, last = append(q.spare, &changeBatch{view: &q.view}), 0
	}
	b := q.spare[last]
	q.spare, q.kept = q.spare[:last], q.kept-b.most
	b.reset(seq, tick)
	return b
}

// release ends a use of a batch. It keeps an unused batch for reuse.
func (q *changeQueue) release(b *changeBatch) {
	b.uses--
	if b.uses <= 0 && q.kept+b.most <= spareBytes {
		b.uses = 0
		q.spare, q.kept = append(q.spare, b), q.kept+b.most
	}
}

// push queues a batch.
func (q *changeQueue) push(b *changeBatch) {
	b.uses++
	q.size += b.size
	q.waiting = append(q.waiting, b)
}

// next takes a change. It returns nil at the end of each packet and when the queue is empty.
func (q *changeQueue) next() *Change {
	if len(q.waiting) == 0 {
		return nil
	}
	if b := q.waiting[0]; q.taken < len(b.changes) {
		q.taken++
		return &b.changes[q.taken-1]
	}
	q.pop()
	return nil
}

// pop removes the oldest batch.
func (q *changeQueue) pop() {
	b := q.waiting[0]
	q.taken = 0
	q.size -= b.size
	q.waiting = append(q.waiting[:0], q.waiting[1:]...)
	q.release(b)
}
