package ghost

import "slices"

// idSet is a set of ghost ids.
type idSet []uint64

func (s idSet) add(id int)      { s[id>>6] |= 1 << (id & 63) }
func (s idSet) drop(id int)     { s[id>>6] &^= 1 << (id & 63) }
func (s idSet) has(id int) bool { return s[id>>6]>>(id&63)&1 != 0 }

// growTo returns a copy of s of length n.
func growTo[T any](s []T, n int) []T {
	to := make([]T, n)
	copy(to, s)
	return to
}

// resize returns s with length n. It keeps the memory of the elements for reuse.
func resize[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}
