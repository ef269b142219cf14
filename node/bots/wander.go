// Package bots makes the moves of clients without a person.
package bots

import (
	"math"
	"math/rand/v2"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// A Wander walks to one random place after the other. Sometimes it jumps, uses
// the jets or fires. It follows enemies in its world, and aims and fires at those
// in sight. Its moves depend only on its seed and on the world.
type Wander struct {
	rng  *rand.Rand
	left int      // ticks until its next decision
	was  sim.Vec3 // its position a second ago
	look int      // ticks until it checks whether it is stuck

	turn     int          // ticks until it searches for enemies
	sight    *sight       // of its host's world
	prey     *game.Player // the nearest enemy; nil: none is in its world
	fighting bool         // the enemy is in sight
}

// The numbers of its behaviour.
const (
	leastWay, mostWay   = 20.0, 80.0 // metres
	leastTime, mostTime = 30, 250    // ticks between two decisions
	second              = 1000 / sim.TickMs
	stuck               = 1.0 // metres a second
	searches            = 8   // ticks between two searches for enemies
	hunts               = 0.7 // share of the walks that follow an enemy
	distance            = 12  // metres between it and an enemy
)

// The share of decisions that hold a trigger.
var habits = [...]struct {
	trigger int
	often   float64
}{{sim.FireTrigger, 0.1}, {sim.JumpTrigger, 0.1}, {sim.JetTrigger, 0.25}}

// NewWander returns a bot with a seed.
func NewWander(seed uint64) *Wander {
	return &Wander{rng: rand.New(rand.NewPCG(seed, seed)), look: second, turn: int(seed % searches)}
}

// Tick steers the control object that the host's server has given it, if any.
func (w *Wander) Tick(h *engine.Host) {
	c := h.Server()
	if c == nil {
		return
	}
	o, ok := c.Control.Object().(sim.Placer)
	if !ok {
		return
	}
	if w.turn--; w.turn <= 0 {
		w.turn = searches
		w.search(h.World(), &c.Pilot, o)
	}
	w.Steer(&c.Pilot, o.Place().Position)
}

// search finds the nearest enemy, and starts or stops firing.
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

// Steer instructs a pilot for a tick. at is the position of its body.
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
