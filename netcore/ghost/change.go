package ghost

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/torc-engine/torc/netcore"
)

// ChangeKind is what happened to a ghost.
type ChangeKind uint8

const (
	Create     ChangeKind = iota // a new ghost, with all of its groups
	Update                       // groups of a ghost that is there; with group 0: all of them, anew
	Kill                         // the ghost is no more
	GhostReset                   // every ghost is no more
)

// Change is a packet's news of one ghost.
type Change struct {
	Kind   ChangeKind
	Token  uint32  // which ghost; 0 of GhostReset
	Layout *Layout // of its class; nil of GhostReset
	Mask   uint32  // the groups that have values
	Again  uint32  // those of them that are as they came before: no news, and the ghost may have moved on by itself since
	Tick   uint32  // the sender's, of whose state this is a part

	first  uint32 // of its groups' values in the batch
	batch  *changeBatch
	values [maxGroups]Values
}

// Values returns the values of a group in the Mask. Of a hand-written group
// they are the bits, to be read again. They are good as long as the Change.
func (ch *Change) Values(group int) *Values {
	if ch.Mask>>group&1 == 0 {
		panic(fmt.Sprintf("BUG: a change of groups %#x has no group %d", ch.Mask, group))
	}
	before := bits.OnesCount32(ch.Mask & (1<<group - 1))
	v := &ch.values[group]
	ch.batch.values(int(ch.first)+before, v)
	return v
}

// changeEntry is a Change that waits.
type changeEntry struct {
	layout *Layout
	token  uint32
	mask   uint32
	again  uint32
	first  uint32
	kind   ChangeKind
}

// groupEntry is where the values of a group begin; they end where the next
// one's do.
type groupEntry struct{ cells, texts, raw, rawBits, rawEnds uint32 }

// changeBatch is the changes of one packet.
type changeBatch struct {
	tick    uint32
	changes []changeEntry
	groups  []groupEntry
	cells   []uint64
	texts   []string
	raw     []byte
	rawEnds []RawEnd
	size    int // bytes that it keeps from being used otherwise, about
}

func (b *changeBatch) reset(tick uint32) {
	clear(b.texts)
	b.tick, b.size = tick, 0
	b.changes, b.groups = b.changes[:0], b.groups[:0]
	b.cells, b.texts, b.raw, b.rawEnds = b.cells[:0], b.texts[:0], b.raw[:0], b.rawEnds[:0]
}

// change appends a change whose groups' values are to follow. It is filled in
// where it stays, as begin does: to copy what was only just written takes long.
func (b *changeBatch) change(kind ChangeKind, token uint32, l *Layout, mask uint32) {
	b.changes = append(b.changes, changeEntry{})
	e := &b.changes[len(b.changes)-1]
	e.kind, e.token, e.layout, e.mask, e.first = kind, token, l, mask, uint32(len(b.groups))
}

// again notes that a group of the last change comes once more.
func (b *changeBatch) again(group int) { b.changes[len(b.changes)-1].again |= 1 << group }

// begin begins the values of the next group of the last change.
func (b *changeBatch) begin(rawBits int) {
	b.groups = append(b.groups, groupEntry{})
	e := &b.groups[len(b.groups)-1]
	e.cells, e.texts, e.rawBits = uint32(len(b.cells)), uint32(len(b.texts)), uint32(rawBits)
	e.raw, e.rawEnds = uint32(len(b.raw)), uint32(len(b.rawEnds))
}

// add appends the values of the next group of the last change.
func (b *changeBatch) add(v *Values) {
	b.begin(v.RawBits)
	b.cells = append(b.cells, v.Cells...)
	for _, text := range v.Texts {
		b.size += len(text)
	}
	b.texts = append(b.texts, v.Texts...)
	b.raw = append(b.raw, v.Raw...)
	b.rawEnds = append(b.rawEnds, v.RawEnds...)
}

// words appends the n cells of a smooth group, which are to be filled in.
func (b *changeBatch) words(n int) []uint64 {
	b.begin(0)
	first := len(b.cells)
	b.cells = slices.Grow(b.cells, n)[:first+n]
	return b.cells[first:]
}

// values fills v with the values of the i-th group in the batch.
func (b *changeBatch) values(i int, v *Values) {
	e := &b.groups[i]
	cells, texts, raw, rawEnds := uint32(len(b.cells)), uint32(len(b.texts)), uint32(len(b.raw)), uint32(len(b.rawEnds))
	if i+1 < len(b.groups) {
		end := &b.groups[i+1]
		cells, texts, raw, rawEnds = end.cells, end.texts, end.raw, end.rawEnds
	}
	v.Cells = b.cells[e.cells:cells:cells]
	v.Texts = b.texts[e.texts:texts:texts]
	v.Raw = b.raw[e.raw:raw:raw]
	v.RawBits = int(e.rawBits)
	v.RawEnds = b.rawEnds[e.rawEnds:rawEnds:rawEnds]
}

// measure sets size, when all changes are there.
func (b *changeBatch) measure() {
	b.size += 40*(len(b.changes)+len(b.groups)) + 8*len(b.cells) + 16*len(b.texts) + len(b.raw) + 24*len(b.rawEnds)
}

const (
	changeBytes  = 8 << 20 // of changes that may wait to be taken
	spareBatches = 8       // batches kept to be used again
)

// changeQueue is what has arrived and was not taken yet, packet by packet.
type changeQueue struct {
	waiting []*changeBatch
	taking  int // changes taken of the first
	size    int // bytes of waiting
	spare   []*changeBatch
	current Change
}

// batch returns an empty batch, which is in nobody's hands yet.
func (q *changeQueue) batch(tick uint32) *changeBatch {
	last := len(q.spare) - 1
	if last < 0 {
		q.spare, last = append(q.spare, new(changeBatch)), 0
	}
	b := q.spare[last]
	q.spare = q.spare[:last]
	b.reset(tick)
	return b
}

// release takes a batch back.
func (q *changeQueue) release(b *changeBatch) {
	if len(q.spare) < spareBatches {
		q.spare = append(q.spare, b)
	}
}

// push takes a full batch over.
func (q *changeQueue) push(b *changeBatch) error {
	b.measure()
	if q.size+b.size > changeBytes {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many changes of ghosts wait to be taken"}
	}
	q.size += b.size
	q.waiting = append(q.waiting, b)
	return nil
}

// next takes a change: nil at the end of each packet, and if there are none.
func (q *changeQueue) next() *Change {
	if len(q.waiting) == 0 {
		return nil
	}
	b := q.waiting[0]
	if q.taking == len(b.changes) {
		q.taking = 0
		q.size -= b.size
		q.waiting = append(q.waiting[:0], q.waiting[1:]...)
		q.release(b)
		return nil
	}
	e := &b.changes[q.taking]
	q.taking++
	ch := &q.current
	ch.Kind, ch.Token, ch.Layout, ch.Mask, ch.Tick = e.kind, e.token, e.layout, e.mask, b.tick
	ch.Again, ch.first, ch.batch = e.again, e.first, b
	return ch
}
