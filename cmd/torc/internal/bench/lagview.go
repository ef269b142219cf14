package bench

import (
	"bytes"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// force notices on the server what is done to a player's body besides his moves:
// hits, blasts, what scripts set. It is whatever changes the control state, or the
// damage, or the body, and is no move.
type force struct {
	conn   *engine.Connection // the player's, on the server; nil: not yet
	body   sim.Controlled
	hurt   float64
	state  []byte // the control state when it was looked at last
	buffer [512]byte
	writer bitstream.Writer
	last   netcore.Time // when there was something
	count  int
}

// look is told that a step of the server's tick is done, and whether that was the
// one in which moves are.
func (f *force) look(now netcore.Time, moves bool) {
	if f.conn == nil {
		return
	}
	o, _ := f.conn.ControlObject().(sim.Controlled)
	hurt := 0.0
	f.writer.Reset(f.buffer[:])
	if o != nil {
		hurt = o.Ident().Class().Lookup("damageLevel").Get(o).Number()
		o.CodeControl(sim.Coder{Stream: &f.writer.Stream})
	}
	state := f.writer.Bytes()
	if o != f.body || hurt > f.hurt || !moves && !bytes.Equal(state, f.state) {
		f.last = now
		f.count++
	}
	f.body, f.hurt, f.state = o, hurt, append(f.state[:0], state...)
}

// view is what a player is shown of himself, from tick to tick.
type view struct {
	body        sim.Interpolated // nil: nothing
	leaps       int              // teleports of the body
	mount       sim.ID           // on which it sits
	place, show sim.Place        // where it was, and was shown
	asked       uint16           // how moves have turned it
	late        int              // ticks for which it has not been shown as turned
	smooth      int              // ticks in which it is shown on the way from where it was before a correction

	latency int     // the most ticks from a move to its being shown
	warp    float64 // the most metres that it was shown to go in a tick besides its own way
}

// look looks at the view at the end of a tick, in which a move turned the body
// by yaw, and in which it was corrected or not.
func (v *view) look(body sim.Interpolated, yaw int16, corrected bool) {
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

// idle reports whether a body does not turn as moves say, for it is dead or sits
// on something. It should be shown as it is predicted to be turned.
func idle(o sim.Object) bool {
	p, is := o.(*game.Player)
	return is && (p.Mount() != nil || p.IsDestroyed())
}

// mountOf is what a body sits on, 0 for nothing.
func mountOf(o sim.Object) sim.ID {
	if p, is := o.(*game.Player); is && p.Mount() != nil {
		return p.Mount().Ident().ID()
	}
	return 0
}
