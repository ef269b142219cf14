package bench

import (
	"bytes"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// forceDetector detects outside forces on a player's body, on the server: hits, blasts and script changes.
// A force is any change of control state, damage or body outside the moves step.
type forceDetector struct {
	conn   *engine.Connection // the player's connection on the server; nil: not yet
	body   sim.Controllable
	hurt   float64
	state  []byte // the control state at the last look
	buffer [512]byte
	writer bitstream.Writer
	last   netcore.Time // time of the last force
	count  int
}

// look runs after a step of the server's tick. moves reports whether it was the moves step.
func (f *forceDetector) look(now netcore.Time, moves bool) {
	if f.conn == nil {
		return
	}
	o, _ := f.conn.Control.Object().(sim.Controllable)
	hurt := 0.0
	f.writer.Reset(f.buffer[:])
	if o != nil {
		hurt = o.Ident().Class().Lookup("damageLevel").Get(o).Number()
		o.CodeControl(sim.Coder{Codec: &f.writer.Codec})
	}
	state := f.writer.Bytes()
	if o != f.body || hurt > f.hurt || !moves && !bytes.Equal(state, f.state) {
		f.last = now
		f.count++
	}
	f.body, f.hurt, f.state = o, hurt, append(f.state[:0], state...)
}

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
