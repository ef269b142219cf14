package netcore

import "github.com/torc-engine/torc/netcore/bitstream"

// Outgoing is the packet that is being built.
type Outgoing struct {
	Seq  Seq
	Now  Time
	Conn *Conn
}

// Incoming is the packet that is being read.
type Incoming struct {
	Seq  Seq
	Now  Time
	Conn *Conn
}

// A Stream is one manager's share of a connection: it has a section in every
// data packet and learns the fate of each. Nothing below it sends anything
// twice; what a lost section means is the stream's own decision.
//
// The order of a connection's streams is the order of their sections, and so
// their priority: who packs first has the room.
//
// Optional methods: Name() string names the section in logs and reasons;
// Due(now Time) Time says when the stream next wants a packet (Never for
// nothing); Closed(Reason) is called once, after the last Notify; Sent() is
// called after each Send of the connection, by the owner; Least() int says for
// how many bytes Pack must have room, or else what waits for it waits for ever.
// That may make a packet larger than the peer has asked for, up to MaxDatagram:
// it then counts as several.
//
// An Endpoint may have several connections Pack at once. So Pack changes only
// what is the stream's own; what is shared it reads, while nobody changes it;
// and whatever calls back to the owner waits for Sent. All other methods are
// called by the owner alone.
type Stream interface {
	// Pack appends what fits and remembers it under p.Seq. It leaves no error
	// in w: what does not fit is rewound. wrote = false means that nothing in
	// the section is worth a packet; then it must have recorded nothing, since
	// the packet may be abandoned and its number used again.
	Pack(w *bitstream.Writer, p Outgoing) (wrote bool)

	// Unpack reads what the peer's Pack wrote, exactly. An error ends the
	// connection: a Reason as it is, any other error as a Violation.
	Unpack(r *bitstream.Reader, p Incoming) error

	// Notify tells the fate of a packet that was sent: exactly once for each,
	// in the order of sending. Numbers increase but may have holes. delivered
	// is the truth: the peer's Unpack ran, or it did not and never will.
	Notify(seq Seq, delivered bool)
}

// streamName returns what logs and reasons call the section of s.
func streamName(s Stream) string {
	if n, ok := s.(interface{ Name() string }); ok {
		return n.Name()
	}
	return "stream"
}
