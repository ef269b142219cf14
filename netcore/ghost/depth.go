package ghost

// Depth of the histories. A baseline must still be in the history of its object. At first each
// history holds the values of historyTicks. Connections that need many packets for one update of
// all their ghosts need older values, so the depth then doubles, up to maxDepth times. Otherwise
// their updates would have no baseline and stay large, and they would never catch up. All
// connections share the histories, so the memory does not grow with their number.

const (
	historyTicks = 64       // ticks of a history at depth 0; above relativeAge
	maxDepth     = 3        // at most historyTicks << maxDepth ticks: 16 s
	historyBytes = 16 << 20 // limit on all histories together at a depth above 0
	reviewTicks  = 64       // ticks between two choices of the depth
	calmReviews  = 8        // consecutive choices of a lower depth before it is lowered
	roundSlack   = 36       // ticks from the newest value at the peer to its ack, and some more
	maxInterval  = 32       // ticks between two packets, at most
)

// depth is the depth of the histories of all objects.
type depth struct {
	now    int    // histories hold historyTicks << now ticks
	wanted int    // highest wanted depth since the last review
	calm   int    // consecutive reviews that wanted less
	review uint32 // tick of the next review
	since  uint32 // all histories are complete from this tick on
}

// want asks for a depth at which a connection finds baselines. round is the number of ticks in
// which the connection updates each of its ghosts once: a baseline spans two rounds.
func (d *depth) want(round uint32) {
	for d.wanted < maxDepth && 2*round+roundSlack > relativeAge<<d.wanted {
		d.wanted++
	}
}

// next returns the depth after a review, with the present size of all histories in bytes.
func (d *depth) next(size int) int {
	wanted := d.wanted
	d.wanted = 0
	if wanted >= d.now {
		d.calm = 0
	} else if d.calm++; d.calm < calmReviews {
		wanted = d.now
	}
	if d.now > 0 && size > historyBytes {
		wanted = min(wanted, d.now-1)
	}
	for wanted > d.now && size<<(wanted-d.now) > historyBytes {
		wanted--
	}
	return wanted
}

// reviewDepth chooses the depth of the histories once per reviewTicks, and the highest age of a
// baseline in this tick.
func (s *Snapshots) reviewDepth() {
	d := &s.depth
	if s.tick >= d.review {
		d.review = s.tick + reviewTicks
		size := 0
		for i := range s.histories {
			size += 4 * len(s.histories[i].ring)
		}
		before := d.now
		if d.now = d.next(size); d.now < before {
			d.calm = 0
		}
		for i := range s.histories {
			s.histories[i].shrink(s.tick, d.ticks())
		}
	}
	d.since = max(d.since, s.tick+1-min(s.tick+1, d.ticks()))
	for s.age = 0; int(s.age) < d.now && s.tick-d.since >= relativeAge<<(s.age+1); s.age++ {
	}
}

// ticks returns the number of ticks that each history holds.
func (d *depth) ticks() uint32 { return historyTicks << d.now }

// measureRound measures the round of a connection by a section: the ghosts that had an update to
// send, and how many of them the section has. The ticks since the previous section count only if
// that one left ghosts waiting.
func (g *Stream) measureRound(waiting, sent int) {
	since := uint32(0)
	if g.behind {
		since = min(g.snapshots.tick-g.updatesTick, maxInterval)
	}
	g.round, g.updatesTick, g.behind = uint32((max(waiting, 1)-1)/sent)*since, g.snapshots.tick, waiting > sent
}
