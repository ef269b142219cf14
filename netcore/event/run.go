package event

import "github.com/torc-engine/torc/netcore/bitstream"

// farRun is the form of a run whose first number is near or far, on either side of the receiver's
// next number. gapRun is the width code of such a run with gaps.
const (
	farRun = 3
	gapRun = 3
)

// aheadWidths are the bits of the first number of a run of new events, by form. The receiver's next
// number is at most the first number, so 0 bits suffice while nothing is unsettled.
var aheadWidths = [farRun]int{0, 2, 6}

// numberWidths are the widths of an event's number in bits, by width code.
var numberWidths = [3]int{8, 12, 16}

// run is the part of a section for one ordered channel.
type run struct {
	c     *sendChannel
	gaps  bool
	open  bool // an event was written
	form  int
	width int // width code of a number
	last  uint64
}

// newRun starts a channel's part. It chooses the least form and width that are unambiguous at the
// receiver. The receiver's next number lies between base and next.
func (e *Stream) newRun(c *sendChannel, copies bool) run {
	r := run{c: c, gaps: c.lost > 0 || copies, form: farRun, width: 2}
	unsettled := c.next - c.base
	for i, bits := range numberWidths {
		if unsettled < 1<<(bits-1) {
			r.width = i
			break
		}
	}
	for i, bits := range aheadWidths {
		if !r.gaps && unsettled < 1<<bits {
			r.form = i
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
	case r.form != farRun:
		width := aheadWidths[r.form]
		return 1 | uint64(r.form)<<1 | n&(1<<width-1)<<3, 3 + width
	case r.gaps:
		head, size = 1|farRun<<1|gapRun<<3|uint64(r.width)<<5, 7
	default:
		head, size = 1|farRun<<1|uint64(r.width)<<3, 5
	}
	width := numberWidths[r.width]
	return head | n&(1<<width-1)<<size, size + width
}

// spans reports whether the width suffices for number n after those of the run. The receiver has
// perhaps processed the whole run when it reads n.
func (r *run) spans(n uint64) bool { return r.c.next-n < 1<<(numberWidths[r.width]-1) }

func (r *run) close(w *bitstream.Writer) {
	w.WriteFlag(false)
	if r.open && r.gaps {
		w.WriteFlag(false)
	}
}
