// Package scrub removes from the inputs of a server what identifies its players.
//
//	words.go    replaces names, addresses, keys, passwords and what people wrote
//	known.go    finds what is known in a text
//	entry.go    does so in the entries and in the header of a journal
//	watch.go    what the clients of a recorded server said, datagram by datagram
//	client.go   a made-up client, which says the same in other words
//	clients.go  all of them, by address
//
// A replayed server is watched. A second server gets the datagrams of made-up clients: they send the same moves and the same
// commands at the same times, through new connections with keys of their own.
package scrub
