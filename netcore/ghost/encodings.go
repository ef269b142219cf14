package ghost

import (
	"math/bits"
	"slices"
)

// Connections that know the same values of an object send the same bits for it. Nearly all
// connections do, so each worker keeps the bits that it encoded in this tick, and copies them for
// its other connections. The bits do not depend on the tables: a missing entry is only encoded
// again.
//
// There are two tables. One holds groups of objects, whole or relative to a baseline of an age.
// Updates with any mask are joined from them. The other holds updates of plain ghosts, joined
// before, so that copyRun copies each with one search.
//
// In memory, a table is an array of entries of 32 bytes, in encodingWays parts. The age of the
// baseline selects the part, and the object the place in it. The updates of a packet have few
// different ages, so they read a few parts in the order of memory. A new entry replaces the one at
// its place. Nothing is ever cleared: an update is valid only in packets of its form, and a group
// only in its tick.

const (
	maxWorkers   = 64      // workers that keep their memory for packing
	encodingWays = 32      // parts of a table
	maxEncodings = 1 << 12 // updates per part: 4 MiB in all. Beyond it objects share entries
	groupShift   = 2       // binary logarithm of the groups of an object in a part: 16 MiB in all
	noShortForm  = 255     // the size of a group that cannot be joined
)

// groupBits are the bits of a group of an object in a tick.
type groupBits struct {
	low, high    uint64
	object, tick uint32
	key          groupKey
	size         uint8  // in bits, at most shortCapacity; or noShortForm
	saved        int8   // the bits of the whole group minus these
	class        uint16 // of the object
}

// groupKey is a group and the age of its baseline: the ticks from the newer known value, and its
// span. It is 0 for a whole group. All of them are below 2^12, see maxDepth.
type groupKey uint32

func newGroupKey(group int, since, span uint32) groupKey {
	return groupKey(uint32(group) | since<<5 | span<<17)
}

// appendTo appends the bits to s.
func (e *groupBits) appendTo(s *shortBits) {
	s.add(e.low, min(int(e.size), 64))
	if e.size > 64 {
		s.add(e.high, int(e.size)-64)
	}
}

// encoding is an update of a plain ghost of at most shortItem bits, from its mask on.
type encoding struct {
	bits       uint64
	objectForm uint64 // as in the key
	age        uint32 // as in the key
	mask       uint32
	sent       uint32     // a ghost needs this mask if it was sent at this tick, or up to reach ticks earlier
	kind       updateKind // class, and whether it is relative
	size       uint8      // in bits
	reach      uint8      // see sent
}

// updateKind is the class of an update, and whether a group of it is relative to a baseline.
type updateKind uint16

func newUpdateKind(class uint16, relative bool) updateKind {
	if relative {
		return updateKind(class)<<1 | 1
	}
	return updateKind(class) << 1
}

func (k updateKind) class() uint16  { return uint16(k >> 1) }
func (k updateKind) relative() bool { return k&1 != 0 }

// updateKey is all that the bits of an update depend on, besides its mask.
type updateKey struct {
	objectForm uint64 // the number of the object, and that of the form of the packet
	age        uint32 // ticks from the newer known value, and its span
}

// newUpdateKey returns the key of an update relative to known values of an age.
func newUpdateKey(object, form, since uint32, span uint16) updateKey {
	return updateKey{uint64(object)<<32 | uint64(form), min(since, 1<<16-1)<<16 | uint32(span)}
}

// place returns the place of an update in a table with 1<<shift entries per part.
func (k updateKey) place(shift uint8) uint32 {
	part := k.age>>16&7<<2 + k.age&3
	return part<<(shift&31) | uint32(k.objectForm>>32)&(1<<(shift&31)-1)
}

// holds reports whether the entry holds an update with a key.
func (e *encoding) holds(k updateKey) bool { return e.objectForm == k.objectForm && e.age == k.age }

// serves reports whether the update is that of a ghost that was sent at a tick, and owes the
// changes since then.
func (e *encoding) serves(sent uint32) bool { return e.sent-sent <= uint32(e.reach) }

// packetForm holds the facts about a packet that the bits of all its updates depend on.
type packetForm struct{ tick, usual, oldest uint32 }

// encodings holds the tables of a worker. Only that worker uses them.
type encodings struct {
	groups  []groupBits
	updates []encoding
	shift   uint8        // binary logarithm of the updates per part
	form    uint32       // the number of the form of the packet under construction
	newest  uint32       // the highest number of a form
	forms   []packetForm // those of the present tick; the last one has the highest number
}

// fit makes the tables large enough for a number of objects.
func (t *encodings) fit(objects int) {
	need := min(1<<bits.Len(uint(objects)), maxEncodings)
	if len(t.updates) < encodingWays*need {
		t.updates = make([]encoding, encodingWays*need)
		t.shift = uint8(bits.Len(uint(need - 1)))
		t.groups = make([]groupBits, encodingWays*need<<groupShift)
	}
}

// group returns the place of the bits of a group of an object with a baseline of an age. Groups of
// a class with a high number are in other parts than its first ones.
func (t *encodings) group(object uint32, group int, since, span uint32) *groupBits {
	part := (since&7<<2 | span&3) ^ uint32(group)>>groupShift*13%encodingWays
	object &= 1<<(t.shift&31) - 1
	return &t.groups[(part<<(t.shift&31)|object)<<groupShift|uint32(group)&(1<<groupShift-1)]
}

// begin begins a packet. It gives its form a number.
func (t *encodings) begin(f packetForm) {
	if len(t.forms) > 0 && t.forms[0].tick != f.tick {
		t.forms = t.forms[:0]
	}
	i := slices.Index(t.forms, f)
	if i < 0 {
		i = len(t.forms)
		t.forms = append(t.forms, f)
		t.newest++
	}
	t.form = t.newest - uint32(len(t.forms)-1-i)
}

// packetOf returns the packet under construction of a worker. Each worker makes its own. A worker
// beyond maxWorkers gets a new one each time.
func (im *Snapshots) packetOf(worker int) (p *packet) {
	if uint(worker) < maxWorkers {
		p = im.packets[worker]
	}
	if p == nil {
		p = new(packet)
		if uint(worker) < maxWorkers {
			im.packets[worker] = p
		}
	}
	p.encodings.fit(len(im.objects))
	return p
}
