//go:build !race

package script_test

// raceFactor is the factor by which the race detector slows down the program.
const raceFactor = 1
