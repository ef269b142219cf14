// Package netcore implements connections between two programs and the streams that share a
// connection. Conn and Endpoint are state machines without a socket, a clock or a goroutine. Their
// owner drives them with these calls, and Due says when the next one is due:
//
//	Receive(now, datagram)   a datagram arrived from the peer
//	Tick(now)                time has passed
//	Send(now, out)           pass on the datagrams to send
//
// # The model
//
//	Endpoint ── address ──▶ Conn ──▶ Stream, Stream, Stream ...
//	   │                     │          Pack      write a section of a packet
//	   └─ handshake          │          Unpack    read the peer's section
//	                         │          Notify    learn whether a packet was delivered
//	                         └─ window, rate, pings, end of the connection
//
// A Conn sends datagrams over a network that can lose them. It guarantees one thing: it reports for
// each data packet whether the peer processed it. It reports this exactly once and in the order of
// sending, and the report is always true. A Conn never retransmits a packet. Each stream decides
// what to do after a loss. The event stream packs the lost event into a later packet. The ghost
// stream sends the object's newest state instead of the lost one. The move stream sends each move
// in several packets from the start.
//
// A data packet has a header of about three bytes and one section per stream. The order of the
// sections is fixed and is also the priority of the streams. The whole packet is encrypted and
// authenticated with the session's keys. A packet that fails authentication changes nothing.
//
// # Acknowledgements
//
// The receiver processes packets strictly in order. When a packet is missing, the receiver keeps
// the later packets for a short time. Then it declares the missing packet lost and says so in its
// acks. An ack is final: the receiver drops a packet that arrives after its ack. So the sender's
// record of deliveries is exact.
//
//	sender          1  2  3  4  5 ──▶
//	receiver        1  2     4 kept, 3 comes: 3, 4 processed; ack 4
//	        or      1  2     4 kept, Tick:    4 processed;    ack 4, 3 lost
//
// When the sender stops, nothing follows its last packet. A ping then names that packet, and the
// answer settles it.
//
// # The streams
//
//	netcore/event   messages and strings, with a choice of delivery guarantees
//	netcore/ghost   replicated objects: each peer gets the objects in its scope
//	netcore/move    the player's input, and corrections from the server
//
// # A join
//
//  1. Endpoint.Connect of the client makes a Pending. It asks for a challenge, then for the key
//     exchange. The request names the version, the game and the classes, not the player. If the
//     server has other classes, it says so in its reply, and the introduction lists what the client has.
//  2. The server answers without a session (stateless.go): it checks the cookie, the solution of
//     the puzzle and the limits by address. Endpoint.Send then exchanges the keys, within a budget,
//     and puts the session into the table of half-open sessions.
//  3. The client sends its introduction: name, password, arguments and rate, encrypted with the
//     keys of the session.
//  4. The endpoint collects complete introductions. After Send, its owner takes the oldest one with
//     Endpoint.Asked, decides, calls Endpoint.Answer, and sends again. So a join waits for no tick,
//     and no frame of the endpoint is on the stack while the owner decides. Meanwhile the owner can
//     receive, tick and send.
//     An owner that answers later defers a request (ConnectRequest.Deferred). It moves to a table of
//     its own, delays no other, and its client is shown a text.
//  5. An accepted session becomes a Conn with the keys of the session. A refused one keeps its
//     answer for a while, for a client that repeats its question.
//
// # The fork
//
// Endpoint.Send takes the connections in groups of 64. Each connection of a group that can send
// packs and encrypts into an outbox. Then the owner passes on the packets of the group in order of
// ids, and prints the log lines. The outboxes serve one group after the other, so a connection
// needs no memory for packets.
//
// Config.Parallel packs the connections of a group on several goroutines, such as the pool of
// node/workers. They only read: what the streams send does not change meanwhile. One worker and
// eight workers produce the same bytes.
//
// The owner receives alone. The ghost stream does the work of an ack later, on the workers: at the
// beginning of the next tick, or when it packs. The rest of the work for a received packet takes
// about 4 µs, mostly cache misses. Decryption is 0.8 µs of it, so moving that to the workers gains
// nothing.
//
// # Decisions
//
//   - The receiver announces the highest rate that it accepts, and the sender keeps to it, also
//     while datablocks load. So no transfer overloads a slow line. An announcement in a lost packet
//     is made again.
//   - A browser has an address of a kind of its own (AddrWeb), with its real IP address. So limits
//     and bans hold over each transport, and no web page profits from the exemption of programs on
//     the same machine.
//   - Two endpoints of a process use the same encrypted connection as others, through a Pipe. So
//     there is no second code path, and no unencrypted mode in the program.
//   - All time is an argument. A datagram has the time of its arrival, not of the call: a busy loop
//     does not look like a slow line.
//
// # Where to read
//
//	protocol.go, seq.go         the constants of the wire format; PROTOCOL.md specifies it
//	stream.go                   the contract of a stream; ExampleStream is a small one
//	conn.go                     Conn; also conn_recv.go, conn_send.go, conn_close.go
//	header.go                   the packet headers; one function describes both directions
//	window.go                   packets in flight, and packets received
//	held.go, reorder.go         packets that wait behind a gap, and how long
//	outbox.go                   encrypted datagrams until the owner passes them on
//	rate.go, sendrate.go        how much each side sends, and when; package congestion finds the rate
//	rtt.go, stats.go, log.go    what a connection measures, counts and logs
//	pathsize.go                 the largest datagram that a path carries
//	renewal.go                  new keys
//	migrate.go, route.go        a client with a new address, and how the server knows it
//	reason.go, reset.go         why a connection ends; how one ends that the server does not have
//	endpoint.go                 connections by address
//	addr.go, pipe.go            addresses; two endpoints of a process without a socket
//	link.go, conn_link.go       a bad network in front of a connection
//	handshake.go, payload.go    the packets of the handshake, and their content
//	pending.go, dial.go         the client's half of the handshake
//	admit.go, introduce.go, halfopen.go  the server's half
//	deferred.go                 requests whose owner answers later
//	stateless.go, challenge.go  what strangers get without a session
//	limits.go, difficulty.go    limits by address, and puzzles under attack
//	budget.go                   what all connections together can send, and how they share it
//	fork.go                     packing several connections in parallel
//
// A Conn takes 5 KB of memory without its streams, and about 32 KB with a full window in flight.
// netcore allocates no memory per packet after warm-up. All randomness comes from a seed or a
// reader that the owner supplies. Two runs with the same input are therefore identical. The tests
// use this to run thousands of seeds on a simulated network (netsim). No bytes from a peer can
// cause a panic. Invalid bytes are dropped, or they end the connection with a Reason.
package netcore
