package ghost

import (
	"math/bits"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// When no object changes any more, no later packets reveal a loss. So the stream sends a ghost's
// newest state once more if three conditions hold: the ack of that state is overdue, the packet has
// room, and nothing new is left to send. It does not wait for pings. Without packet loss this never
// happens; with loss it repeats until an ack arrives. A copy is an update like any other for
// Notify.

const (
	ackSlack             = 25 * time.Millisecond  // added to the round-trip time: most of a tick of the peer
	minAckTimeout        = 60 * time.Millisecond  // minimum age of an overdue ack: it may have missed a tick
	ackTimeoutWithoutRTT = 250 * time.Millisecond // age of an overdue ack while the round-trip time is unknown
)

// ackTimeout returns the age from which on the ack of a state in flight is overdue.
func (g *Stream) ackTimeout() netcore.Time {
	if g.conn == nil || g.conn.RTT() == 0 {
		return ackTimeoutWithoutRTT
	}
	return max(g.conn.RTT()+ackSlack, minAckTimeout, g.conn.SendInterval())
}

// takeCopies puts copies of records in flight into the section, the oldest first, while there is
// room.
func (g *Stream) takeCopies(now netcore.Time) {
	f, p := &g.flight, g.packet
	if now < f.nextCopyScan {
		return
	}
	f.nextCopyScan = netcore.Never
	record := 0
	for i := range f.packets.Len() {
		c := f.packets.At(i)
		if due := c.at + g.ackTimeout(); due > now {
			f.nextCopyScan = min(f.nextCopyScan, due)
			return
		}
		for range c.records {
			r := *f.records.At(record)
			for ids := r.ids; ids != 0; ids &= ids - 1 {
				if p.used+minCopyBits > p.room {
					f.nextCopyScan = now + g.ackTimeout()
					return
				}
				if !g.takeCopy(int(r.word)<<6+bits.TrailingZeros64(ids), &r, c.tick) {
					f.nextCopyScan = now + g.ackTimeout()
				}
			}
			record++
		}
	}
}

// takeCopy puts a copy of the groups of a record into the section. It skips a ghost if newer state
// of it is in flight or owed. It returns false if the caller must try again later.
func (g *Stream) takeCopy(id int, r *record, tick uint32) bool {
	t := &g.table
	switch st := t.state[id]; {
	case r.kill || t.obj[id] == 0 || st != Live && st != Creating:
		return true
	case t.confirmed(id) || t.sent[id] != tick || g.pending(id) != 0:
		return true
	case tick == g.snapshots.tick:
		return false
	}
	updated, mask := t.updatedAt(id), r.mask&^t.withheld(id)
	t.owe(id, r.mask)
	taken := false
	if t.state[id] == Creating {
		taken = g.takeCreate(id, g.packet.room)
	} else if mask != 0 {
		taken = g.takeUpdate(id, mask)
	}
	if !taken {
		t.owe(id, 0)
		return false
	}
	t.copy(id, updated)
	g.stats.Copies++
	return true
}
