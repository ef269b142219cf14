// Package netcore is the protocol: connections between two programs, and the
// streams that share them, as machines without a socket, a clock or a
// goroutine. Whoever owns a machine drives it with three verbs:
//
//	Receive(now, datagram)   bytes came from the peer
//	Tick(now)                time has passed
//	Send(now, out)           what is there to send?
//
// # The model
//
//	Endpoint ── address ──▶ Conn ──▶ Stream, Stream, Stream ...
//	   │                     │          Pack      write a section of a packet
//	   └─ handshake          │          Unpack    read the peer's
//	                         │          Notify    what became of it
//	                         └─ window, rate, pings, the end
//
// A Conn sends datagrams that may be lost, and promises one thing: of every
// data packet it will tell, exactly once, in the order of sending and
// truthfully, whether the peer processed it. It never sends a packet twice.
// What a loss means is each stream's own decision: an event goes into a later
// packet, the state of an object gives way to its newer state, a move is
// forgotten. That is why a stream has three verbs and the wire no retransmission.
//
// A data packet is a header of about three bytes and one section per stream, in
// a fixed order that is their priority; all of it is sealed with the session's
// keys. A packet that does not open changes nothing at all.
//
// # Truth
//
// The receiver handles packets strictly in order. One that comes before its
// predecessor is kept for a moment; then the gap is closed for ever, and the
// acks say so. The ack that is written is the verdict: what comes after it is
// dropped, so what the sender was told stays true.
//
//	sender          1  2  3  4  5 ──▶
//	receiver        1  2     4 kept, 3 comes: 3, 4 processed; ack 4
//	        or      1  2     4 kept, Tick:    4 processed;    ack 4, 3 lost
//
// The last packet before a silence is settled by a ping that names it.
//
// # Ghosts
//
//	owner, once a tick            connections, maybe all at once        peer
//	Images.Begin, Set  ──read──▶  Ghosts.Pack: derive, choose, write ──▶ Unpack: Changes ──▶ Next
//
// A Ghosts stream shows objects to the peer: who is put in scope appears there,
// follows its object's newest state, and goes when it leaves. Images hold the
// state, quantised once for all, and when each group changed; from that follows
// what a connection owes. A loss gives back what no later packet carries.
//
// # Moves
//
//	who plays              who simulates
//	Push ──────moves─────▶ Next
//	Answer, Settle ◀─────── SetState
//
// A Moves stream carries what a player does to the side that simulates it: each
// move in several packets, done at most once and in order. Back comes how far
// they are done, and the state of what the player controls where the two sides
// do not agree.
//
// # Where to read
//
//	protocol.go     what both ends must agree on; PROTOCOL.md says it in prose
//	stream.go       the contract of a stream; ExampleStream is one
//	conn.go         Conn; conn_recv.go, conn_send.go, conn_close.go by verb
//	window.go       which packets are open, which are closed
//	header.go       the header, one description for both directions
//	rate.go, sendrate.go   who may send how much, and when
//	endpoint.go     the one door for datagrams: connections and handshakes
//	events.go       the event stream: guarantees on top of fates
//	moves.go        the move stream; movemade.go, movetaken.go by side, movewire.go between
//	layout.go, images.go   classes and states of objects as they travel
//	ghosts.go       the ghost stream; ghostsend.go, ghostfate.go, ghostrecv.go by verb
//	fork.go         the one place where connections are at work at once
//
// The package allocates nothing per packet once it is warm. Everything random
// comes from a seed or a reader its owner supplies; two runs with the same
// input are the same run, which netsim uses to test all this over thousands of
// seeds. Bytes of a peer never cause a panic: they are dropped, or end the
// connection with a Reason.
package netcore
