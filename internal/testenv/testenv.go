// Package testenv holds what tests of all packages share: how long a test runs, and child
// processes that end with the test.
//
// A long test has two lengths. `go test ./...` runs the short one. TORC_LONG=1 runs the full one.
// The short one can leave out some rows. TORC_SEEDS=N sets the number of seeds of every sweep,
// TORC_MOST_SEEDS=N the most of a full one, and TORC_SEED_BASE=N the first one, which is 0
// otherwise. .ci/fresh plays seeds that nobody has played before.
//
// A test binary that imports the package collects garbage less often: the tests build many small
// worlds and keep none, and a quarter of their CPU time went to the collector.
package testenv

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"runtime/debug"
	"slices"
)

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// Long reports whether tests run at full length: TORC_LONG is set.
func Long() bool { return os.Getenv("TORC_LONG") != "" }

// Fuzzing reports whether go test fuzzes, which needs all inputs that a fuzz test adds. Else it
// plays these inputs only. It is for fuzz tests, when the flags have been parsed.
func Fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}

// Length returns short, or full if TORC_LONG is set.
func Length[T any](short, full T) T {
	if Long() {
		return full
	}
	return short
}

// Every returns each n-th element of list, or all of them if TORC_LONG is set.
func Every[T any](n int, list []T) (some []T) {
	for i := 0; i < len(list); i += Length(n, 1) {
		some = append(some, list[i])
	}
	return some
}

// EveryKey returns each n-th key of m in order, or all of them if TORC_LONG is set.
func EveryKey[K cmp.Ordered, V any](n int, m map[K]V) []K {
	return Every(n, slices.Sorted(maps.Keys(m)))
}
