package ghost

import (
	"math/bits"
	"slices"
)

// Selection of the ghosts for a packet. The priority of a ghost is the product of three factors:
// its weight, the weight of the most urgent group that it owes, and the ticks since it was last
// sent. Priorities are rounded down to three digits after the highest bit, so that counting finds
// the highest ones without a sort. Ghosts of equal priority take turns in the order of ids. The
// priority of a waiting ghost grows without bound, and a sent ghost starts again at one tick, so no
// ghost waits forever.

const (
	rankDigits = 3                // bits of a priority that count, besides the highest
	rankKeys   = 48 << rankDigits // a priority is below 2^48
	stripes    = 8                // ticks in which every ghost is weighed once
)

// selection holds the candidates for a packet.
type selection struct {
	kills   []uint16
	creates ranking
	updates ranking
}

// ranking sorts ghosts by priority.
type ranking struct {
	found    []rankEntry
	order    []uint16 // ids, the highest priority first, at most as many as can fit
	count    [rankKeys]uint32
	rotation uint16 // id with which the order of equal priorities begins
}

// rankEntry is a ghost and the key of its priority.
type rankEntry struct{ id, key uint16 }

func (r *ranking) clear() { r.found, r.order = r.found[:0], r.order[:0] }

// rankKey maps a priority to a key of the same order. The key consists of the exponent and the
// rankDigits bits after the highest bit.
func rankKey(priority uint64) uint16 {
	e := bits.Len64(priority|1) - 1
	digits := priority << rankDigits >> e & (1<<rankDigits - 1)
	return uint16(e<<rankDigits | int(digits))
}

func (r *ranking) add(id int, priority uint64) {
	r.found = append(r.found, rankEntry{uint16(id), rankKey(priority)})
}

// sort fills order with at least most ids, or with all if there are fewer.
func (r *ranking) sort(most int) {
	if len(r.found) == 0 {
		r.order = r.order[:0]
		return
	}
	clear(r.count[:])
	for _, f := range r.found {
		r.count[f.key]++
	}
	n, least := 0, rankKeys
	for n < min(most, len(r.found)) { // count becomes the index of the first id of a key
		least--
		here := int(r.count[least])
		r.count[least] = uint32(n)
		n += here
	}
	r.order = resize(r.order, n)
	first, _ := slices.BinarySearchFunc(r.found, r.rotation, func(f rankEntry, hand uint16) int { return int(f.id) - int(hand) })
	r.place(r.found[first:], least)
	r.place(r.found[:first], least)
}

// place adds the ghosts with a key of at least least to the order.
func (r *ranking) place(found []rankEntry, least int) {
	for _, f := range found {
		if int(f.key) >= least {
			at := &r.count[f.key]
			r.order[*at] = f.id
			*at++
		}
	}
}

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
	s, t := &g.selection, &g.table
	s.kills = s.kills[:0]
	s.creates.clear()
	s.updates.clear()
	tick, last, graded := g.snapshots.tick, g.snapshots.last, g.snapshots.unequalWeights
	for w, ids := range t.dirty {
		for ; ids != 0; ids &= ids - 1 {
			id := w<<6 + bits.TrailingZeros64(ids)
			obj, sent, urgency := t.obj[id], t.sent[id], uint32(255)
			switch st := t.state[id]; {
			case st == Dying:
				s.kills = append(s.kills, uint16(id))
				continue
			case st == Unsent && t.deferred.has(id):
				t.dirty.drop(id)
				continue
			case st == Unsent:
				s.creates.add(id, priority(t.weight[id], 255, tick-sent))
				continue
			case st == Live && t.held == nil && !graded[obj]: // the fast path of nearly all ghosts
				if last[obj] <= sent && t.owed[id] == 0 {
					urgency = 0
				}
			default:
				urgency = g.urgency(id)
			}
			if urgency == 0 {
				t.dirty.drop(id)
			} else if sent != tick {
				s.updates.add(id, priority(t.weight[id], urgency, tick-sent))
			}
		}
	}
}

// priority returns the priority of a ghost: at least 1 and below 2^48.
func priority(weight uint8, urgency, waited uint32) uint64 {
	return uint64(max(weight, 1)) * uint64(urgency) * uint64(max(waited, 1))
}

// pending returns the groups that a ghost owes, withheld ones included. The peer does not have
// them, and no packet in flight carries them.
func (g *Stream) pending(id int) uint32 {
	return g.table.owed[id] | g.snapshots.since(g.table.obj[id], g.table.sent[id])
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
	if t.owed[id]&^held == 0 && g.snapshots.last[obj] <= t.sent[id] {
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
