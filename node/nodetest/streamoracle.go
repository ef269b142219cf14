package nodetest

import (
	"fmt"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// streamOracle checks V1, V2, V6 and V8 on pairs of connections: the two ends of one connection.
type streamOracle struct {
	pairs   []*ends
	budgets map[*puppet]*moveBudget
}

// ends are the two ends of a connection.
type ends struct {
	player         *player
	server, client *engine.Connection
}

// counts are the packets of one end.
type counts struct{ sent, delivered, dropped, received uint64 }

// step finds new pairs and checks all.
func (o *streamOracle) step(s *system) {
	for _, p := range s.players {
		o.meet(p)
	}
	live := o.pairs[:0]
	for _, e := range o.pairs {
		if e.check(s); !ended(e.server) || !ended(e.client) {
			live = append(live, e)
		}
	}
	o.pairs = live
}

// look checks the puppets of the server.
func (o *streamOracle) look(s *system, w *sim.World) {
	now, before := s.server.node.Host().TickNumber(), o.budgets
	o.budgets = map[*puppet]*moveBudget{}
	w.Each(w.Classes().Lookup("Puppet"), func(at sim.Object) bool {
		p := at.(*puppet)
		b := before[p]
		if b == nil {
			b = &moveBudget{tick: now, left: movesAtOnce}
		}
		o.budgets[p] = b
		if p.fault == "" {
			p.fault = b.take(now, p.done)
		}
		if p.fault != "" {
			s.fail("V8", "%s", p.fault)
		}
		return true
	})
}

// movesAtOnce is how many moves of a client can be applied in one tick, after a pause.
const movesAtOnce = 9

// moveBudget is how many moves of a client can be applied: those of the time that has passed, and 1
// %.
type moveBudget struct {
	tick uint64
	done int // moves applied until that tick
	left float64
}

// take pays for the moves that were applied until a tick. It returns why they are too many, or "".
func (b *moveBudget) take(tick uint64, done int) string {
	b.left = min(b.left+1.01*float64(tick-b.tick), movesAtOnce) - float64(done-b.done)
	b.tick, b.done = tick, done
	if b.left < 0 {
		return fmt.Sprintf("%d moves were applied until tick %d, faster than time passes", done, tick)
	}
	return ""
}

// meet notes the pair of a player's new connection.
func (o *streamOracle) meet(p *player) {
	c, v := p.connection(), p.peer()
	if c == nil || v == nil || ended(c) {
		return
	}
	for _, e := range o.pairs {
		if e.client == c || e.server == v {
			return
		}
	}
	o.pairs = append(o.pairs, &ends{player: p, server: v, client: c})
}

// check checks the counts of both directions.
func (e *ends) check(s *system) {
	a, b := countsOf(e.server), countsOf(e.client)
	e.direction(s, "to", a, b, ended(e.server))
	e.direction(s, "from", b, a, ended(e.client))
	for _, c := range []*engine.Connection{e.server, e.client} {
		if again := c.Ghosts().Stats().Requeued + c.Events().Stats().Resent; again > 0 && c.Net().Stats().Dropped == 0 {
			s.fail("V6", "on the connection of player %d, %d items were sent again without a lost packet", e.player.number, again)
		}
		if why, over := c.Net().Closed(); over && why.Code == netcore.Violation {
			s.fail("honest", "the connection of player %d has ended: %v", e.player.number, why)
		}
	}
}

func countsOf(c *engine.Connection) counts {
	n := c.Net().Stats()
	return counts{n.Sent, n.Delivered, n.Dropped, n.Received}
}

// direction checks that no fate is wrong: what was delivered has been processed, and what was
// dropped has not. At the end of a connection, all packets without a fate count as dropped.
func (e *ends) direction(s *system, way string, from, to counts, ended bool) {
	switch {
	case from.delivered+from.dropped > from.sent:
		s.fail("V1", "%d packets %s player %d have %d fates", from.sent, way, e.player.number, from.delivered+from.dropped)
	case from.delivered > to.received:
		s.fail("V2", "%d packets %s player %d are said to be delivered, %d were", from.delivered, way, e.player.number, to.received)
	case !ended && to.received+from.dropped > from.sent:
		s.fail("V2", "of %d packets %s player %d, %d were processed and %d are said to be lost", from.sent, way, e.player.number, to.received, from.dropped)
	}
}

// settled returns why the packets of a player do not have their fates yet.
func (o *streamOracle) settled(p *player) string {
	for _, e := range o.pairs {
		if e.player != p || ended(e.client) || ended(e.server) {
			continue
		}
		a, b := countsOf(e.server), countsOf(e.client)
		if flying := uint64(e.server.Net().InFlight()); a.delivered+a.dropped+flying != a.sent {
			return fmt.Sprintf("V1: %d packets to player %d, %d fates and %d in flight", a.sent, p.number, a.delivered+a.dropped, flying)
		}
		if flying := uint64(e.client.Net().InFlight()); b.delivered+b.dropped+flying != b.sent {
			return fmt.Sprintf("V1: %d packets from player %d, %d fates and %d in flight", b.sent, p.number, b.delivered+b.dropped, flying)
		}
	}
	return ""
}
