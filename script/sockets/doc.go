// Package sockets gives mods HTTP requests and TCP connections.
//
//	http.get, tcpConnect, … ─► Set ─► Network ─► goroutines with sockets
//	callbacks of the mod    ◄─ Set ◄─ Events  ◄─┘
//
// A Set is a state machine without sockets and clocks. The rows of Lib add to it while mods run. At
// the end of a tick, Flush passes the requests of the mods to the Network. At the start of the next tick,
// Begin takes all events since the last tick, in order, and runs the callbacks. So the events of a
// tick are the only input from the network, and a run with the same events is the same run.
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
// direction. A connection reads from its peer only as much as the mod has room for. So a mod that is
// slow, or a peer that is fast, fills no memory.
package sockets
