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
	maxTables    = 64      // workers with a table
	encodingWays = 32      // entries per object
	maxEncodings = 1 << 17 // entries of a table: 4 MiB. Beyond it objects share entries
	shortBody    = 62      // bits: the longest body in a table
	longBody     = 255     // the size of a body that is not in the table because it is too long
)

// encoding is the body of an update of an object, from its flag relative on, against a baseline that is
// the same for all smooth groups of the mask.
type encoding struct {
	bits        uint64
	object      uint32
	tick        uint32 // the entry is valid in this tick
	mask        uint32
	since, span uint16
	size        uint8 // of bits, or longBody
	relative    bool
}

// encodings is the table of a worker. Only that worker uses it.
type encodings struct {
	entries      []encoding // a power of two
	hits, misses uint64
}

// table returns the table of a worker, nil if it has none. Each worker makes its own.
func (im *Snapshots) table(worker int) *encodings {
	if uint(worker) >= maxTables {
		return nil
	}
	t := im.tables[worker]
	if t == nil {
		t = new(encodings)
		im.tables[worker] = t
	}
	if need := min(encodingWays<<bits.Len(uint(len(im.objects))), maxEncodings); len(t.entries) < need {
		t.entries = make([]encoding, need)
	}
	return t
}

// at returns the entry of a body. It sets ok if the entry holds that body. Otherwise it stamps the
// entry for the body, and the caller must fill in the rest.
func (t *encodings) at(object, tick, mask, since, span uint32) (e *encoding, ok bool) {
	way := since&7<<2 | span&3
	e = &t.entries[(object*encodingWays+way)&uint32(len(t.entries)-1)]
	if e.object == object && e.tick == tick && e.mask == mask && uint32(e.since) == since && uint32(e.span) == span {
		t.hits++
		return e, true
	}
	t.misses++
	e.object, e.tick, e.mask, e.since, e.span = object, tick, mask, uint16(since), uint16(span)
	return e, false
}
