// Package udp is the one place in torc that opens a socket for datagrams, and
// the only importer of net among the packages of the protocol.
//
// A Socket has one goroutine, which reads and does nothing else:
//
//	socket ──▶ reader ──▶ Packets() ──▶ the owner's loop: Endpoint.Receive, Packet.Free
//	socket ◀───────────────── Write ◀── the owner's loop: Endpoint.Send
//
// The channel is bounded. When the owner does not keep up, the reader drops
// what arrives and counts it, as the network would: nothing grows. Packets are
// pooled, so a warm socket allocates nothing.
//
// Listen opens a server's socket, for IPv4 and IPv6 at once where the address
// names no family; Dial opens a client's. Both are the same thing afterwards:
// unconnected, so that a connection is never ended by what some router says of
// it, and one socket can lead to many peers.
package udp
