package ghost

import (
	"math/bits"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// When no object changes any more, no later packets reveal a loss. So the stream sends a ghost's
// newest state once more if three conditions hold: the ack of that state is overdue, the packet has
// room, and nothing new is left to send. It does not wait for pings. Without packet loss this never
// happens; with loss it repeats until an ack arrives. For Notify, a repetition is an update like
// any other.

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

// takeResends repeats records in flight in the section, the oldest first, while there is room. A
// packet whose records needed no repetition needs none later: newer state of its ghosts is in
// flight, or owed, or arrived. So it looks at the records of a packet once, unless it must try
// again.
func (g *Stream) takeResends(now netcore.Time) {
	f := &g.flight
	if now < f.nextResendScan {
		return
	}
	f.nextResendScan = netcore.Never
	for i, from := 0, 0; i < f.packets.Len(); i++ {
		c := f.packets.At(i)
		if due := c.at + g.ackTimeout(); due > now {
			f.nextResendScan = min(f.nextResendScan, due)
			return
		}
		done, full := c.scanned, c.records > 0 && g.packet.fullForResends()
		if !done && !full {
			done, full = g.resendPacket(c.tick, from, int(c.records))
		}
		if c.scanned = done; !done || full {
			f.nextResendScan = now + g.ackTimeout()
		}
		if full {
			return
		}
		from += int(c.records)
	}
}

// resendPacket repeats the records of a packet of a tick in the section: n records from an index
// on. done is false if it must be called again later, and full is true if the section was full
// before the end.
func (g *Stream) resendPacket(tick uint32, from, n int) (done, full bool) {
	done = true
	for i := range n {
		r := *g.flight.records.At(from + i)
		for ids := r.ids; ids != 0; {
			if g.packet.fullForResends() {
				return false, true
			}
			rest := ids & g.atRest(&r, tick)
			if rest == 0 {
				break
			}
			ids &^= rest ^ (rest - 1) // all up to the first of the rest
			if !g.takeResend(int(r.word)<<6+bits.TrailingZeros64(rest), &r, tick) {
				done = false
			}
		}
	}
	return done, false
}

// fullForResends reports whether no repetition is tried any more.
func (p *packet) fullForResends() bool { return p.used+minTryBits > p.room }

// atRest returns the ghosts of a record of a tick that can need a repetition. All others owe newer
// state, or were sent in this tick.
func (g *Stream) atRest(r *record, tick uint32) (ids uint64) {
	t, w := &g.table, r.word
	if r.kill {
		return 0
	}
	if ids = r.ids &^ t.dirty[w]; tick != g.snapshots.tick {
		ids &^= t.fresh[w]
	}
	return ids
}

// takeResend repeats the groups of a record for a ghost in the section. It skips a ghost if newer
// state of it is in flight or owed. It returns false if the caller must try again later.
func (g *Stream) takeResend(id int, r *record, tick uint32) bool {
	t := &g.table
	switch st := t.state[id]; {
	case r.kill || t.obj[id] == 0 || st != Live && st != Creating:
		return true
	case t.confirmed.has(id) || t.sent[id] != tick || g.pending(id) != 0:
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
	t.resend(id, updated)
	g.stats.Resends++
	return true
}
