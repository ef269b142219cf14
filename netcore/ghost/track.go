package ghost

// A track is what arrived of a smooth group of a ghost, as far as it may
// still be what an update is relative to: a ring of values, oldest first.
//
// It holds what came in packets after the sender's base packet, and two before.
// A sender shows a group about once a tick, and nothing older than relativeAge
// ticks predicts anything, so trackMax values are enough; of more, the oldest
// are dropped.
type track struct {
	ring  []uint32 // values, each: low bits of the packet's number, its tick, the cells
	most  uint8    // values the ring has room for: a power of two, or 0
	first uint8
	n     uint8
}

const (
	trackMax  = 64 // values, a power of two; more than relativeAge
	trackHead = 2  // words before the cells of a value
)

// at returns value i, counted from the oldest.
func (t *track) at(i, cells int) []uint32 {
	width := trackHead + cells
	i = (int(t.first) + i) & (int(t.most) - 1) * width
	return t.ring[i : i+width]
}

// newest returns the cells of the newest value, nil if there is none.
func (t *track) newest(cells int) []uint32 {
	if t.n == 0 {
		return nil
	}
	return t.at(int(t.n)-1, cells)[trackHead:]
}

// add appends a value, whose cells are to be filled in. grown is by how many
// bytes that made the ring longer.
func (t *track) add(seq, tick uint32, cells int) (value []uint32, grown int) {
	switch {
	case t.n < t.most:
	case t.most < trackMax:
		grown = t.grow(max(2, 2*t.most), cells)
	default:
		t.drop()
	}
	t.n++
	value = t.at(int(t.n)-1, cells)
	value[0], value[1] = seq, tick
	return value[trackHead:], grown
}

// drop removes the oldest value.
func (t *track) drop() {
	t.n--
	t.first = (t.first + 1) & (t.most - 1)
}

func (t *track) grow(most uint8, cells int) (bytes int) {
	ring := make([]uint32, 0, int(most)*(trackHead+cells))
	for i := range int(t.n) {
		ring = append(ring, t.at(i, cells)...)
	}
	ring = ring[:cap(ring)]
	bytes = 4 * (len(ring) - len(t.ring))
	t.ring, t.most, t.first = ring, most, 0
	return bytes
}

// baseline is what the group of an update is relative to.
type baseline struct {
	newer, older []uint32 // cells; older is nil if there is one value only
	since, span  uint32   // ticks from newer to the update, and from older to newer
}

// baseline makes b what an update of a tick, in a packet with that base, is
// relative to, if there is anything, and forgets what no later one will be:
// bases only advance.
func (t *track) baseline(b *baseline, base, tick uint32, cells int) (ok bool) {
	for t.n > 2 && int32(t.at(2, cells)[0]-base) <= 0 {
		t.drop()
	}
	var newer, older []uint32
	if t.n > 0 {
		newer = t.at(0, cells)
	}
	if t.n > 1 {
		if second := t.at(1, cells); int32(second[0]-base) <= 0 {
			newer, older = second, newer
		}
	}
	if newer == nil || int32(newer[0]-base) > 0 || tick-newer[1] > relativeAge {
		return false
	}
	b.newer, b.older, b.since = newer[trackHead:], nil, tick-newer[1]
	if older != nil && tick-older[1] <= relativeAge {
		b.older, b.span = older[trackHead:], newer[1]-older[1]
	}
	return true
}
