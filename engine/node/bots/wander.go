// Package bots makes the moves of clients that nobody plays.
package bots

import (
	"math"
	"math/rand/v2"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// A Wander goes about: to one place after the other, with a jump or the jets
// now and then, and a shot. It goes after the enemies that it knows of, and aims
// and fires at those that it sees. What it does depends on its seed, on where it
// gets and on whom it meets, and on nothing else.
type Wander struct {
	rng  *rand.Rand
	left int      // ticks until it wants something else
	was  sim.Vec3 // a second ago
	look int      // ticks until it looks whether it gets on

	turn     int          // ticks until it looks for enemies
	sight    *sight       // of its host's world
	prey     *game.Player // the nearest enemy, nil if it knows of none
	fighting bool         // it sees that one
}

// How it goes about.
const (
	leastWay, mostWay   = 20.0, 80.0 // metres
	leastTime, mostTime = 30, 250    // ticks that it wants the same
	second              = 1000 / sim.TickMs
	stuck               = 1.0 // metres a second
	searches            = 8   // ticks from one look for enemies to the next
	hunts               = 0.7 // of the ways, those that lead after an enemy
	distance            = 12  // metres that it keeps from an enemy
)

// The parts of the time that it holds a trigger.
var habits = [...]struct {
	trigger int
	often   float64
}{{sim.FireTrigger, 0.1}, {sim.JumpTrigger, 0.1}, {sim.JetTrigger, 0.25}}

// NewWander makes one of a seed.
func NewWander(seed uint64) *Wander {
	return &Wander{rng: rand.New(rand.NewPCG(seed, seed)), look: second, turn: int(seed % searches)}
}

// Tick steers what this host controls at its server's, if that is anything.
func (w *Wander) Tick(h *engine.Host) {
	c := h.Server()
	if c == nil {
		return
	}
	o, ok := c.ControlObject().(sim.Placer)
	if !ok {
		return
	}
	if w.turn--; w.turn <= 0 {
		w.turn = searches
		w.search(h.World(), c.Pilot(), o)
	}
	w.Steer(c.Pilot(), o.Place().Position)
}

// search looks for the nearest enemy, and begins or ends to fire.
func (w *Wander) search(world *sim.World, p *engine.Pilot, own sim.Placer) {
	if w.sight == nil || w.sight.world != world {
		w.sight = newSight(world)
	}
	w.prey = w.sight.enemy(own)
	sees := w.prey != nil && w.sight.sees(own, w.prey)
	switch {
	case sees:
		p.AimAtObject(w.prey)
	case w.fighting:
		p.AimAtObject(nil)
	}
	if sees != w.fighting {
		w.fighting = sees
		p.SetTrigger(sim.FireTrigger, sees)
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
	if w.prey != nil && w.prey.Alive() && w.rng.Float64() < hunts {
		p.MoveTo(w.prey.Place().Position, distance)
	} else {
		sin, cos := math.Sincos(2 * math.Pi * w.rng.Float64())
		way := leastWay + (mostWay-leastWay)*w.rng.Float64()
		p.MoveTo(at.Add(sim.Vec3{X: sin * way, Y: cos * way}), 2)
	}
	for _, h := range habits {
		p.SetTrigger(h.trigger, w.rng.Float64() < h.often)
	}
	if w.fighting {
		p.SetTrigger(sim.FireTrigger, true)
	}
}
