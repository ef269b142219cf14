// Package sockets gives mods HTTP requests and TCP connections.
//
//	http.get, tcpConnect, … ─► Set ─► Network ─► goroutines with sockets
//	callbacks of the mod    ◄─ Set ◄─ Events  ◄─┘
//
// A Set is a state machine without sockets and clocks. The rows of Lib add to it while mods run. At
// the end of a tick, Flush passes the requests of the mods to the Network. At the start of the next
// tick, Begin takes all events since the last tick, in order, and runs the callbacks. So the events
// of a tick are the only input from the network, and a run with the same events is the same run.
//
// The Network owns the goroutines. Package modnet of node is the real one, Fake is for tests
// of mods.
//
// # Permissions
//
// A mod needs a permission for each host and port that it connects to, and for each port that it
// listens on (manifest.NetPermission, manifest.ListenPermission). The name alone is not enough: the
// Network compares the address that it dials with Check. An address of the own machine or of a
// private network must be in the permission itself or in the operator's list.
//
// # Bounds
//
// Each mod has bounds of its own: requests, connections, listeners, and bytes that wait in either
// direction. A connection reads from its peer only as much as the mod has room for. So a mod that
// is slow, or a peer that is fast, fills no memory.
//
// # A request
//
//  1. The row of http.get asks whether the mod has the permission `net:HOST:PORT`, and adds the
//     request to the Set. Nothing leaves the mod yet.
//  2. At the end of the tick, Set.Flush passes at most four requests of a mod to the Network. A
//     reload that fails before that has sent nothing.
//  3. The Network makes the request on a goroutine. Its dialer calls Target.Check with the address
//     to which the name has been resolved. A check of the name alone, or of an address that is
//     resolved again later, would let the owner of the name lead a mod into the operator's own
//     network.
//  4. The response is an Event. Set.Begin runs the callbacks of the next tick while the mod has
//     time left.
//  5. Set.Retire ends everything of a mod instance when it is unloaded or replaced.
//
// Lines of TCP connections take the same path.
//
// # Where to read
//
//	set.go                the requests, connections and listeners of all mods
//	network.go            the contract of a Network, and its events
//	lib.go, handle.go     the rows for Lua, and their handles
//	http.go               requests
//	tcp.go, line.go       connections and listeners; lines of a connection
//	address.go            addresses that are not public hosts
//	fake.go, testrows.go  the network of a test
package sockets
