package ghost

// Beats thin out the updates of ghosts that matter little. A ghost with a weight of at least 64 is
// sent in each tick in which it has changed. One below 64 rests after it was sent, until its beat:
// every second tick from 32 on, every fourth tick from 16 on, else every eighth tick. So a packet
// with room to spare does not carry what nobody sees, and the work for a crowd does not grow with
// the square of its heads. Without Config.Weigh, no ghost rests.
//
// The beat of an object falls on the same ticks for all connections. Those that give it similar
// weights therefore send the same bits, and share them (encodings.go). Objects with different low
// bits of their numbers have different beats, so each tick carries an equal part of them.
//
// A beat that a connection misses, because it sends no packet then, counts at its next packet. Once
// a beat has passed since a ghost was sent, its next change is sent at once.

const longestBeat = 8 // ticks

// beatPlanes holds the lowest three bits of the numbers of 64 objects.
type beatPlanes [3]uint64

// set takes the number of an object.
func (b *beatPlanes) set(i int, obj uint32) {
	for plane := range b {
		b[plane] = b[plane]&^(1<<i) | uint64(obj>>plane&1)<<i
	}
}

// at returns the ghosts whose beat is at a tick.
func (b *beatPlanes) at(tick uint32, w *weightPlanes) uint64 {
	second := ^(b[0] ^ -uint64(tick&1))
	fourth := second &^ (b[1] ^ -uint64(tick>>1&1))
	eighth := fourth &^ (b[2] ^ -uint64(tick>>2&1))
	// The key of a weight is eight times its binary logarithm: 48 for 64, 40 for 32, 32 for 16.
	return w[5]&(w[4]|w[3]&second|fourth) | eighth
}

// full returns the ghosts with weights of at least 64, whose beat is at each tick.
func (p *weightPlanes) full() uint64 { return p[5] & p[4] }

// restingAt returns the resting ghosts of a word, after the ticks behind from, up to to.
func (t *table) restingAt(w int, from, to uint32) uint64 {
	if t.weights == nil || to-from >= longestBeat {
		return 0
	}
	resting := t.resting[w]
	if from != to {
		resting &^= t.weights[w].full() // often all
	}
	for tick := from + 1; resting != 0 && tick <= to; tick++ {
		resting &^= t.beats[w].at(tick, &t.weights[w])
	}
	return resting
}

// ageGhosts makes all ghosts older, up to this tick. It runs before a ghost becomes fresh, in Scope
// and Pack, and nowhere else: the ages decide which ghosts a packet takes, so they must not depend
// on how often somebody asks.
func (g *Stream) ageGhosts() {
	g.table.step(g.agedTick, g.snapshots.tick)
	g.agedTick = g.snapshots.tick
}

// StandStill is called in place of a tick, by an owner whose ticks stand still. From then on
// nothing waits for the end of the tick or for a beat: neither what a lost packet carried, nor a
// last change.
func (g *Stream) StandStill() {
	t := &g.table
	for w := range t.ages {
		t.ages[w].restart(t.fresh[w])
	}
	clear(t.fresh)
	clear(t.resting)
}
