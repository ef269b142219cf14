package ghost

import "math/bits"

// history holds the values of all smooth groups of an object in the newest ticks. It is a ring
// buffer with an entry per tick, so the entry of a tick is found without a search. It grows with
// the ticks since the object began to move, up to the depth. The ticks after the newest change get
// their entries when the object changes again.
type history struct {
	ring    []uint32 // entries of cells words each; the place of a tick is the tick modulo their number
	changed uint32   // the tick of the newest entry. Its values hold for all later ticks too
	since   uint32   // the tick of the oldest entry. Within the depth, its values hold for earlier ticks too
	mask    uint32   // number of entries minus 1; the number is a power of two
	cells   uint32
}

const restTicks = historyTicks << maxDepth // after so many ticks without a change, a history keeps one entry

// reset drops all entries and adds one of zeros, with a number of cells and a tick.
func (h *history) reset(cells int, tick uint32) {
	*h = history{ring: resize(h.ring, cells), changed: tick, since: tick, cells: uint32(cells)}
	clear(h.ring)
}

// entry returns the place of the values of a tick.
func (h *history) entry(tick uint32) []uint32 {
	from := tick & h.mask * h.cells
	return h.ring[from : from+h.cells]
}

// newest returns the current values.
func (h *history) newest() []uint32 { return h.entry(h.changed) }

// at returns the values that were sent at a tick within the depth, and not before the reset.
func (h *history) at(tick uint32) []uint32 { return h.entry(min(max(tick, h.since), h.changed)) }

// set changes the cells of one group from a tick on. The first cell of the group has index first.
// The other groups keep their values. ticks is the number of ticks that the history must hold, a
// power of two.
func (h *history) set(tick uint32, first int, cells []uint64, ticks uint32) {
	if tick != h.changed {
		h.advance(tick, ticks)
	}
	to := h.newest()[first:]
	for i, c := range cells {
		to[i] = uint32(c)
	}
}

// advance makes an entry for a tick, and for each tick between the newest entry and this one that
// must be held.
func (h *history) advance(tick, ticks uint32) {
	if tick-h.changed >= ticks {
		h.since = tick - 1 // all older values are out of depth
	}
	h.since = max(h.since, tick+1-min(tick+1, ticks))
	if need := tick - h.since + 1; need > h.mask+1 {
		h.resize(need)
	}
	newest := h.newest()
	for t := max(h.changed+1, h.since); t <= tick; t++ {
		copy(h.entry(t), newest)
	}
	h.changed = tick
}

// resize makes the ring hold a number of ticks. The entries from since on must fit.
func (h *history) resize(ticks uint32) {
	old, size := *h, uint32(1)<<bits.Len32(ticks-1)
	h.ring, h.mask = make([]uint32, size*h.cells), size-1
	for t := h.changed; ; t-- {
		copy(h.entry(t), old.entry(t))
		if t <= h.since {
			return
		}
	}
}

// shrink gives back memory of the ring at a tick. The history then holds at most some ticks, or one
// entry after a rest.
func (h *history) shrink(tick, ticks uint32) {
	if tick-h.changed > restTicks {
		h.since, ticks = h.changed, 1
	}
	h.since = min(max(h.since, h.changed+1-min(h.changed+1, ticks)), h.changed)
	if h.mask >= ticks {
		h.resize(ticks)
	}
}
