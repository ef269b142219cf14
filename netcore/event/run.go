package event

import "github.com/torc-engine/torc/netcore/bitstream"

// gapRun is the width code of a run with gaps.
const gapRun = 3

// numberWidths are the widths of an event's number in bits, by width code.
var numberWidths = [3]int{8, 12, 16}

// run is the part of a section for one ordered channel.
type run struct {
	c     *sendChannel
	gaps  bool
	open  bool // an event was written
	width int  // width code of a number
	last  uint64
}

// newRun starts a channel's part. It chooses the least width that is unambiguous at the receiver.
// The receiver's next number lies between base and next.
func (e *Stream) newRun(c *sendChannel, carry bool) run {
	r := run{c: c, gaps: c.lost > 0 || carry, width: 2}
	for i, bits := range numberWidths {
		if c.next-c.base < 1<<(bits-1) {
			r.width = i
			break
		}
	}
	return r
}

// head returns the bits before event n and their number.
func (r *run) head(n uint64) (head uint64, size int) {
	switch {
	case r.open && n == r.last+1:
		return 1, 1
	case r.open:
		head, size = 2, 2 // 0, then 1
	case r.gaps:
		head, size = 1|gapRun<<1|uint64(r.width)<<3, 5
	default:
		head, size = 1|uint64(r.width)<<1, 3
	}
	width := numberWidths[r.width]
	return head | n&(1<<width-1)<<size, size + width
}

func (r *run) close(w *bitstream.Writer) {
	w.WriteFlag(false)
	if r.open && r.gaps {
		w.WriteFlag(false)
	}
}
