package ghost

// track holds the received values of a smooth group of a ghost that can still become a baseline. It
// is a ring buffer, oldest first.
//
// It holds the values from packets after the sender's base packet, and two from earlier packets. A
// sender sends a group at most once per packet and at most once per tick. Without a near base, no
// value is a baseline. So trackMax values are enough, and the oldest is dropped when there are more.
type track struct {
	ring     []uint32 // per value: low bits of the packet number, tick, cells
	capacity uint8    // capacity of the ring in values: a power of two, or 0
	first    uint8
	n        uint8
}

const (
	trackMax  = 64 // values: a power of two, at least relativeAge + 2
	trackHead = 2  // words before the cells of a value
)

// at returns value i, counted from the oldest.
func (t *track) at(i, cells int) []uint32 {
	width := trackHead + cells
	i = (int(t.first) + i) & (int(t.capacity) - 1) * width
	return t.ring[i : i+width]
}

// newest returns the cells of the newest value, nil if there is none.
func (t *track) newest(cells int) []uint32 {
	if t.n == 0 {
		return nil
	}
	return t.at(int(t.n)-1, cells)[trackHead:]
}

// add appends a value and returns its cells for the caller to fill in. grown is the number of bytes
// by which the ring grew.
func (t *track) add(seq, tick uint32, cells int) (value []uint32, grown int) {
	switch {
	case t.n < t.capacity:
	case t.capacity < trackMax:
		grown = t.grow(max(2, 2*t.capacity), cells)
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
	t.first = (t.first + 1) & (t.capacity - 1)
}

func (t *track) grow(most uint8, cells int) (bytes int) {
	ring := make([]uint32, 0, int(most)*(trackHead+cells))
	for i := range int(t.n) {
		ring = append(ring, t.at(i, cells)...)
	}
	ring = ring[:cap(ring)]
	bytes = 4 * (len(ring) - len(t.ring))
	t.ring, t.capacity, t.first = ring, most, 0
	return bytes
}

// baseline is the pair of values that the group of an update is encoded against.
type baseline struct {
	newer, older []uint32 // cells; older is nil if there is only one value
	since, span  uint32   // ticks from newer to the update, and from older to newer; span is 0 without older
}

// baseline sets b to the baseline of an update with a tick and a base packet. Values of more than
// oldest ticks before do not count. It returns false if there is no baseline. It drops the values that no later update can use, because the base never
// goes back.
func (t *track) baseline(b *baseline, base, tick, oldest uint32, cells int) (ok bool) {
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
	if newer == nil || int32(newer[0]-base) > 0 || tick-newer[1] > oldest {
		return false
	}
	b.newer, b.older, b.since, b.span = newer[trackHead:], nil, tick-newer[1], 0
	if older != nil && tick-older[1] <= oldest {
		b.older, b.span = older[trackHead:], newer[1]-older[1]
	}
	return true
}
