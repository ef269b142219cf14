package ghost

import "github.com/torc-engine/torc/netcore"

// The owner reads the acks of all connections, one after the other, but several workers pack. An
// ack of a packet full of updates costs a third of what packing it did. So Notify only notes the
// fate of a packet, and Pack applies it. The data of the connection then also comes into the cache
// once for both.
//
// Meanwhile the stream looks as if the acks were still under way. So the calls in between need not
// settle, except those whose answer a fate can change. They are calls of the simulation, never of
// people who look: the time of a settlement decides which ids are free.

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

// settle applies the noted fates.
func (g *Stream) settle() {
	if len(g.told) == 0 {
		return
	}
	for _, f := range g.told {
		g.apply(f.seq, f.delivered)
	}
	if g.told = g.told[:0]; cap(g.told) > keptFates {
		g.told = nil
	}
}

// liveID returns the id of an object's ghost, −1 if the peer is not known to have it. A ghost that is
// Live stays so whatever the fates are.
func (g *Stream) liveID(obj uint32) int {
	id := g.table.find(obj)
	if id >= 0 && g.table.state[id] == Creating {
		g.settle()
	}
	if id < 0 || g.table.state[id] != Live {
		return -1
	}
	return id
}
