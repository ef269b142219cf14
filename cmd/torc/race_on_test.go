//go:build race

package main

// buildFlags make the binary under test watch for races when the tests do.
var buildFlags = []string{"-race"}

// watched says that the detector watches, for which all is ten times as slow. What is long and on one goroutine does less.
const watched = true
