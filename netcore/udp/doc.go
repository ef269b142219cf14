// Package udp opens UDP sockets. It is the only package of torc that does, and
// the only package of the protocol that imports net.
//
// A Socket has one goroutine. That goroutine only reads:
//
//	socket ──▶ reader ──▶ Packets() ──▶ the owner's loop: Endpoint.Receive, Packet.Free
//	socket ◀───────────────── Write ◀── the owner's loop: Endpoint.Send
//
// Each datagram has the time of its arrival (Packet.At). The channel is that
// of a Queue, which other sources of datagrams have too. It is
// bounded. If the owner is too slow, the reader drops and counts arriving
// packets, like packet loss. Memory does not grow. Packets are pooled, so a
// socket in steady use does not allocate.
//
// One port can carry other protocols too. Others passes their datagrams to a
// function, by the first byte alone, so they never reach the queue of the owner.
//
// On Linux the reader of a server's socket gets all waiting datagrams with one
// system call (raw_linux.go). While they come densely it sleeps a millisecond in
// between, so many clients do not wake the process for each datagram. Go's poller
// would, so the socket is behind a gate of its own (gate_linux.go). All other
// sockets are read datagram by datagram.
//
// Listen opens a server's socket. It uses IPv4 and IPv6 together if the address
// names no family. Dial opens a client's socket. Both sockets are unconnected.
// So ICMP errors from routers do not end a connection, and one socket can reach
// many peers.
//
// # Where to read
//
//	socket.go                   Socket: binding, reading, writing
//	queue.go                    received datagrams on their way to the owner
//	transport.go                the part that depends on the system
//	raw_linux.go, raw_other.go  many datagrams per call of the kernel
//	gate_linux.go, flow.go      when a reader sleeps, and when it wakes
//	own_linux.go, own_other.go  the own address and the time of a datagram
//	resolve.go, zones.go        names, and zones of IPv6 addresses
//	multicast.go                searches of the local network
package udp
