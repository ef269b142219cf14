//go:build race

package main

// buildFlags make the binary under test watch for races when the tests do.
var buildFlags = []string{"-race"}
