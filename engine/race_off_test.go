//go:build !race

package engine_test

// raceFactor is the factor by which allocations grow under the race detector.
const raceFactor = 1
