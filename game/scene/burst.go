package scene

import (
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// A burst is an explosion that is still visible.
type burst struct {
	id     sim.ID
	at     sim.Vec3
	radius float64
	since  time.Duration
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
	b := r.block(get(r.traitsOf(o.Ident().Class()).block, o).Object())
	r.bursts = append(r.bursts, burst{id, at, max(b.reach, leastBurst), r.now})
}

// explode adds the current bursts. A burst stays recorded while its projectile exists, so that it is
// not shown twice.
func (r *Reader) explode() {
	kept := r.bursts[:0]
	for _, b := range r.bursts {
		age := r.now - b.since
		if age < BurstTime {
			r.things = append(r.things, Thing{
				ID: b.id, Kind: Burst, Place: sim.Place{Position: b.at}, Size: sim.Vec3{X: b.radius},
				Health: -1, Energy: -1, Age: float64(age) / float64(BurstTime),
			})
		}
		if age < BurstTime || r.world.Find(b.id) != nil {
			kept = append(kept, b)
		}
	}
	r.bursts = kept
}
