// Package serverlist is the public list of the servers of a rendezvous: what is in it, and its file
// servers.json. The section "The public list" of netcore/PROTOCOL.md specifies both.
//
// Nothing is in a list that was not proven. A server proves its key and its address to the
// rendezvous, and says there that it wants to be listed. The list asks it for the rest by a query,
// at once and then each minute. A server that does not answer keeps its numbers, which are marked
// as old; only the end of its registration removes it.
//
// The package has no socket, no clock and no goroutine.
//
// # Where to read
//
//	list.go   the servers, and when each is asked
//	record.go one server: its addresses, and its answers
//	entry.go  a server in servers.json: its bounds and its order
//	site.go   the links that a list shows
//	read.go   a client reads a list, or several
package serverlist
