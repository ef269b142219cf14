// Package spell compares misspelt names with right ones.
package spell

import "strings"

// maxName is the length in bytes of the longest name that Nearest looks at.
const maxName = 64

// Nearest returns the name in among that is closest to a misspelt name, or "" if none is close
// enough. Case is ignored. Of equally close names the first wins. The length of the shorter name
// limits the typing errors between them:
//
//	up to 2 letters: none
//	3 to 5 letters:  one
//	6 to 8 letters:  two
//	more letters:    three
//
// In addition, two names of three letters differ only by swapped neighbours, and with two errors or
// more the first letters must be equal. A suggestion of another name is worse than none, and short
// names have many neighbours: get and set, pos and pop. Two swapped neighbours are one error.
func Nearest(name string, among []string) string {
	if len(name) > maxName {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", maxErrors+1
	for _, candidate := range among {
		if d := errorsBetween(name, strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

const maxErrors = 3

// errorsBetween returns the distance of two names, or more than maxErrors if they are different
// names.
func errorsBetween(a, b string) int {
	if a == b {
		return 0
	}
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	if swapped(a, b) {
		return 1
	}
	if limit := shorter / 3; longer > 3 && longer-shorter <= limit {
		if d := Distance(a, b); d <= limit && (d == 1 || a[0] == b[0]) {
			return d
		}
	}
	return maxErrors + 1
}

// swapped reports whether two different names are equal but for two swapped neighbours.
func swapped(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// Distance returns the number of typing errors between a and b: bytes to insert, remove or replace,
// and neighbours to swap. No byte is changed twice.
func Distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, before[j-1]+1)
			}
			row[j+1] = min(cost, row[j]+1, last[j+1]+1)
		}
	}
	return row[len(b)]
}
