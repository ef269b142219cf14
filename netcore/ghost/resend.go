package ghost

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// In a world that has come to rest there are no later packets that would tell
// of a loss. When the ack of a ghost's newest state is overdue, and there is
// room and nothing new to send, that state is therefore sent once more, without
// waiting for pings: on a line without loss never, on a bad one as often as it
// takes. By the rule of fates a copy is an update like any other.

const (
	ackSlack  = 25 * time.Millisecond  // what an ack may take beyond the round trip: most of a tick of the peer
	ackLeast  = 60 * time.Millisecond  // no ack is overdue before that: it may just have missed a tick
	ackUnsure = 250 * time.Millisecond // an ack is overdue while the round trip is not known
)

// overdue is the age at which a state in flight should have been acknowledged.
func (g *Stream) overdue() netcore.Time {
	if g.conn == nil || g.conn.RTT() == 0 {
		return ackUnsure
	}
	return max(g.conn.RTT()+ackSlack, ackLeast, netcore.Time(float64(time.Second)/g.conn.SendRate().Packets))
}

// takeAgain puts copies of what is in flight into the section, the oldest
// first, as far as there is room.
func (g *Stream) takeAgain(now netcore.Time) {
	f, p := &g.flight, &g.packet
	if now < f.again {
		return
	}
	f.again = netcore.Never
	record := 0
	for i := range f.packets.Len() {
		c := f.packets.At(i)
		if due := c.at + g.overdue(); due > now {
			f.again = min(f.again, due)
			return
		}
		for range c.records {
			if p.used+leastCopy > p.room || len(p.bodies) == mostBodies {
				f.again = now + g.overdue()
				return
			}
			if !g.again(f.record(record), c.tick) {
				f.again = now + g.overdue()
			}
			record++
		}
	}
}

// again puts a copy of a record into the section, unless something newer of the
// ghost is in flight, or will be. It returns false if that could not be now.
func (g *Stream) again(r *record, tick uint32) bool {
	t, id := &g.table, int(r.id)
	switch st := t.state[id]; {
	case r.kill || r.mask == 0 || t.obj[id] == 0 || st != Live && st != Creating:
		return true
	case t.told.has(id) || t.sent[id] != tick || g.pending(id) != 0:
		return true
	case tick == g.snapshots.tick:
		return false
	}
	t.owed[id] = r.mask
	if !g.fits(r.id, g.packet.room, noGroup) {
		t.owed[id] = 0
		return false
	}
	bodies := g.packet.bodies
	bodies[len(bodies)-1].copy = true
	g.stats.Copies++
	return true
}
