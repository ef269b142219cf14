// Package fleet is the other servers to which a server sends players, and from which it takes them.
//
//	--peer NAME=HOST:PORT#KEY ──► Peer ──► Ticketing: seals and opens tickets, with the clock
//	                                  └──► asking: asks the peers for their numbers each 5 s
//
// A server without peers asks nobody and takes nobody. All that comes from outside passes the tape:
// what the tickets say, the sealed tickets, and the numbers of the peers. The secret that two servers
// share does not: it never changes, so every reader of a journal could forge their tickets with it.
//
// # Where to read
//
//	peer.go       a peer, and the text of its flag
//	service.go    the service of a server
//	ticketing.go  tickets
//	asking.go     the queries
//	onward.go     where the players of a draining server go
//	transfer.go   the command transfer
package fleet
