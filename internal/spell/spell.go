// Package spell compares misspelt names with right ones.
package spell

import "strings"

// maxName is the length in bytes of the longest name that Nearest looks at.
const maxName = 64

// Nearest returns the name in among that is closest to a misspelt name, or "" if none is close
// enough. At most one letter in three, and at most three letters, can differ. Case is ignored. Of
// equally close names the first wins.
func Nearest(name string, among []string) string {
	if len(name) > maxName {
		return ""
	}
	name = strings.ToLower(name)
	best, least := "", min((len(name)+2)/3, 3)+1
	for _, candidate := range among {
		if d := Distance(name, strings.ToLower(candidate)); d < least {
			best, least = candidate, d
		}
	}
	return best
}

// Distance returns the number of bytes to insert, remove or replace to turn a into b (the
// Levenshtein distance).
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
