// Package nodetest simulates whole systems in one process: servers and clients of node with their mods, stored
// values on a disk that can fail, administration, and a network with bad lines and hostile programs. Time is
// virtual and one seed decides everything, so a run can be repeated exactly.
//
// A Plan is a list of events. Plans come from a seed: the conditions of a run come from a covering array, which has every
// pair of conditions, and the rest is random. While the events happen, oracles check rules that do not depend on the
// implementation (see oracle.go). Then the network becomes perfect and all players must come back and see the
// same world as the server.
//
// docs/testing.md explains how to run a seed again.
package nodetest
