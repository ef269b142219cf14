package ghost

import "slices"

// valueBytes is the maximum size of the values that a receiver keeps for baselines, in bytes.
const valueBytes = 128 << 20

// valueWindow holds the packets with smooth values that are not baselines yet, oldest first: those
// after the base. A packet enters the baselines of its ghosts when the base reaches it. A later
// base can only lie further on, so each baseline is the newest value up to the base, and the one
// before.
type valueWindow struct {
	batches []*changeBatch
	size    int // total size of the batches in bytes
}

// push adds the newest packet.
func (w *valueWindow) push(b *changeBatch) {
	b.uses++
	w.size += b.size
	w.batches = append(w.batches, b)
}

// drop removes the n oldest packets.
func (w *valueWindow) drop(n int, q *changeQueue) {
	for _, b := range w.batches[:n] {
		w.size -= b.size
		q.release(b)
	}
	w.batches = slices.Delete(w.batches, 0, n)
}

// toBaselines makes the values of packets up to the base baselines. The base never goes back. A
// packet with a base that is far has no baselines, and neither have later packets with that base.
// So a packet that would be far as a base enters them too.
func (r *receiver) toBaselines() {
	n := 0
	for _, b := range r.window.batches {
		far := r.seq-b.seq > relativeAge && r.header.tick-b.tick > relativeAge
		if b.seq > r.base && !far {
			break
		}
		b.toBaselines(&r.plans)
		n++
	}
	r.window.drop(n, &r.changes)
}

// toBaselines makes the values of a packet baselines. A ghost that was created later has none of
// them.
func (b *changeBatch) toBaselines(plans *maskPlans) {
	plan := &maskPlan{}
	for i := range b.changes {
		ch := &b.changes[i]
		g := ch.ghost
		if g == nil || g.layout != ch.Layout || int32(uint32(b.seq)-g.birth) < 0 {
			continue
		}
		if plan.layout != ch.Layout || plan.mask != ch.Mask {
			plan = plans.of(ch.Layout, ch.Mask)
		}
		if plan.adjacent {
			g.toBaselines(plan, b.tick, b.smooth[ch.smooth:])
			continue
		}
		values := b.smooth[ch.smooth:]
		for m := plan.smooth; m != 0; m &= m - 1 {
			single := plans.of(ch.Layout, m&-m)
			g.toBaselines(single, b.tick, values)
			values = values[single.cells:]
		}
	}
}

// toBaselines makes the values of adjacent groups their baselines.
func (g *receivedGhost) toBaselines(plan *maskPlan, tick uint32, values []receivedValue) {
	if plan.all && g.split == 0 {
		g.track.advance(tick, g.known)
	} else {
		g.advanceTracks(plan, tick)
	}
	g.known = true
	cells := g.cellsOf(plan)
	values = values[:len(cells)]
	for i := range cells {
		cells[i].known = values[i]
	}
}

// advanceTracks advances the tracks of groups while they differ from other tracks. After two
// packets with all groups, all tracks are equal.
func (g *receivedGhost) advanceTracks(plan *maskPlan, tick uint32) {
	if g.tracks == nil {
		tracks := make([]track, plan.layout.smoothGroups())
		g.tracks = &tracks
	}
	tracks := *g.tracks
	if g.split == 0 {
		for i := range tracks {
			tracks[i] = g.track
		}
	}
	for i := range plan.tracks {
		tracks[plan.track+i].advance(tick, g.known)
	}
	if !plan.all {
		g.split = 2
	} else if g.split--; g.split == 0 {
		g.track = tracks[0]
	}
}

// advance makes a value of a tick the newest one. more tells whether there is one already.
func (t *track) advance(tick uint32, more bool) {
	t.span = 0
	if more {
		t.span = tick - t.tick
	}
	t.tick = tick
}

// kept returns the size in bytes of the values that are kept for baselines.
func (r *receiver) kept() int { return r.ghosts.size + r.window.size }
