// Package modtrial runs the tests of a mod: test/*_test.lua, in the mod's own state on a server that nobody else is on.
//
//	for each file: a server ── the mods ── the tests, one after the other
//	                  │ netsim
//	               clients that the tests bring in
//
// Time is virtual: a tick passes when a test waits for it. Everything random comes from the seed, and no limit is one of
// wall time, so the same seed and the same files end in the same results after the same number of ticks. A test that
// waits for ever ends after ten minutes of that time; one that loops ends by its budget of instructions.
package modtrial
