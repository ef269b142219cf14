// Package remote lets other processes of the same user hand console lines to a running server, over a unix socket in its
// data folder.
//
// Whoever can open the socket has the operator's rights, so it is for its owner alone (0600, in a folder that is 0700).
//
// # On the wire
//
//	→ kick 3\n           a line of at most 4,096 bytes
//	←  text\n            each line of what it has printed, after a space; 1 MiB in all
//	← ok\n               the end, or
//	← error: why\n       the end, if the line has failed
//
// A connection may send one line after the other; each waits for the answer to the one before. Eight connections at a time
// are heard.
package remote
