//go:build race

package script_test

// raceFactor is how much longer everything takes under the race detector.
const raceFactor = 10
