package ghost

import "math/bits"

const stripes = 8 // ticks in which every ghost is weighed once

// refresh adds the ghosts of all objects that changed since the last call to the dirty ones. If
// every object changed, it takes all ghosts. Else it uses the lists of the passes, or, if they are
// too long, looks at every ghost. It changes no packet: the set only tells where to look for
// something to send. So Due may call it at any time, and a replay of a journal, which never calls
// Due, sends the same.
func (g *Stream) refresh() {
	if g.refreshedTick == g.snapshots.tick {
		return
	}
	t := &g.table
	if g.snapshots.moved == g.snapshots.live {
		copy(t.dirty, t.used)
	} else if !g.refreshFromPasses() {
		t.addChanged(g.snapshots.last, g.refreshedTick)
	}
	g.refreshedTick = g.snapshots.tick
}

// refreshFromPasses adds the ghosts of the objects in the lists of the passes to the dirty ones. It
// returns false if the lists are too long for that.
func (g *Stream) refreshFromPasses() bool {
	t := &g.table
	return g.snapshots.changes(g.refreshedTick, t.n/4, func(objs []uint32) {
		for _, obj := range objs {
			if id := t.find(obj); id >= 0 {
				t.dirty.add(id)
			}
		}
	})
}

// weigh updates the weights of the next stripe of the table: one stripe for each tick since the
// last call, at most all.
func (g *Stream) weigh() {
	since := min(g.snapshots.tick-g.weighedTick, stripes)
	g.weighedTick = g.snapshots.tick
	if g.cfg.Weigh == nil {
		return
	}
	t, weights, words := &g.table, &g.packet.weights, len(g.table.used)
	for i := range since {
		stripe := int((g.weighedTick - i) % stripes)
		for w := stripe * words / stripes; w < (stripe+1)*words/stripes; w++ {
			g.cfg.Weigh(t.obj[w<<6:][:64], weights[:])
			t.setWeights(w, weights)
		}
	}
}

// weighOne returns the weight of a new ghost.
func (g *Stream) weighOne(obj uint32) uint8 {
	g.weighArgs.obj[0], g.weighArgs.weight[0] = obj, 1
	g.cfg.Weigh(g.weighArgs.obj[:], g.weighArgs.weight[:])
	return g.weighArgs.weight[0]
}

// gather collects the ghosts that have something to send and do not rest. A ghost that was sent in
// this tick waits for the next one. Of the Live ghosts in dirty, those that hold something back are
// looked at: perhaps they owe nothing else. Due may have dropped such a ghost from dirty already.
// So gather must drop it too, or a Due would change the packet.
func (g *Stream) gather() {
	t, p := &g.table, g.packet
	for w, ids := range t.dirty {
		if ids &^= t.resting[w]; ids == 0 {
			continue
		}
		updates := ids & t.alive[w] &^ t.fresh[w]
		if holding := updates & t.holding[w]; holding != 0 {
			nothing := g.oweNothing(w, holding)
			t.dirty[w] &^= nothing
			updates &^= nothing
		}
		p.updates.add(w, updates)
		for ids &^= t.alive[w]; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			switch st := t.state[id]; {
			case st == Dying:
				p.kills = append(p.kills, uint16(id))
			case st == Unsent && !t.deferred.has(id):
				p.creates.add(w, ids&-ids)
			case g.urgency(id) == 0:
				t.dirty.drop(id)
			case !t.fresh.has(id): // a change while the create is in flight is sent as another create
				p.creates.add(w, ids&-ids)
			}
		}
	}
}

// oweNothing returns those of some ghosts of a word that owe nothing but what they hold back.
func (g *Stream) oweNothing(w int, holding uint64) (nothing uint64) {
	g.findMasks(w, holding)
	t, masks, first := &g.table, &g.packet.word.masks, w<<6
	held, hidden := (*[64]uint32)(t.held[first:]), (*[64]uint32)(t.hidden[first:])
	for ; holding != 0; holding &= holding - 1 {
		if i := bits.TrailingZeros64(holding) & 63; masks[i]&^(held[i]|hidden[i]) == 0 {
			nothing |= 1 << i
		}
	}
	return nothing
}

// rank computes the keys of the candidates that wait. A packet that has room for all of them needs
// no keys.
func (g *Stream) rank() {
	t, p := &g.table, g.packet
	if p.ranked {
		return
	}
	p.ranked = true
	for w := range p.keys {
		waiting := p.updates.waiting[w] | p.creates.waiting[w]
		if waiting == 0 {
			continue
		}
		t.rank(w, &p.keys[w])
		for ids := waiting &^ (t.simple[w] &^ t.holding[w]); ids != 0; ids &= ids - 1 {
			g.rankOne(w<<6 + bits.TrailingZeros64(ids))
		}
	}
}

// rankOne lowers the key of a candidate by the weight of the groups that it owes.
func (g *Stream) rankOne(id int) {
	if g.table.state[id] == Unsent {
		return
	}
	if by := fullUrgency - weightKeys[g.urgency(id)]; by != 0 { // 0 for a group of full weight, the usual case
		g.packet.keys[id>>6].lower(id&63, by)
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

// anyPending reports whether a ghost has something to send in this tick. A ghost is sent at most
// once per tick, because its state changes only between ticks.
func (g *Stream) anyPending() bool {
	g.refresh()
	t := &g.table
	for w := range t.dirty {
		for ids := t.dirty[w] &^ t.restingAt(w, g.agedTick, g.snapshots.tick); ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			if !g.wantsPacket(id) {
				t.dirty.drop(id)
			} else if st := t.state[id]; st == Dying || st == Unsent || g.agedTick != g.snapshots.tick || !t.fresh.has(id) {
				return true
			}
		}
	}
	return false
}
