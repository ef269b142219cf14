package netcore

// Seq is the number of a data packet. Numbers start at 1, and none is used twice. 64 bits never
// overflow. Packets carry only the low bits.
type Seq uint64

// clearBits is the number of low bits of its number that every packet carries unencrypted.
const clearBits = 14

// expand returns the next number above last with the given low bits. It returns false if these low
// bits belong to an older number. A number counts as newer if it is at most half the range of
// clearBits ahead.
func expand(last uint64, low uint16) (uint64, bool) {
	ahead := (uint64(low) - last) & (1<<clearBits - 1)
	if ahead == 0 || ahead > 1<<(clearBits-1) {
		return 0, false
	}
	return last + ahead, true
}

// before returns the newest number at or below last with the given low bits, 0 if there is none.
func before(last uint64, low uint16) Seq {
	behind := (last - uint64(low)) & (1<<clearBits - 1)
	return Seq(last - min(behind, last))
}

// nextWithLowBits returns the first number at or above base that has the given low bits.
func nextWithLowBits(base Seq, code uint64, bits int) Seq {
	return base + Seq((code-uint64(base))&(1<<bits-1))
}
