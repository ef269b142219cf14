// Package order sorts lists of structs where speed means little. Each type that slices.SortFunc
// sorts adds 16 KB to the program, and 9 KB for slices.SortStableFunc: here all types share one
// copy. Lists of names, numbers and pointers share code in package slices, too.
package order

import "sort"

// By sorts a list as slices.SortFunc does. The order of equal elements means nothing.
func By[E any](list []E, compare func(a, b E) int) {
	sort.Slice(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// StableBy sorts a list and keeps the order of equal elements, as slices.SortStableFunc does.
func StableBy[E any](list []E, compare func(a, b E) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
