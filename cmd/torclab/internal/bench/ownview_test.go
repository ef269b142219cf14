package bench

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// ownView measures the player's own view from tick to tick.
type ownView struct {
	body        sim.Interpolator // nil: no body
	leaps       int              // number of teleports of the body
	mount       sim.ID           // object that the body is mounted on
	place, show sim.Place        // simulated and displayed place in the last tick
	asked       uint16           // yaw according to the moves
	late        int              // ticks since the displayed yaw last matched
	smooth      int              // ticks left of smoothing after a correction

	latency int     // longest time from a move to its display, in ticks
	warp    float64 // longest displayed jump in a tick beyond the body's own motion, in metres
}

// look measures the view at the end of a tick. yaw is the turn of this tick's move. corrected
// reports whether the tick had a correction.
func (v *ownView) look(body sim.Interpolator, yaw int16, corrected bool) {
	if body == nil {
		v.body = nil
		return
	}
	place, show := body.Place(), body.Shown(0)
	leaps := int(body.Ident().Class().Lookup("leaps").Get(body).Number())
	is := sim.Turn(place.Rotation.Yaw)
	if v.asked += uint16(yaw); corrected || body != v.body {
		v.asked, v.smooth = is, sim.DefaultWarpTicks
	}
	if v.smooth--; v.smooth < 0 {
		is = sim.Turn(show.Rotation.Yaw)
	}
	if idle(body) {
		v.asked = sim.Turn(place.Rotation.Yaw)
	}
	if mount := mountOf(body); body == v.body && leaps == v.leaps && mount == v.mount {
		v.late++
		v.latency = max(v.latency, v.late)
		if is == v.asked {
			v.late = 0
		}
		own := place.Position.Sub(v.place.Position)
		if corrected {
			own = place.Velocity.Mul(sim.TickSeconds)
		}
		v.warp = max(v.warp, show.Position.Sub(v.show.Position).Sub(own).Len())
	} else {
		v.asked, v.late, v.mount = sim.Turn(place.Rotation.Yaw), 0, mount
	}
	v.body, v.leaps, v.place, v.show = body, leaps, place, show
}

// idle reports whether a body ignores the turns of moves because it is dead or mounted. Its
// displayed yaw then follows the prediction.
func idle(o sim.Object) bool {
	p, is := o.(*game.Player)
	return is && (p.Mount() != nil || p.IsDestroyed())
}

// mountOf returns the id of the object that a body is mounted on, or 0.
func mountOf(o sim.Object) sim.ID {
	if p, is := o.(*game.Player); is && p.Mount() != nil {
		return p.Mount().Ident().ID()
	}
	return 0
}

// otherPlayers counts the updates of visible other players.
type otherPlayers struct {
	since map[sim.ID]uint32 // update counts at the start of the window
	rates []float64         // updates per second of each player visible throughout a window
	fresh []float64         // per window: players with two updates per second or more
}

// window is the number of ticks over which updates are counted: four seconds.
const window = 125

// look counts the other players' updates at the end of a tick.
func (o *otherPlayers) look(c *engine.Connection, tick int) {
	if tick%window != 0 {
		return
	}
	since, fresh := map[sim.ID]uint32{}, 0
	c.PeerGhosts.Each(func(g sim.Object) bool {
		if _, is := g.(*game.Player); !is || g == c.Control.Object() {
			return true
		}
		n := c.PeerGhosts.UpdatesOf(g)
		if was, seen := o.since[g.Ident().ID()]; seen {
			rate := float64(n-was) / window / engine.TickTime.Seconds()
			if o.rates = append(o.rates, rate); rate >= 2 {
				fresh++
			}
		}
		since[g.Ident().ID()] = n
		return true
	})
	if o.since != nil {
		o.fresh = append(o.fresh, float64(fresh))
	}
	o.since = since
}
