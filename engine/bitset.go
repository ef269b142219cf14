package engine

import (
	"iter"
	"math/bits"
)

// A bitSet is a set of small numbers.
type bitSet []uint64

func (s bitSet) has(n uint32) bool { return int(n/64) < len(s) && s[n/64]>>(n%64)&1 != 0 }

func (s *bitSet) add(n uint32) {
	for int(n/64) >= len(*s) {
		*s = append(*s, 0)
	}
	(*s)[n/64] |= 1 << (n % 64)
}

// word returns the w-th 64 bits.
func (s bitSet) word(w int) uint64 {
	if w >= len(s) {
		return 0
	}
	return s[w]
}

// all returns the members in ascending order. Members can be removed meanwhile.
func (s bitSet) all() iter.Seq[uint32] {
	return func(yield func(n uint32) bool) {
		for w, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(uint32(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// len returns the number of members.
func (s bitSet) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

func (s bitSet) remove(n uint32) {
	if s.has(n) {
		s[n/64] &^= 1 << (n % 64)
	}
}
