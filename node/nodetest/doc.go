// Package nodetest simulates whole systems in one process: servers and clients of node with their
// mods, stored values on a disk that can fail, administration, and a network with bad lines and
// hostile programs. Time is virtual and one seed decides everything, so a run can be repeated
// exactly.
//
// A Plan is a list of events. Plans come from a seed: the conditions of a run come from a covering
// array, which has every pair of conditions, and the rest is random. While the events happen,
// oracles check rules that do not depend on the implementation (see oracle.go). Then the network
// becomes perfect and all players must come back and see the same world as the server.
//
// docs/testing.md explains how to run a seed again.
//
// # Where to read
//
//	plan.go, conditions.go            what one run is given: conditions and events
//	system.go, machine.go             the network, and the computers with their clocks
//	player.go, hostile.go             people who start clients; somebody who sends anything
//	disk.go, journals.go              stored values and journals of a run
//	action.go, linkprofile.go         what the events do; the lines of the players
//	operator.go                       the bans and roles that the operator asked for
//	oracle.go, ghostoracle.go         the rules
//	streamoracle.go, rateoracle.go    rules of connections and of rates
//	storageoracle.go                  the rule of stored values
//	puppet.go                         a control object that notes its moves
//	report.go, shrink.go              a failing plan, and a smaller one
//	virtual.go                        a server and clients in virtual time, for other tests
//	live.go, netframe.go, compare.go  nodes on free ports; frames of the net page; worlds and memory
package nodetest
