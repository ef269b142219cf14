package ghost

import "math/bits"

// Connections that have the same baseline of an object send the same bits for it. Nearly all
// connections do, so each worker keeps the bodies that it encoded in this tick, and copies them for
// its other connections. The bits do not depend on the table: a missing entry is only encoded again.
//
// In memory, the table is an array of entries of 40 bytes, in encodingWays parts with an entry per
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

// encoding is the body of an update of an object, from its flag relative on, against a baseline that is
// the same for all smooth groups of the mask.
type encoding struct {
	bits, high uint64 // the first 64 bits, and the others
	objectTick uint64 // the object and the tick. The entry is valid in one tick
	groupsAge  groupsAge
	class      uint16
	mask       uint16 // the code of the mask in a packet without a usual mask
	maskSize   uint8  // in bits; longMask if the code does not fit
	size       uint8  // in bits, at most shortCapacity; or longBody
	relative   bool
}

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

// maskCode returns the code of the mask in a packet with another usual mask, or with none.
func (e *encoding) maskCode(usual uint32) (code uint64, bits int) {
	if usual == 0 {
		return uint64(e.mask), int(e.maskSize)
	}
	return uint64(e.mask) << 1, int(e.maskSize) + 1
}

// encodings is the table of a worker. Only that worker uses it.
type encodings struct {
	entries      []encoding
	shift        uint8  // binary logarithm of the entries per part
	used, misses uint64 // bodies that were used, and those that were encoded
}

// fit makes the table large enough for a number of objects.
func (t *encodings) fit(objects int) {
	if need := min(1<<bits.Len(uint(objects)), maxEncodings); len(t.entries) < encodingWays*need {
		t.entries, t.shift = make([]encoding, encodingWays*need), uint8(bits.Len(uint(need-1)))
	}
}

// at returns the entry for an update of an object. ok tells that the entry holds its body.
func (t *encodings) at(object, tick uint32, what groupsAge) (e *encoding, ok bool) {
	e = &t.entries[what.part()<<(t.shift&31)+object&(1<<(t.shift&31)-1)]
	return e, e.groupsAge == what && e.objectTick == objectTick(object, tick)
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
