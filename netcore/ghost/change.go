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
	Token  uint32  // the ghost; 0 for Reset
	Layout *Layout // the ghost's class; nil for Reset
	Mask   uint32  // groups that have values
	// Repeated has the groups of Mask with the same values as last time. They are a repetition, and
	// the receiver may have extrapolated the ghost since.
	Repeated uint32
	Tick     uint32 // the sender's tick of this state

	first  uint32 // index of the first group's values in the batch
	batch  *changeBatch
	values [maxGroups]Values
}

// Values returns the values of a group in Mask. For a hand-written group they are its encoded bits.
// They are valid as long as the Change.
func (ch *Change) Values(group int) *Values {
	if ch.Mask>>group&1 == 0 {
		panic(fmt.Sprintf("BUG: a change with groups %#x has no group %d", ch.Mask, group))
	}
	before := bits.OnesCount32(ch.Mask & (1<<group - 1))
	v := &ch.values[group]
	ch.batch.values(int(ch.first)+before, v)
	return v
}

// changeEntry is a queued Change.
type changeEntry struct {
	layout   *Layout
	token    uint32
	mask     uint32
	repeated uint32
	first    uint32
	kind     ChangeKind
}

// groupEntry holds the start of the values of a group. They end at the start of the next group.
type groupEntry struct{ cells, texts, raw, rawBits, rawEnds uint32 }

// changeBatch holds the changes of one packet.
type changeBatch struct {
	tick    uint32
	changes []changeEntry
	groups  []groupEntry
	cells   []uint64
	texts   []string
	raw     []byte
	rawEnds []RawEnd
	size    int // approximate memory in use, in bytes
}

func (b *changeBatch) reset(tick uint32) {
	clear(b.texts)
	b.tick, b.size = tick, 0
	b.changes, b.groups = b.changes[:0], b.groups[:0]
	b.cells, b.texts, b.raw, b.rawEnds = b.cells[:0], b.texts[:0], b.raw[:0], b.rawEnds[:0]
}

// change appends a change. The caller adds the values of its groups next. The function fills the
// entry in place, like begin, because copying memory that was just written is slow.
func (b *changeBatch) change(kind ChangeKind, token uint32, l *Layout, mask uint32) {
	b.changes = append(b.changes, changeEntry{})
	e := &b.changes[len(b.changes)-1]
	e.kind, e.token, e.layout, e.mask, e.first = kind, token, l, mask, uint32(len(b.groups))
}

// markRepeated marks a group of the last change as a repetition.
func (b *changeBatch) markRepeated(group int) { b.changes[len(b.changes)-1].repeated |= 1 << group }

// begin starts the values of the next group of the last change.
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

// words appends the next group with n cells and returns them for the caller to fill in.
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

// measure sets size. The batch must be complete.
func (b *changeBatch) measure() {
	b.size += 40*(len(b.changes)+len(b.groups)) + 8*len(b.cells) + 16*len(b.texts) + len(b.raw) + 24*len(b.rawEnds)
}

const (
	changeBytes  = 8 << 20 // maximum size of queued changes
	spareBatches = 8       // maximum number of batches kept for reuse
)

// changeQueue is the queue of received changes, packet by packet.
type changeQueue struct {
	waiting []*changeBatch
	taken   int // number of changes already taken from the first batch
	size    int // total size of waiting in bytes
	spare   []*changeBatch
	current Change
}

// batch returns an empty batch that is not queued.
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

// release keeps a batch for reuse.
func (q *changeQueue) release(b *changeBatch) {
	if len(q.spare) < spareBatches {
		q.spare = append(q.spare, b)
	}
}

// push queues a batch.
func (q *changeQueue) push(b *changeBatch) error {
	b.measure()
	if q.size+b.size > changeBytes {
		return netcore.Reason{Code: netcore.Overflow, Text: "too many ghost changes are queued"}
	}
	q.size += b.size
	q.waiting = append(q.waiting, b)
	return nil
}

// next takes a change. It returns nil at the end of each packet and when the queue is empty.
func (q *changeQueue) next() *Change {
	if len(q.waiting) == 0 {
		return nil
	}
	b := q.waiting[0]
	if q.taken == len(b.changes) {
		q.taken = 0
		q.size -= b.size
		q.waiting = append(q.waiting[:0], q.waiting[1:]...)
		q.release(b)
		return nil
	}
	e := &b.changes[q.taken]
	q.taken++
	ch := &q.current
	ch.Kind, ch.Token, ch.Layout, ch.Mask, ch.Tick = e.kind, e.token, e.layout, e.mask, b.tick
	ch.Repeated, ch.first, ch.batch = e.repeated, e.first, b
	return ch
}
