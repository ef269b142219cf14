package ghost

import "math/bits"

const stripes = 8 // ticks in which every ghost is weighed once

// refresh adds all objects that changed since the last call to the hot set. It uses the lists of
// the passes, or adds every ghost if the lists are too long.
func (g *Stream) refresh() {
	if g.refreshedTick == g.snapshots.tick {
		return
	}
	t := &g.table
	if !g.snapshots.changes(g.refreshedTick, t.n/4, func(objs []uint32) {
		for _, obj := range objs {
			if id := t.find(obj); id >= 0 {
				t.dirty.add(id)
			}
		}
	}) {
		copy(t.dirty, t.used)
	}
	g.refreshedTick = g.snapshots.tick
}

// weigh updates the weights of the next stripe of the table, one stripe per tick.
func (g *Stream) weigh() {
	since := min(g.snapshots.tick-g.weighedTick, stripes)
	g.weighedTick = g.snapshots.tick
	if g.cfg.Weigh == nil {
		return
	}
	for i := range since {
		stripe := int((g.weighedTick - i) % stripes)
		from, to := stripe*g.table.rows()/stripes, (stripe+1)*g.table.rows()/stripes
		if from < to {
			g.cfg.Weigh(g.table.obj[from:to], g.table.weight[from:to])
		}
	}
}

// weighOne returns the weight of a new ghost.
func (g *Stream) weighOne(obj uint32) uint8 {
	if g.cfg.Weigh == nil {
		return 1
	}
	g.weighArgs.obj[0], g.weighArgs.weight[0] = obj, 1
	g.cfg.Weigh(g.weighArgs.obj[:], g.weighArgs.weight[:])
	return g.weighArgs.weight[0]
}

// gather collects the ghosts that have something to send.
func (g *Stream) gather() {
	t, p := &g.table, g.packet
	for w, ids := range t.dirty {
		simple := ids & t.simple[w] &^ t.holding[w] &^ t.owing[w]
		if simple != 0 {
			g.gatherSimple(w, simple)
		}
		for ids &^= simple; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			switch st := t.state[id]; {
			case st == Dying:
				p.kills = append(p.kills, uint16(id))
			case st == Unsent && t.deferred.has(id):
				t.dirty.drop(id)
			case st == Unsent:
				p.creates.add(id, key(t.weight[id], 255, g.snapshots.tick-t.sent[id]))
			default:
				g.gatherOne(id)
			}
		}
	}
}

// gatherOne collects a ghost that the peer has, or whose create is in flight. A change while the
// create is in flight is sent as another create.
func (g *Stream) gatherOne(id int) {
	t, urgency := &g.table, g.urgency(id)
	waited := g.snapshots.tick - t.sent[id]
	switch {
	case urgency == 0:
		t.dirty.drop(id)
	case waited == 0:
	case t.state[id] == Live:
		g.packet.updates.add(id, key(t.weight[id], urgency, waited))
	default:
		g.packet.creates.add(id, key(t.weight[id], urgency, waited))
	}
}

// gatherSimple is the fast form of gatherOne, for simple ghosts of a word of the table that owe
// nothing but the changes since they were sent.
func (g *Stream) gatherSimple(w int, ids uint64) {
	t, c, last, tick := &g.table, &g.packet.updates, g.snapshots.last, g.snapshots.tick
	first := w << 6
	objects, sent, weights, keys := (*[64]uint32)(t.obj[first:]), (*[64]uint32)(t.sent[first:]), (*[64]uint8)(t.weight[first:]), c.keysOf(w)
	count, top, waiting, other := &c.count, c.top, ids, uint64(0)
	for ; ids != 0; ids &= ids - 1 {
		i := bits.TrailingZeros64(ids) & 63
		waited := tick - sent[i]
		if last[objects[i]] <= sent[i] || waited == 0 || waited >= ages {
			other |= 1 << i // it has not changed, was just sent, or has no entry in ageKeys
			continue
		}
		key := fullUrgency + weightKeys[weights[i]] + ageKeys[waited&(ages-1)]
		keys[i] = key
		count[key][i&3]++
		top = max(top, key)
	}
	c.top = top
	waiting &^= other
	c.waiting[w] |= waiting
	c.n += bits.OnesCount64(waiting)
	for ; other != 0; other &= other - 1 {
		if i := bits.TrailingZeros64(other) & 63; last[objects[i]] <= sent[i] {
			t.dirty[w] &^= 1 << i
		} else {
			g.gatherOne(first + i)
		}
	}
}

// pending returns the groups that a ghost owes, withheld ones included. The peer does not have
// them, and no packet in flight carries them.
func (g *Stream) pending(id int) uint32 {
	return g.table.owedBy(id) | g.snapshots.since(g.table.obj[id], g.table.sent[id])
}

// urgency returns the weight of the groups that an update of a ghost would carry, 0 if there are
// none.
func (g *Stream) urgency(id int) uint32 {
	t := &g.table
	obj, st := t.obj[id], t.state[id]
	if obj == 0 || st != Live && st != Creating {
		return 0
	}
	held := t.withheld(id)
	if t.owedBy(id)&^held == 0 && g.snapshots.last[obj] <= t.sent[id] {
		return 0
	}
	if held == 0 && !g.snapshots.unequalWeights[obj] {
		return 255
	}
	return g.snapshots.objects[obj].plan.urgency(g.pending(id) &^ held)
}

// wantsPacket reports whether a ghost has something to send.
func (g *Stream) wantsPacket(id int) bool {
	st := g.table.state[id]
	return st == Dying || st == Unsent && !g.table.deferred.has(id) || g.urgency(id) != 0
}

// anyPending reports whether a ghost has something to send in this tick. A ghost is sent at most once
// per tick, because its state changes only between ticks.
func (g *Stream) anyPending() bool {
	g.refresh()
	t := &g.table
	for w := range t.dirty {
		for ids := t.dirty[w]; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			if !g.wantsPacket(id) {
				t.dirty.drop(id)
			} else if st := t.state[id]; st == Dying || st == Unsent || t.sent[id] != g.snapshots.tick {
				return true
			}
		}
	}
	return false
}
