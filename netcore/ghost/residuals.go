package ghost

import (
	"encoding/binary"
	"math/bits"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// Limits of the fast path for residuals.
const (
	quickLeast = 8    // bits of a cell: no short residual is too large for it
	quickMost  = 22   // bits of a cell, for quickSlope
	quickAge   = 2047 // ticks since the newer value, for quickSlope
)

// quickSlope returns since / span as a number of quickShift binary digits. It is too large by less
// than 1.2 / 2^quickShift. The product of it and a difference of quickMost bits therefore has the
// integral part of the exact product. The slope is 0 if span is 0.
func quickSlope(since, span uint32) int64 {
	if span == 0 {
		return 0
	}
	return int64(since)*quickInverses[span]>>(inverseShift-quickShift) + 1
}

// quickMove returns the product of a difference and a slope, rounded toward zero.
func quickMove(difference int32, slope int64) uint32 {
	move := int64(difference) * slope
	return uint32((move + move>>63&(1<<quickShift-1)) >> quickShift)
}

const (
	quickShift   = 30
	inverseShift = 44
)

// quickInverses holds 2^inverseShift / span, rounded up.
var quickInverses = func() (inverses [relativeAge + 1]int64) {
	for span := 1; span < len(inverses); span++ {
		inverses[span] = (1<<inverseShift + int64(span) - 1) / int64(span)
	}
	return inverses
}()

// next sets v to the next value of the cell: the prediction with a slope, plus a delta. far is 32
// minus the width of the cell.
func (c *receivedCell) next(v *receivedValue, far uint8, slope int64, delta uint32) {
	move := quickMove(int32(c.known[1])>>(far&31), slope)
	value := c.known[0] + (move+delta)<<(far&31)
	v[0], v[1] = value, value-c.last
	c.last = value
}

// shortResidualBits is the most bits that an entry of shortResiduals describes.
const shortResidualBits = 10

// shortResiduals holds by order and by the next bits one residual, and two of them.
var shortResiduals = func() (tables [4]struct {
	one, two [1 << shortResidualBits]shortResidual
}) {
	for order := range tables {
		for bits := range 1 << shortResidualBits {
			tables[order].one[bits] = newShortResidual(uint64(bits), order, 1)
			tables[order].two[bits] = newShortResidual(uint64(bits), order, 2)
		}
	}
	return tables
}()

// shortResidual holds one residual, or two of them: their size in bits in the lowest 4 bits, and
// the signed values in 6 bits each. It is 0 if they are too large, or take more than
// shortResidualBits.
type shortResidual int16

func newShortResidual(bits uint64, order, n int) (short shortResidual) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	s, u := bitstream.NewReader(b[:]), uint32(0)
	for i := range n {
		s.Golomb(&u, order)
		if s.Err() != nil || s.Pos() > shortResidualBits || u >= 1<<6 {
			return 0
		}
		short |= shortResidual(unzigzag(u)&63) << (4 + 6*i)
	}
	return short | shortResidual(s.Pos())
}

func (s shortResidual) size() int { return int(s & 15) }

func (s shortResidual) deltas() (first, second uint32) { return uint32(s << 6 >> 10), uint32(s >> 10) }

// residual reads one residual of a cell that is 32 - far bits wide.
func (r *receiver) residual(at, order int, far uint8) (after bitWindow, delta uint32) {
	u, w := uint32(0), r.bytes.fill(at)
	if zeros := bits.TrailingZeros64(w.word); zeros < 16 {
		low := zeros + order
		u = w.skip(zeros+1).low(low) + 1<<(low&31) - 1<<(order&31)
		w = w.skip(zeros + 1 + low)
	} else {
		r.in.Seek(at)
		r.in.Golomb(&u, order)
		w = r.resume()
	}
	if uint64(u)>>(32-far) != 0 {
		r.in.Fail(errResidual)
		w = r.resume()
	}
	return w, unzigzag(u)
}

// resume returns the bits after what the general path has read. If the section has failed, they are
// past any end.
func (r *receiver) resume() bitWindow {
	if r.in.Err() != nil {
		return bitWindow{at: quickEnd}
	}
	return r.bytes.fill(r.in.Pos())
}
