package ghost

import (
	"math/bits"
	"slices"

	"github.com/torc-engine/torc/netcore"
)

// The fast path of received updates is for groups without texts, references and hand-written bits.
// Nearly all ghost data goes through it. It decodes the same format as the general path in
// receive.go. It takes the bits of an update from a register, and all groups with the same baseline
// in one loop. It leaves an update to the general path before it has stored anything of it, or it
// fails the section.

// quickLead is the most bits of the id of an update on the fast path. A mask fits into the window
// behind it.
const quickLead = 16

// startQuick prepares the fast path for the updates of a section.
func (r *receiver) startQuick() {
	buf, _ := r.in.Window()
	r.quickest = min(r.oldest, quickAge)
	r.quick = !r.code.check && !r.conn.Logs(netcore.LogItems) && len(buf) < quickSection
	if r.quick {
		copy(r.bytes[:], buf)
	}
}

// quickUpdates reads updates until one needs the general path. next is the lowest possible id of
// the first update, and left the number of updates. It returns both as they are after the updates
// that it has read.
func (r *receiver) quickUpdates(next, left uint32) (after, rest uint32) {
	if !r.quick {
		return next, left
	}
	at, end := r.in.Pos(), r.in.Pos()+r.in.Left()
	k, usual := int(r.header.updateGap)&15, r.header.usual
	count, plan := &ClassCount{}, &maskPlan{}
	for ; left > 0; left-- {
		r.batch.reserve()
		w := r.bytes.fill(at)
		ones := bits.TrailingZeros64(^w.word)
		if ones+1+k > quickLead {
			break
		}
		w = w.skip(ones + 1)
		id := next + uint32(ones)<<k + w.low(k)
		w = w.skip(k)
		g := r.ghosts.find(id)
		if g == nil || g.lastNamed == uint32(r.seq) {
			break
		}
		mask, size := usual, 1
		if usual == 0 || w.word&1 == 0 {
			mask, size = r.quickMask(g.layout, w)
		}
		if plan.layout != g.layout || plan.mask != mask {
			plan, count = r.plans.of(g.layout, mask), r.counts.of(g.layout.ID)
		}
		if !plan.short {
			break
		}
		from := w.at
		w = r.quickUpdate(w.skip(size), g, id, plan)
		if at, next = w.at, id+1; at > end {
			break // Seek fails
		}
		count.add(kindUpdate, at-from)
	}
	r.in.Seek(at)
	return next, left
}

// quickMask returns the mask of an update, and its size in bits with the flag for the usual mask.
// The mask can be invalid.
func (r *receiver) quickMask(l *Layout, w bitWindow) (mask uint32, size int) {
	if r.header.usual != 0 {
		w, size = w.skip(1), 1
	}
	groups := len(l.places) - 1
	switch width := bits.Len(uint(groups - 1)); {
	case groups <= rawMask:
		return w.low(groups) << 1, size + groups
	case w.word&1 == 0:
		return w.skip(1).low(groups) << 1, size + 1 + groups
	default:
		return 2 << w.skip(1).low(width), size + 1 + width
	}
}

// quickUpdate reads the groups of an update.
func (r *receiver) quickUpdate(w bitWindow, g *receivedGhost, id uint32, plan *maskPlan) bitWindow {
	g.lastNamed = uint32(r.seq)
	b := r.batch
	b.changes = b.changes[:len(b.changes)+1]
	b.changes[len(b.changes)-1].set(b, Update, g, g.token(id), plan.layout, plan.mask)
	t := &g.track
	if g.split > 0 {
		t = g.commonTrack(plan)
	}
	if t != nil && w.word&1 != 0 && r.isQuick(g, plan, t) {
		return r.quickResiduals(w.skip(1), g, plan, t)
	}
	return r.quickMixed(w, g, plan)
}

// commonTrack returns the track of the groups of a run while tracks can differ. It returns nil if
// theirs do, and for other groups.
func (g *receivedGhost) commonTrack(plan *maskPlan) *track {
	if !plan.run {
		return nil
	}
	tracks := (*g.tracks)[plan.track:][:plan.tracks]
	for i := range tracks {
		if tracks[i] != tracks[0] {
			return nil
		}
	}
	return &tracks[0]
}

// isQuick reports whether the fast path can read the residuals of groups with a track.
func (r *receiver) isQuick(g *receivedGhost, plan *maskPlan, t *track) bool {
	return plan.run && g.known && r.header.near && r.header.tick-t.tick <= r.quickest && t.span <= relativeAge
}

// quickMixed reads the groups of an update one by one.
func (r *receiver) quickMixed(w bitWindow, g *receivedGhost, plan *maskPlan) bitWindow {
	usable := r.usable(g, plan.mask)
	if usable != 0 {
		if w.word&1 == 0 {
			usable = 0
		}
		w = w.skip(1)
	}
	for m := plan.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		if usable>>i&1 == 0 {
			w = r.quickWhole(w, g, i)
			continue
		}
		r.batch.reserve()
		if single, t := r.plans.of(g.layout, 1<<i), g.trackOf(i); r.isQuick(g, single, t) {
			w = r.quickResiduals(w, g, single, t)
			continue
		}
		r.in.Seek(w.at)
		r.relative(&r.in.Codec, g, i)
		w = r.resume()
	}
	return w
}

// quickWhole reads a whole group.
func (r *receiver) quickWhole(w bitWindow, g *receivedGhost, i int) bitWindow {
	p, smooth := &g.layout.places[i], g.layout.isSmooth(i)
	for _, width := range p.widths {
		if int(width) > w.have {
			w = r.bytes.fill(w.at)
		}
		value := w.low(int(width))
		w = w.skip(int(width))
		if smooth {
			r.batch.smooth = append(r.batch.smooth, receivedValue{value << (32 - width)})
		} else {
			r.batch.cells = append(r.batch.cells, uint64(value))
		}
	}
	if smooth {
		r.receive(g, i, r.batch.smooth[len(r.batch.smooth)-len(p.widths):])
	}
	return w
}

// quickResiduals reads the groups of a run as residuals against their baseline.
func (r *receiver) quickResiduals(w bitWindow, g *receivedGhost, plan *maskPlan, t *track) bitWindow {
	since, span := r.ages(*t)
	order, slope := residualOrder(since, span), quickSlope(since, span)
	table, cells := &shortResiduals[order&3], g.cellsOf(plan)
	n := len(r.batch.smooth)
	r.batch.smooth = r.batch.smooth[:n+len(cells)]
	values, fars := r.batch.smooth[n:][:len(cells)], plan.fars[:len(cells)]
	for j := 1; j < len(cells); j += 2 {
		if w.have < shortResidualBits {
			w = r.bytes.fill(w.at)
		}
		short := table.two[w.word&(1<<shortResidualBits-1)]
		first, second := short.deltas()
		if w = w.skip(short.size()); short == 0 {
			w, first = r.residual(w.at, order, fars[j-1])
			w, second = r.residual(w.at, order, fars[j])
		}
		cells[j-1].next(&values[j-1], fars[j-1], slope, first)
		cells[j].next(&values[j], fars[j], slope, second)
	}
	if last := len(cells) - 1; last&1 == 0 {
		if w.have < shortResidualBits {
			w = r.bytes.fill(w.at)
		}
		short := table.one[w.word&(1<<shortResidualBits-1)]
		delta, _ := short.deltas()
		if w = w.skip(short.size()); short == 0 {
			w, delta = r.residual(w.at, order, fars[last])
		}
		cells[last].next(&values[last], fars[last], slope, delta)
	}
	// The first cells tell of one or two groups that they are no repetition.
	if values[0][1] == 0 || values[plan.second][1] == 0 || plan.tracks > 2 {
		r.markRepeated(plan, values)
	}
	return w
}

// markRepeated marks the groups of the last change whose values repeat the last ones.
func (r *receiver) markRepeated(plan *maskPlan, values []receivedValue) {
	for m := plan.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m)
		n := len(plan.layout.places[i].widths)
		if !slices.ContainsFunc(values[:n], func(v receivedValue) bool { return v[1] != 0 }) {
			r.batch.markRepeated(i)
		}
		values = values[n:]
	}
}
