package scene

import (
	"cmp"
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// A burst is an explosion that is still visible.
type burst struct {
	id     sim.ID
	at     sim.Vec3
	radius float64
	since  time.Duration
	source sim.ID
	look   *look.Look
}

// BurstTime is how long an explosion is visible.
const BurstTime = 400 * time.Millisecond

const (
	leastBurst = 2.0 // metres
	maxBursts  = 64
)

// burst records a new explosion.
func (r *Reader) burst(o sim.Object, at sim.Vec3) {
	id := o.Ident().ID()
	for i := range r.bursts {
		if r.bursts[i].id == id {
			return
		}
	}
	if len(r.bursts) == maxBursts {
		return
	}
	t := r.traitsOf(o.Ident().Class())
	b := r.block(get(t.block, o).Object())
	r.bursts = append(r.bursts, burst{id, at, max(b.reach, leastBurst), r.now, get(t.mount, o).Object(), cmp.Or(b.look, t.stock)})
}

// explode adds the current bursts. A burst stays recorded while its projectile exists, so that it
// is not shown twice.
func (r *Reader) explode() {
	kept := r.bursts[:0]
	for _, b := range r.bursts {
		age := r.now - b.since
		if age < BurstTime {
			r.things = append(r.things, Thing{
				ID: b.id, Kind: Burst, Place: sim.Place{Position: b.at}, Size: sim.Vec3{X: b.radius},
				Health: -1, Energy: -1, Age: float64(age) / float64(BurstTime), Mount: b.source, Look: b.look, States: look.Explodes,
			})
		}
		if age < BurstTime || r.world.Find(b.id) != nil {
			kept = append(kept, b)
		}
	}
	r.bursts = kept
}
