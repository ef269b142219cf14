// Package trial runs the tests of a mod.
//
// The files of test/ are loaded into the state of their mod. A test is a coroutine. When it waits,
// Step returns, and the owner of the TestNetwork lets simulation time pass.
//
//	Trial.Load(file) ──► []*Test ──► Step ──► the test waits ──► TestNetwork: time passes ──► Step …
//	                                   │
//	                                   └─ client, network, log: calls of the TestNetwork
//
// The server and each simulated client is an Actor. Values that go to the console of an actor or
// come from it are copied; objects become their ghosts, and ghosts become objects.
//
// # Where to read
//
//	trial.go     the TestNetwork, actors, and the course of a test
//	lib.go       the functions of test files
//	actor.go     test clients in Lua
//	fleet.go     other servers of the fleet
//	values.go    the values that they share
//	arrivals.go  the players whom they take
//	ghosts.go    objects and their ghosts on an actor
//	compare.go   the differences between two values
package trial
