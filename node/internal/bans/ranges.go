package bans

import (
	"iter"
	"net/netip"
	"slices"

	"github.com/torc-engine/torc/netcore/seal"
)

// ranges are the lengths of the ranges in a list. A search looks for one range of each length.
type ranges struct{ v4, v6 []length }

// A length is how long the prefix of some ranges is, in bits, and how many they are.
type length struct{ bits, count int }

// family returns the lengths for addresses like this one, the longest first.
func (r *ranges) family(at netip.Addr) *[]length {
	if at.Is4() {
		return &r.v4
	}
	return &r.v6
}

// count counts a target that a list gets (1) or loses (-1).
func (r *ranges) count(t Target, n int) {
	if !t.Range.IsValid() {
		return
	}
	list := r.family(t.Range.Addr())
	at, found := slices.BinarySearchFunc(*list, t.Range.Bits(), func(l length, bits int) int { return bits - l.bits })
	if !found {
		*list = slices.Insert(*list, at, length{bits: t.Range.Bits()})
	}
	if (*list)[at].count += n; (*list)[at].count == 0 {
		*list = slices.Delete(*list, at, at+1)
	}
}

// targets returns the targets that can have a player: the key, then ranges with the address, the
// narrowest first. The address can be invalid.
func (r *ranges) targets(key seal.Key, address netip.Addr) iter.Seq[Target] {
	return func(yield func(Target) bool) {
		if !yield(Target{Key: key}) || !address.IsValid() {
			return
		}
		address := address.Unmap()
		for _, l := range *r.family(address) {
			within, _ := address.Prefix(l.bits) // the family has no longer ranges
			if !yield(Target{Range: within}) {
				return
			}
		}
	}
}
