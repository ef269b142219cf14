package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// trails are where bodies were at the ends of the last ticks, so that a shot can
// be judged by what its shooter saw. Only what moves leaves one.
type trails struct {
	of     []trail  // by the number of the body
	moving []uint32 // the bodies that have moved within the last MaxLag ticks
	newest int      // the tick's place in the rings
}

// trail is where one body was.
type trail struct {
	places [sim.MaxLag]sim.Vec3 // a ring
	last   sim.Vec3             // at the end of the last tick
	still  int                  // ticks since it moved
	moving bool                 // it is in the list
}

// enter begins the trail of a new body.
func (t *trails) enter(n uint32, at sim.Vec3) {
	for int(n) >= len(t.of) {
		t.of = append(t.of, trail{})
	}
	t.of[n] = trail{last: at}
}

// leave ends it.
func (t *trails) leave(n uint32) {
	if t.of[n].moving {
		t.of[n].moving = false
		i := slices.Index(t.moving, n)
		t.moving = slices.Delete(t.moving, i, i+1)
	}
}

// moved takes note that a body is at a place in this tick.
func (t *trails) moved(n uint32, at sim.Vec3) {
	b := &t.of[n]
	if b.moving || b.last == at {
		return
	}
	b.moving, b.still = true, 0
	for i := range b.places {
		b.places[i] = b.last
	}
	t.moving = append(t.moving, n)
}

// tick writes down where everything is at the end of one.
func (t *trails) tick(where func(n uint32) sim.Vec3) {
	t.newest = (t.newest + 1) % sim.MaxLag
	kept := t.moving[:0]
	for _, n := range t.moving {
		b := &t.of[n]
		at := where(n)
		if b.still++; b.last != at {
			b.still = 0
		}
		b.last, b.places[t.newest] = at, at
		if b.moving = b.still < sim.MaxLag; b.moving {
			kept = append(kept, n)
		}
	}
	t.moving = kept
}

// past is where a body that moves was at the end of a tick, lag of them ago:
// 1 is the newest that is over, MaxLag the oldest.
func (t *trails) past(n uint32, lag int) sim.Vec3 {
	lag = min(max(lag, 1), sim.MaxLag)
	return t.of[n].places[(t.newest+sim.MaxLag+1-lag)%sim.MaxLag]
}

// Ticked is told that all objects have done a tick.
func (s *space) Ticked(uint64) {
	s.trails.tick(func(n uint32) sim.Vec3 { return s.body(n).scene().position })
}

// before is where it was lag ticks ago: 0 is now, 1 the end of the last tick.
func (s *SceneObject) before(lag int) sim.Vec3 {
	if lag <= 0 || s.spot == 0 {
		return s.position
	}
	t := &spaceOf(s.World()).trails
	if int(s.spot) >= len(t.of) || !t.of[s.spot].moving {
		return s.position
	}
	return t.past(s.spot, lag)
}
