package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// historyTicks is the number of ticks whose positions are kept: the newest complete tick, and the
// MaxLag ticks before it.
const historyTicks = sim.MaxLag + 1

// positionHistory holds the positions of moving bodies at the ends of the last historyTicks ticks.
// Lag compensation uses them to test a shot against the positions that the shooter saw.
type positionHistory struct {
	of     []bodyHistory // by body number
	moving []uint32      // bodies that moved within the last historyTicks ticks
	newest int           // index of the newest tick in the rings
}

// bodyHistory is the position history of one body.
type bodyHistory struct {
	places [historyTicks]sim.Vec3 // a ring
	last   sim.Vec3               // position at the end of the last tick
	still  int                    // ticks since it moved
	moving bool                   // it is in trails.moving
}

// enter starts the trail of a new body.
func (t *positionHistory) enter(n uint32, at sim.Vec3) {
	for int(n) >= len(t.of) {
		t.of = append(t.of, bodyHistory{})
	}
	t.of[n] = bodyHistory{last: at}
}

// leave ends the trail of a body.
func (t *positionHistory) leave(n uint32) {
	if t.of[n].moving {
		t.of[n].moving = false
		i := slices.Index(t.moving, n)
		t.moving = slices.Delete(t.moving, i, i+1)
	}
}

// moved records that a body is at a position in this tick. A body at rest that moved gets a trail.
func (t *positionHistory) moved(n uint32, at sim.Vec3) {
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

// tick stores the positions of all moving bodies at the end of a tick.
func (t *positionHistory) tick(where func(n uint32) sim.Vec3) {
	t.newest = (t.newest + 1) % historyTicks
	kept := t.moving[:0]
	for _, n := range t.moving {
		b := &t.of[n]
		at := where(n)
		if b.still++; b.last != at {
			b.still = 0
		}
		b.last, b.places[t.newest] = at, at
		if b.moving = b.still < historyTicks; b.moving {
			kept = append(kept, n)
		}
	}
	t.moving = kept
}

// at returns the position of a moving body at the end of the tick lag ticks ago. 1 is the newest
// complete tick, historyTicks the oldest stored one.
func (t *positionHistory) at(n uint32, lag int) sim.Vec3 {
	lag = min(max(lag, 1), historyTicks)
	return t.of[n].places[(t.newest+historyTicks+1-lag)%historyTicks]
}

// Ticked runs after all objects have done a tick.
func (s *space) Ticked(n uint64) {
	s.ticked = n
	s.trails.tick(func(n uint32) sim.Vec3 { return s.body(n).scene().position })
}

// lagOf returns the lag of a shooter's view. Its moves and commands of a tick see the end of the
// tick Lag ticks before. When the objects have done this tick, that is one more tick ago.
func (s *space) lagOf(shooter sim.Object) int {
	lag := shooter.Ident().Lag()
	if s.ticked == s.world.TickNumber() {
		lag++
	}
	return lag
}

// before returns the position lag ticks ago: 0 is now, 1 the end of the last tick.
func (s *SceneObject) before(lag int) sim.Vec3 {
	if lag <= 0 || s.bodyNumber == 0 {
		return s.position
	}
	t := &spaceOf(s.World()).trails
	if int(s.bodyNumber) >= len(t.of) || !t.of[s.bodyNumber].moving {
		return s.position
	}
	return t.at(s.bodyNumber, lag)
}
