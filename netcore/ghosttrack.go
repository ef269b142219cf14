package netcore

// A ghostTrack is what arrived of a smooth group of a ghost, as far as it may
// still be what an update is relative to: a ring of values, oldest first.
//
// It holds what came in packets after the sender's base packet, and two before.
// A sender shows a group about once a tick, and nothing older than relativeAge
// ticks predicts anything, so trackMax values are enough; of more, the oldest
// are dropped.
type ghostTrack struct {
	ring  []uint32 // values, each: low bits of the packet's number, its tick, the cells
	first uint8
	n     uint8
}

const (
	trackMax  = 64 // values; more than relativeAge
	trackHead = 2  // words before the cells of a value
)

// at returns value i, counted from the oldest.
func (t *ghostTrack) at(i, cells int) []uint32 {
	width := trackHead + cells
	i += int(t.first)
	if most := len(t.ring) / width; i >= most {
		i -= most
	}
	return t.ring[i*width : (i+1)*width]
}

// newest returns the cells of the newest value, nil if there is none.
func (t *ghostTrack) newest(cells int) []uint32 {
	if t.n == 0 {
		return nil
	}
	return t.at(int(t.n)-1, cells)[trackHead:]
}

// add appends a value, whose cells are to be filled in. grown is by how many
// bytes that made the ring longer.
func (t *ghostTrack) add(seq, tick uint32, cells int) (value []uint32, grown int) {
	most := len(t.ring) / (trackHead + cells)
	if int(t.n) == most {
		if most < trackMax {
			grown = t.grow(max(2, 2*most), cells)
		} else {
			t.drop(cells)
		}
	}
	t.n++
	value = t.at(int(t.n)-1, cells)
	value[0], value[1] = seq, tick
	return value[trackHead:], grown
}

// drop removes the oldest value.
func (t *ghostTrack) drop(cells int) {
	t.n--
	if t.first++; int(t.first) == len(t.ring)/(trackHead+cells) {
		t.first = 0
	}
}

func (t *ghostTrack) grow(most, cells int) (bytes int) {
	width := trackHead + cells
	ring := make([]uint32, most*width)
	for i := range int(t.n) {
		copy(ring[i*width:], t.at(i, cells))
	}
	bytes = 4 * (len(ring) - len(t.ring))
	t.ring, t.first = ring, 0
	return bytes
}

// ghostBaseline is what the group of an update is relative to.
type ghostBaseline struct {
	newer, older []uint32 // cells; older is nil if there is one value only
	since, span  uint32   // ticks from newer to the update, and from older to newer
}

// baseline returns what an update of a tick, in a packet with that base, is
// relative to, and forgets what no later one will be: bases only advance.
func (t *ghostTrack) baseline(base, tick uint32, cells int) (b ghostBaseline, ok bool) {
	for t.n > 2 && int32(t.at(2, cells)[0]-base) <= 0 {
		t.drop(cells)
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
		return ghostBaseline{}, false
	}
	b = ghostBaseline{newer: newer[trackHead:], since: tick - newer[1]}
	if older != nil && tick-older[1] <= relativeAge {
		b.older, b.span = older[trackHead:], newer[1]-older[1]
	}
	return b, true
}
