// Package bots makes the moves of clients that nobody plays.
package bots

import (
	"math"
	"math/rand/v2"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// A Wander goes about: to one place after the other, with a jump or the jets
// now and then, and a shot. What it does depends on its seed and on where it
// gets, and on nothing else.
type Wander struct {
	rng  *rand.Rand
	left int      // ticks until it wants something else
	was  sim.Vec3 // a second ago
	look int      // ticks until it looks whether it gets on
}

// How it goes about.
const (
	leastWay, mostWay   = 20.0, 80.0 // metres
	leastTime, mostTime = 30, 250    // ticks that it wants the same
	second              = 1000 / sim.TickMs
	stuck               = 1.0 // metres a second
)

// The parts of the time that it holds a trigger.
var habits = [...]struct {
	trigger int
	often   float64
}{{sim.FireTrigger, 0.1}, {sim.JumpTrigger, 0.1}, {sim.JetTrigger, 0.25}}

// NewWander makes one of a seed.
func NewWander(seed uint64) *Wander {
	return &Wander{rng: rand.New(rand.NewPCG(seed, seed)), look: second}
}

// Tick steers what this host controls at its server's, if that is anything.
func (w *Wander) Tick(h *engine.Host) {
	c := h.Server()
	if c == nil {
		return
	}
	if o, ok := c.ControlObject().(sim.Placed); ok {
		w.Steer(c.Pilot(), o.Place().Position)
	}
}

// Steer tells a pilot what to do in a tick, in which its body is at a place.
func (w *Wander) Steer(p *engine.Pilot, at sim.Vec3) {
	w.left--
	if w.look--; w.look <= 0 {
		if p.Moving() && at.Sub(w.was).Len() < stuck {
			w.left = 0
		}
		w.was, w.look = at, second
	}
	if w.left > 0 && p.Moving() {
		return
	}
	w.left = leastTime + w.rng.IntN(mostTime-leastTime)
	sin, cos := math.Sincos(2 * math.Pi * w.rng.Float64())
	way := leastWay + (mostWay-leastWay)*w.rng.Float64()
	p.MoveTo(at.Add(sim.Vec3{X: sin * way, Y: cos * way}), 2)
	for _, h := range habits {
		p.SetTrigger(h.trigger, w.rng.Float64() < h.often)
	}
}
