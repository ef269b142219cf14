// Package core has what nodes and their services share: the goroutine that owns a node, its clock,
// its world, its data folder.
//
//	Core ─┬─ Owner  the goroutine of Run: functions of other goroutines, hooks, output, the orderly end
//	      ├─ Side   a host with its console and its scripts
//	      ├─ Home   the data folder, or memory
//	      └─ Loop   datagrams in, ticks on time, datagrams out
//
// Packages of nodes make a Core: node, node/swarm, node/replay and node/demo. Services get one.
//
// # Where to read
//
//	core.go, node.go      the parts of a node, and its methods for programs
//	service.go            the contract of a service
//	common.go, web.go     settings of all nodes, and errors about them
//	owner.go, posts.go    one goroutine owns a node; others hand it functions
//	loop.go, pace.go      waits for datagrams, and runs ticks on time
//	stand.go              the loop while a debugger holds a script
//	side.go, load.go      a host with its scripts: how it is made, given mods, and run
//	swap.go               the second side of a client that goes to another server
//	date.go               the date that mods see
//	parts.go              what Lua has outside of browsers; parts_js.go inside
//	edge.go, clock.go     what a node takes from its machine
//	socket.go             UDP sockets, names and puzzles; socket_js.go where there are none
//	home.go               the data folder
//	thread_linux.go       the CPU clock of a thread; thread_other.go where Go cannot read it
package core
