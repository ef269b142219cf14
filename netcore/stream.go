package netcore

import "github.com/torc-engine/torc/netcore/bitstream"

// Outgoing describes the packet being built.
type Outgoing struct {
	Seq    Seq
	Now    Time
	Conn   *Conn
	Worker int // the worker of Config.Parallel that packs. Each can have memory of its own
}

// Incoming describes the packet being read.
type Incoming struct {
	Seq  Seq
	Now  Time
	Conn *Conn
}

// A Stream is one service on a connection. It has a section in every data packet and learns whether
// each packet was delivered. The connection retransmits nothing; each stream decides what to do
// about a lost section.
//
// The order of a connection's streams is the order of their sections. It is also their priority: a
// stream that packs earlier gets the room first.
//
// Optional methods:
//
//   - Name() string returns the name of the section in logs and reasons.
//   - Due(now Time) Time returns when the stream next wants a packet, Never for no packet. However
//     often it is called, packets stay the same: a replay of a journal does not call it.
//   - Closed(Reason) is called once, after the last Notify.
//   - Sent() is called after each Send of the connection.
//   - Blocked() bool reports that the owner must take what the stream has read before it can read
//     more. The connection then refuses data packets: they get the verdict lost, unread.
//   - Least() int returns the bytes of room that Pack needs; with less, an item would wait for
//     ever. To give a stream that room, a packet can exceed the size that the peer has set, up to
//     MaxDatagram. It then counts as several packets.
//
// An Endpoint can call the Pack methods of several connections in parallel. So Pack must change
// only the stream's own data. It can read shared data, because nothing changes shared data
// meanwhile. Callbacks to the owner must wait for Sent. All other methods run on the owner's
// goroutine.
type Stream interface {
	// Pack appends as much as fits and records it under p.Seq. It must leave no error in w: it
	// rewinds the items without room. wrote = false means that the section holds nothing worth a
	// packet. Pack must then record nothing, because the packet can be dropped and its number used
	// again.
	Pack(w *bitstream.Writer, p Outgoing) (wrote bool)

	// Unpack reads exactly the bits that the peer's Pack wrote. An error ends the connection. A
	// Reason is used as it is; any other error becomes a Violation.
	Unpack(r *bitstream.Reader, p Incoming) error

	// Notify reports the fate of a sent packet: exactly once for each, in the order of sending.
	// Numbers increase and can have gaps. delivered is never a guess: true means
	// that the peer's Unpack has run, false that it never will.
	Notify(seq Seq, delivered bool)
}

// streamName returns the name of a section for logs and reasons.
func streamName(s Stream) string {
	if n, ok := s.(interface{ Name() string }); ok {
		return n.Name()
	}
	return "stream"
}
