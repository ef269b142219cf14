package ghost

import (
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// header is the part of a ghost section before its lists, and the parameters of the lists. The
// active flag, the first bit of the section, is not part of it: the caller reads and writes that.
//
//	flag reset       epoch 8
//	flag based       1: base packet = this one − back 8 (1…255), tick − tick(base) + 1 as Gamma
//	                 0: tick 32
//	age 3            a baseline is at most relativeAge << age ticks old
//	3 lists          kills, creates, updates: count, and behind it the list
type header struct {
	reset   bool  // the sender deleted all its ghosts
	epoch   uint8 // number of resets, mod 256; sent only with reset
	based   bool
	back    uint8  // distance to the newest packet that the sender knows to have arrived
	near    bool   // based, and the base is near enough for baselines
	tick    uint32 // of the state in this packet
	age     uint8  // the limit on the age of baselines, 0..maxAge
	kills   uint32
	creates uint32
	updates uint32

	killGap, createGap, updateGap uint8 // the gap parameters of the lists, 0 for an empty list

	usual uint32 // most common mask of the updates, 0 for none; coded after updateGap
}

// codeLead codes the header up to the lists. tickAt returns the tick of the section that is back
// packets before this one.
func (h *header) codeLead(s *bitstream.Codec, tickAt func(back uint8) (tick uint32, ok bool)) {
	if s.Flag(&h.reset) {
		codeByte(s, &h.epoch, 8)
	}
	if !s.Flag(&h.based) {
		s.Uint(&h.tick, 32)
	} else {
		codeByte(s, &h.back, 8)
		h.sinceBase(s, tickAt)
	}
	codeByte(s, &h.age, 3)
}

// oldest returns the highest age in ticks of a value that is a baseline in this section.
func (h *header) oldest() uint32 { return relativeAge << h.age }

// sinceBase codes the tick relative to that of the base packet.
func (h *header) sinceBase(s *bitstream.Codec, tickAt func(back uint8) (tick uint32, ok bool)) {
	base, ok := tickAt(h.back)
	if (!ok || h.back == 0) && s.Err() == nil {
		s.Fail(netcore.Violationf("ghosts: no valid base %d packets back", h.back))
	}
	since := uint64(h.tick-base) + 1
	s.Gamma(&since)
	if s.Reading() {
		if since > 1<<32-uint64(base) {
			s.Fail(netcore.Violationf("ghosts: the tick exceeds 2^32-1"))
		}
		h.tick = base + uint32(since-1)
	}
	h.near = h.back <= relativeAge || h.tick-base <= relativeAge
}

func codeByte(s *bitstream.Codec, v *uint8, n int) {
	x := uint32(*v)
	s.Uint(&x, n)
	if s.Reading() {
		*v = uint8(x)
	}
}

// codeCount codes the length of a list and the parameter of its gaps.
func codeCount(s *bitstream.Codec, n *uint32, gap *uint8) {
	count := uint64(*n) + 1
	s.Gamma(&count)
	if s.Reading() {
		*n, *gap = 0, 0
		if s.Err() != nil {
			return
		}
		if count > idCount+1 {
			s.Fail(netcore.Violationf("%d ghosts in a list: too many", count-1))
			return
		}
		*n = uint32(count - 1)
	}
	if *n > 0 {
		codeByte(s, gap, 4)
	}
}

// codeGap codes the next id of a list. prev is the previous id, −1 at first. Ids ascend. After an
// error id is in range, but wrong.
func codeGap(s *bitstream.Codec, prev *int32, id *uint32, k uint8) {
	gap := *id - uint32(*prev+1)
	s.Rice(&gap, int(k))
	if s.Reading() {
		next := uint64(*prev+1) + uint64(gap)
		if next >= idCount {
			s.Fail(netcore.Violationf("ghost id %d: must be at most %d", next, idCount-1))
			next = 0
		}
		*id = uint32(next)
	}
	*prev = int32(*id)
}

// gapParameter returns the gap parameter that takes the fewest bits for n ids. lo and hi are the
// lowest and the highest id.
func gapParameter(n int, lo, hi int) uint8 {
	best, least := 0, 1<<30
	for k := 0; k < 16; k++ {
		cost := n*(1+k) + lo>>k + max(0, hi-lo+1-n)>>k
		if cost < least {
			best, least = k, cost
		}
	}
	return uint8(best)
}

// codeMask codes the mask of an update: as one bit per group, or as the index of a single group.
func (l *Layout) codeMask(s *bitstream.Codec, mask *uint32) {
	groups := len(l.Groups) - 1 // the updatable groups
	m := *mask >> 1
	single := m&(m-1) == 0
	if groups > rawMask && s.Flag(&single) {
		index := uint32(bits.TrailingZeros32(m))
		s.Uint(&index, bits.Len(uint(groups-1)))
		m = 1 << index
	} else {
		s.Uint(&m, groups)
	}
	if m == 0 || m>>groups != 0 {
		s.Fail(netcore.Violationf("class %s has no groups %#x to update", l.Name, m<<1))
		m = 0
	}
	if s.Reading() {
		*mask = m << 1
	}
}

// codeUsual codes the most common mask of a list of updates, 0 for none.
func codeUsual(s *bitstream.Codec, usual *uint32) {
	v := uint64(*usual>>1) + 1
	s.Gamma(&v)
	if !s.Reading() {
		return
	}
	if *usual = 0; v > 1<<31 {
		s.Fail(netcore.Violationf("updates: the usual group mask is out of range"))
	} else if s.Err() == nil {
		*usual = uint32(v-1) << 1
	}
}

// usualBits returns the size of codeUsual in bits.
func usualBits(usual uint32) int { return 2*bits.Len32(usual>>1+1) - 1 }

// codeMaskOf codes the mask of an update: one bit for the usual mask, or another mask.
func (l *Layout) codeMaskOf(s *bitstream.Codec, mask *uint32, usual uint32) {
	same := *mask == usual
	if usual == 0 || !s.Flag(&same) {
		l.codeMask(s, mask)
		return
	}
	if s.Reading() {
		if *mask = usual; usual&^l.all() != 0 {
			s.Fail(netcore.Violationf("class %s has no groups %#x to update", l.Name, usual))
			*mask = 0
		}
	}
}

// addMask appends the encoding of codeMaskOf to s, for a mask other than the usual one. usual tells
// whether there is a usual mask.
func (l *Layout) addMask(s *shortBits, mask uint32, usual bool) {
	if usual {
		s.add(0, 1)
	}
	groups, m := len(l.Groups)-1, mask>>1
	switch {
	case groups <= rawMask:
		s.add(uint64(m), groups)
	case m&(m-1) == 0:
		s.add(uint64(bits.TrailingZeros32(m))<<1|1, l.maskBits(mask))
	default:
		s.add(uint64(m)<<1, l.maskBits(mask))
	}
}

// maskBits returns the size of codeMask in bits.
func (l *Layout) maskBits(mask uint32) int {
	groups, m := len(l.Groups)-1, mask>>1
	switch {
	case groups <= rawMask:
		return groups
	case m&(m-1) == 0:
		return 1 + bits.Len(uint(groups-1))
	}
	return 1 + groups
}

// predict extrapolates a smooth cell since ticks after its newer value. The line goes through newer
// and the older value, span ticks before it.
func predict(newer, older uint32, since, span uint32, bits int) uint32 {
	return (newer + uint32(divide(signExtend(newer-older, bits)*int64(since), span))) & (1<<bits - 1)
}

// inverses holds 2^64/span, rounded up. Multiplying by it gives the same quotient as a division,
// and is much faster.
var inverses = func() (inverse [relativeAge + 1]uint64) {
	for span := uint64(2); span <= relativeAge; span++ {
		inverse[span] = ^uint64(0)/span + 1
	}
	return inverse
}()

// divide returns step/span, rounded toward zero, and 0 if span is 0. The absolute value of step is
// below 2^45.
func divide(step int64, span uint32) int64 {
	switch {
	case span == 0:
		return 0
	case span == 1:
		return step
	case span > relativeAge:
		return step / int64(span)
	}
	sign := step >> 63
	quotient, _ := bits.Mul64(uint64(step^sign-sign), inverses[span])
	return int64(quotient) ^ sign - sign
}

// signExtend returns the low bits of v as a signed number.
func signExtend(v uint32, bits int) int64 {
	return int64(int32(v<<(32-bits)) >> (32 - bits))
}

// zigzag maps a small signed difference, mod 2^bits, to a small unsigned number.
func zigzag(v uint32, bits int) uint32 {
	d := int32(v<<(32-bits)) >> (32 - bits)
	return uint32(d<<1^d>>31) & (1<<bits - 1)
}

// unzigzag returns the difference, mod 2^32.
func unzigzag(u uint32) uint32 { return u>>1 ^ -(u & 1) }

// residualOrder returns the Golomb order of residuals against a baseline. The rounding of its two
// values is extrapolated, so the error of a prediction grows with since / span. Both ends know both
// numbers, so the order needs no field.
func residualOrder(since, span uint32) int {
	switch {
	case since <= 2*span:
		return 0
	case since <= 4*span:
		return 1
	case since <= 8*span:
		return 2
	}
	return 3
}
