// Package modtrial runs the tests of a mod, the files test/*_test.lua. They run in the mod's own
// Lua state. Each file gets a new server.
//
//	for each file: a server ── the mods ── the tests, one after the other
//	                  │ netsim
//	               the clients of the tests
//
// Time is virtual: a tick passes when a test waits for it. Everything random comes from the seed,
// and no limit depends on wall time. So the same seed and the same files give the same results
// after the same number of ticks. A test that never stops waiting ends after ten minutes of virtual
// time. A test in an endless loop ends at its instruction limit.
package modtrial
