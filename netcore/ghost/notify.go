package ghost

import "github.com/torc-engine/torc/netcore"

// The owner reads the acks of all connections, one after the other, but several workers pack. An
// ack of a packet full of updates costs a third of what packing it did. So Notify only notes the
// fate of a packet. ApplyFates applies it, which several connections can do at once, and so does
// Pack.
//
// Nothing may depend on when that happens: a Pack that writes nothing applies fates, and a server
// with a journal leaves out the rounds that have no reason to send. So whatever changes the ghosts,
// or answers by what has arrived, applies the fates first. Withhold, Hide and StandStill need not:
// their result is the same before and after a fate. People who look do not either.

// fate is the delivery or the loss of a packet.
type fate struct {
	seq       netcore.Seq
	delivered bool
}

const keptFates = 8 // whose memory a connection keeps

// Notify notes the delivery or the loss of a packet.
func (g *Stream) Notify(seq netcore.Seq, delivered bool) {
	if g.flight.packets.Len() > 0 {
		g.snapshots.depth.want(g.round)
	}
	g.told = append(g.told, fate{seq, delivered})
}

// ApplyFates applies the fates that Notify has noted. Call it before a tick looks at what Acked has
// reported. It only changes data of the connection, so several connections can do it at once.
func (g *Stream) ApplyFates() {
	if len(g.told) == 0 {
		return
	}
	told := g.told
	if g.told = told[:0]; cap(told) > keptFates {
		g.told = nil
	}
	for _, f := range told { // apply can call what applies fates
		g.apply(f.seq, f.delivered)
	}
}

// liveID returns the id of an object's ghost, −1 if the peer is not known to have it. A ghost that
// is Live stays so whatever the fates are.
func (g *Stream) liveID(obj uint32) int {
	id := g.table.find(obj)
	if id >= 0 && g.table.state[id] == Creating {
		g.ApplyFates()
	}
	if id < 0 || g.table.state[id] != Live {
		return -1
	}
	return id
}
