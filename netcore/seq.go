package netcore

// Seq is the number of a data packet. The first is 1, none is ever used twice;
// 64 bits do not wrap. Only its low bits travel.
type Seq uint64

// clearBits is how many low bits of a number every packet carries in clear.
const clearBits = 14

// expand returns the number next above last that has the given low bits, or
// false if the low bits belong to a number that is not newer than last.
// A number is newer if it is at most half the clear range ahead.
func expand(last uint64, low uint16) (uint64, bool) {
	ahead := (uint64(low) - last) & (1<<clearBits - 1)
	if ahead == 0 || ahead > 1<<(clearBits-1) {
		return 0, false
	}
	return last + ahead, true
}

// near returns the number at or above base that has the given low bits.
func near(base Seq, code uint64, bits int) Seq {
	return base + Seq((code-uint64(base))&(1<<bits-1))
}
