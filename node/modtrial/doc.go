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
//
// # A test runs
//
//  1. `torc mod test ctf` or a reload calls Run. For each file it makes a server: an engine.Host
//     with the same mods, a console, a simulated network (netsim) and virtual time.
//  2. The functions for tests run in the Lua state of the tested mod. They get clients and ticks
//     through trial.TestNetwork. The tests see the globals of the mod, so it needs no exports for
//     them.
//  3. A test is a coroutine. `wait(100)` yields to the runner. The runner ticks server and clients
//     until the condition holds, then resumes the test.
//
// Before a reload the mod is loaded and its tests run on another goroutine, with newly read files,
// so they cannot harm the game. A mod without tests is only loaded. The loop gets the result
// between two ticks.
package modtrial
