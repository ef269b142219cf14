//go:build race

package engine_test

// raceFactor is how much more everything allocates under the race detector.
const raceFactor = 4
