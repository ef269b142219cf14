// Package meeting is how players and servers find each other: queries, the local network, a
// rendezvous, and the way back after a broken line.
//
// # Where to read
//
//	meeting.go       the service of a server
//	answers.go       its answers to queries, also of the local network
//	registrar.go     its registration at a rendezvous
//	via.go           how a client finds a server through a rendezvous
//	reconnecting.go  when a client that has lost its server tries again
package meeting
