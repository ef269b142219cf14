package ghost

import "math/bits"

// Connections that have the same baseline of an object send the same bits for it. Nearly all
// connections do, so each worker keeps the bodies that it encoded in this tick, and copies them for
// its other connections. The bits do not depend on the table: a missing entry is only encoded again.
//
// In memory, the table is an array of entries of 32 bytes, in encodingWays parts with an entry per
// object. since and span select the part. The updates of a packet have few different baselines, so
// they read a few parts in the order of memory. A new body replaces the entry. Nothing is ever
// cleared: an entry is valid only in the tick of its stamp.

const (
	maxWorkers   = 64      // workers that keep their memory for packing
	encodingWays = 32      // entries per object
	maxEncodings = 1 << 12 // entries per part: 5 MiB in all. Beyond it objects share entries
	longMask     = 255     // the size of the code of a mask above 16 bits
	longBody     = 255     // the size of a body that is not in the table because it is too long
)

// encoding is the body of an update of an object, from its flag relative on. All smooth groups of
// the mask have the same baseline.
type encoding struct {
	bits       uint64 // the first 64 bits
	objectTick uint64 // the object and the tick. The entry is valid in one tick
	groupsAge  groupsAge
	kind       updateKind
	code       uint16 // of the mask, in a packet without a usual mask
	codeSize   uint8  // in bits; longMask if the code does not fit
	size       uint8  // in bits, at most shortCapacity; or longBody
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

// groupsAge is the part of an update that depends on the connection: the mask, and the age of the
// baseline, see Stream.age.
type groupsAge uint64

func newGroupsAge(mask, since, span uint32) groupsAge {
	return groupsAge(mask)<<32 | groupsAge(since)<<16 | groupsAge(span)
}

func (u groupsAge) mask() uint32  { return uint32(u >> 32) }
func (u groupsAge) since() uint32 { return uint32(u>>16) & (1<<16 - 1) }
func (u groupsAge) span() uint32  { return uint32(u) & (1<<16 - 1) }

// part returns the part of a table for an update.
func (u groupsAge) part() uint32 { return uint32(u>>16)&7<<2 + uint32(u)&3 }

// shortMask returns the code of a mask in a packet without a usual mask, and its size for an
// encoding.
func (l *Layout) shortMask(mask uint32) (code uint16, size uint8) {
	n := l.maskBits(mask)
	if n > 16 {
		return 0, longMask
	}
	s := shortBits{}
	l.addMask(&s, mask, false)
	return uint16(s.low), uint8(n)
}

// maskCode returns the code of the mask in a packet with another usual mask, or with none.
func (e *encoding) maskCode(usual uint32) (code uint64, bits int) {
	if usual == 0 {
		return uint64(e.code), int(e.codeSize)
	}
	return uint64(e.code) << 1, int(e.codeSize) + 1
}

// encodings is the table of a worker. Only that worker uses it.
type encodings struct {
	entries      []encoding
	high         []uint64 // of an entry of more than 64 bits: the others
	shift        uint8    // binary logarithm of the entries per part
	shared       bool     // there are more objects than entries per part
	used, misses uint64   // bodies that were used, and those that were encoded
}

// fit makes the table large enough for a number of objects.
func (t *encodings) fit(objects int) {
	need := min(1<<bits.Len(uint(objects)), maxEncodings)
	t.shared = objects > need
	if len(t.entries) < encodingWays*need {
		t.entries, t.high = make([]encoding, encodingWays*need), make([]uint64, encodingWays*need)
		t.shift = uint8(bits.Len(uint(need - 1)))
	}
}

// search fills in the places of the wanted bodies of some ghosts of a word. It returns those whose
// body is not there.
func (t *encodings) search(b *wordBodies, objects *[64]uint32, tick uint32, ids uint64) (missing uint64) {
	entries, shift, low := t.entries, t.shift&31, uint32(1)<<(t.shift&31)-1
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		object, what := objects[i], b.wanted[i]
		place := what.part()<<shift + object&low
		b.places[i] = place
		if e := &entries[place]; e.groupsAge != what || e.objectTick != objectTick(object, tick) {
			missing |= 1 << i
		}
	}
	return missing
}

// replaced returns those of some ghosts of a word whose entry was replaced when the missing bodies
// were encoded, because their objects share it.
func (t *encodings) replaced(b *wordBodies, objects *[64]uint32, missing, ids uint64) (replaced uint64) {
	if !t.shared || missing == 0 {
		return 0
	}
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		if t.entries[b.places[i]].objectTick>>32 != uint64(objects[i]) {
			replaced |= 1 << i
		}
	}
	return replaced
}

func objectTick(object, tick uint32) uint64 { return uint64(object)<<32 | uint64(tick) }

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
