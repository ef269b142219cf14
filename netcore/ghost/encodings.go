package ghost

import "math/bits"

// Connections that have the same baseline of an object send the same bits for it. Nearly all
// connections do, so each worker keeps the bodies that it encoded in this tick, and copies them for
// its other connections. The bits do not depend on the table: a missing entry is only encoded again.
//
// In memory, the table is an array of entries of 32 bytes. An object has encodingWays consecutive
// entries, and since and span select one of them. A new body replaces the entry. Nothing is ever
// cleared: an entry is valid only in the tick of its stamp.

const (
	maxWorkers   = 64      // workers that keep their memory for packing
	encodingWays = 32      // entries per object
	maxEncodings = 1 << 17 // entries of a table: 4 MiB. Beyond it objects share entries
	shortBody    = 62      // bits: the longest body in a table
	longMask     = 255     // the size of the code of a mask above 16 bits
	longBody     = 255     // the size of a body that is not in the table because it is too long
)

// encoding is the body of an update of an object, from its flag relative on, against a baseline that is
// the same for all smooth groups of the mask.
type encoding struct {
	bits     uint64
	what     encodingKey
	class    uint16
	mask     uint16 // the code of the mask in a packet without a usual mask
	maskSize uint8  // in bits; longMask if the code does not fit
	size     uint8  // of bits, or longBody
	relative bool
}

// maskCode returns the code of the mask in a packet with another usual mask, or with none.
func (e *encoding) maskCode(usual uint32) (code uint64, bits int) {
	if usual == 0 {
		return uint64(e.mask), int(e.maskSize)
	}
	return uint64(e.mask) << 1, int(e.maskSize) + 1
}

// encodingKey names a body. An entry is valid in one tick.
type encodingKey struct{ objectTick, groupsAge uint64 }

// keyOfEncoding returns the key of a body. since and span are below 2^16.
func keyOfEncoding(object, tick, mask, since, span uint32) encodingKey {
	return encodingKey{uint64(object)<<32 | uint64(tick), uint64(mask)<<32 | uint64(since)<<16 | uint64(span)}
}

// encodings is the table of a worker. Only that worker uses it.
type encodings struct {
	entries      []encoding // a power of two
	hits, misses uint64
}

// fit makes the table large enough for a number of objects.
func (t *encodings) fit(objects int) {
	if need := min(encodingWays<<bits.Len(uint(objects)), maxEncodings); len(t.entries) < need {
		t.entries = make([]encoding, need)
	}
}

// place returns the place of a body in the table.
func place(object, since, span uint32) uint32 { return object*encodingWays + since&7<<2 + span&3 }

// at returns the entry of a body. It sets ok if the entry holds that body. Otherwise it makes it the
// entry of the body, and the caller must fill in the rest.
func (t *encodings) at(object, tick, mask, since, span uint32) (e *encoding, ok bool) {
	what := keyOfEncoding(object, tick, mask, since, span)
	e = &t.entries[place(object, since, span)&uint32(len(t.entries)-1)]
	if e.what == what {
		t.hits++
		return e, true
	}
	t.misses++
	e.what = what
	return e, false
}

// count counts bodies that were used, and how many of them were encoded first.
func (t *encodings) count(used, misses uint64) {
	t.hits += used - min(misses, used)
	t.misses += misses
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
