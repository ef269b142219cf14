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
// There are two tables. One holds updates. The key of an update is its object, its mask, and the
// ages of the baselines of its groups, so the connections that know the same values find it with
// one search. The other holds groups of objects, whole or relative to a baseline of an age. Updates
// that the first one lacks are joined from them. Only an update with all smooth groups, and nothing
// else, is encoded at once.
//
// In memory, a table is an array of parts with an entry per object, or a few of them. The object
// selects the place in a part. The rest of the key selects the part, and common keys of an object
// fall into different ones. A new entry replaces the one at its place. Nothing is ever cleared: an
// update is valid only in packets of its form, and a group only in its tick.

const (
	maxWorkers   = 64      // workers that keep their memory for packing
	updateParts  = 32      // parts of the table of updates
	groupParts   = 8       // parts of the table of groups
	maxEncodings = 1 << 12 // updates per part: 5 MiB per worker. Beyond it objects share entries
	groupShift   = 2       // binary logarithm of the groups of an object in a part: 4 MiB per worker
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

// groupKey is a group and the age of its baseline: the ticks since the newer known value, and the
// span to the older one. Both are 0 for a whole group, and below 2^12 (maxDepth) for all others.
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

// encoding is an update of a ghost, from its mask on.
type encoding struct {
	low, high    uint64 // the bits
	ages         uint64 // of the baselines of its groups, see pairOfAges and findAges
	object, form uint32 // the number of the object, and that of the form of the packet
	mask         uint32
	kind         updateKind
	size         uint8 // in bits, at most shortCapacity
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

const (
	// ageBits are those of a group in the ages of an update of a ghost whose groups have different
	// baselines (table.split, known.go). Half of them are the span. A groupKey has 12 bits for each
	// half. Here 7 must do, so that the ages of mostAges groups fit into 64 bits: older baselines
	// are rare, and the table does not hold their updates.
	ageBits  = 14
	mostAges = 4
)

// placeOf returns the place of an update in a table with 1<<shift updates per part.
func placeOf(object, mask uint32, ages uint64, shift uint8) uint32 {
	part := (ages ^ uint64(mask)<<40) * 0x9e3779b97f4a7c15 >> 32 % updateParts
	return uint32(part)<<(shift&31) | object&(1<<(shift&31)-1)
}

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
	if len(t.updates) < updateParts*need {
		t.updates = make([]encoding, updateParts*need)
		t.shift = uint8(bits.Len(uint(need - 1)))
		t.groups = make([]groupBits, groupParts*need<<groupShift)
	}
}

// placeOfGroup returns the place of the bits of a group of an object.
func (t *encodings) placeOfGroup(object uint32, key groupKey) *groupBits {
	part := uint32(key>>groupShift) * 0x165667b1 >> 25 % groupParts
	object &= 1<<(t.shift&31) - 1
	return &t.groups[(part<<(t.shift&31)|object)<<groupShift|uint32(key)%(1<<groupShift)]
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
func (s *Snapshots) packetOf(worker int) (p *packet) {
	if uint(worker) < maxWorkers {
		p = s.packets[worker]
	}
	if p == nil {
		p = new(packet)
		if uint(worker) < maxWorkers {
			s.packets[worker] = p
		}
	}
	p.encodings.fit(len(s.objects))
	return p
}
