package sim

import "math"

// Forever is a number of ticks that does not end.
const Forever = math.MaxInt

// The parts of a MotionRule that are zero are these.
const (
	DefaultWarpTicks        = 3
	DefaultExtrapolateTicks = 30
	DefaultSnapDistance     = 30.0
)

// The limits of what is worth a warp.
const (
	// instantTicks is the error that needs none, as a part of the way that the
	// object makes in a tick: the change from tick to tick hides it.
	instantTicks = 0.5
	// leastSpeed is the speed below which an object stands, in metres a tick.
	leastSpeed = 1e-5
	// leastTurn is the error of an angle that is set at once: 0.001 rad in degrees.
	leastTurn = 0.001 * 180 / math.Pi
)

// MotionRule says how the ghosts of a class are moved between updates. A class
// without a rule has its parent's.
type MotionRule struct {
	// WarpTicks is the most ticks in which an error is made good, 1 or more; 0
	// is DefaultWarpTicks. Few look hurried, many look wrong.
	WarpTicks int

	// ExtrapolateTicks is for how many ticks without an update a ghost goes on
	// as it went; then it stands. 0 is DefaultExtrapolateTicks; less is not at
	// all; Forever does not end.
	ExtrapolateTicks int

	// SnapDistance is the error from which the ghost was moved and did not
	// move: it is shown at its new place at once. In metres, 0 is
	// DefaultSnapDistance.
	SnapDistance float64

	// Predict says that a ghost does its own Tick between updates, as its
	// original does on the other side. Other ghosts are shown going straight
	// on with their velocity; their fields stay as they were received.
	Predict bool
}

func (r *MotionRule) warpTicks() int {
	if r.WarpTicks == 0 {
		return DefaultWarpTicks
	}
	return max(r.WarpTicks, 1)
}

func (r *MotionRule) extrapolateTicks() int {
	if r.ExtrapolateTicks == 0 {
		return DefaultExtrapolateTicks
	}
	return max(r.ExtrapolateTicks, 0)
}

func (r *MotionRule) snapDistance() float64 {
	if r.SnapDistance == 0 {
		return DefaultSnapDistance
	}
	return r.SnapDistance
}

// Motion is how one ghost is shown. The true place is what was received and
// what follows from it by simulation or extrapolation; the shown place is the
// true one plus an error, which an update leaves behind and the next ticks take
// away in equal parts. So fields are never older than they need to be, and the
// eye sees no jump:
//
//	true     ─────●┐
//	               └●──────●──────●──────●     an update: it is elsewhere
//	shown    ─────●╲_
//	                 ╲_●╲_                     the error, warped away
//	                      ╲_●─────●──────●
//
// The zero Motion has shown nothing yet and begins where the object is.
type Motion struct {
	begun    bool
	silent   int  // ticks since position or velocity was received
	left     int  // ticks of warp to come
	turnLeft int  // likewise for the rotation
	offset   Vec3 // the error: shown minus true
	turn     Rot  // likewise
	is, was  pose // shown at the newest tick, and at the one before
}

// pose is the part of a place that is shown.
type pose struct {
	at  Vec3
	rot Rot
}

// Simulates reports whether the object itself does the next tick: its class
// Predicts, and it was not silent for too long.
func (m *Motion) Simulates(r *MotionRule) bool {
	return r.Predict && m.silent < r.extrapolateTicks()
}

// Received takes note of an update: the place was before and is now. What has
// never been shown, or is too far off to have moved there, will be shown where
// it is.
func (m *Motion) Received(r *MotionRule, before, now Place) {
	moved := now.Position != before.Position || now.Velocity != before.Velocity
	if moved || r.Predict {
		m.silent = 0
	}
	gap := m.is.at.Sub(m.truth(r, now))
	distance := gap.Len()
	if !m.begun || math.IsInf(distance, 1) || !(distance <= r.snapDistance()) {
		*m = Motion{}
		return
	}
	ticks := r.warp(distance, float64((before.Velocity.Len()+now.Velocity.Len())/2*TickSeconds))
	if moved {
		m.offset, m.left = gap, ticks
	}
	if now.Rotation != before.Rotation {
		m.turn, m.turnLeft = m.is.rot.from(now.Rotation), ticks
	}
}

// warp is the number of ticks for an error of some metres at a speed in metres
// a tick: those in which the object would make that way, within the limit. It
// is 0 if the change from one tick to the next hides the error.
func (r *MotionRule) warp(distance, speed float64) int {
	most := r.warpTicks()
	if speed <= leastSpeed {
		return most
	}
	ticks := distance / speed
	if ticks <= instantTicks {
		return 0
	}
	return max(1, int(math.Round(min(ticks, float64(most)))))
}

// truth is where the object is now as far as anybody here can know.
func (m *Motion) truth(r *MotionRule, now Place) Vec3 {
	if r.Predict {
		return now.Position
	}
	ticks := float64(min(m.silent, r.extrapolateTicks()))
	if to := now.Position.Add(now.Velocity.Mul(ticks * TickSeconds)); to.finite() {
		return to
	}
	return now.Position
}

// Interpolate goes on by a tick, at the end of which the object is at now.
func (m *Motion) Interpolate(r *MotionRule, now Place) {
	m.silent++
	k := decay(&m.left)
	m.offset = m.offset.Mul(k)
	k = decay(&m.turnLeft)
	m.turn = Rot{float64(m.turn.Yaw * k), float64(m.turn.Pitch * k), float64(m.turn.Roll * k)}
	m.was, m.is = m.is, pose{m.truth(r, now).Add(m.offset), now.Rotation.add(m.turn)}
	if !m.begun {
		m.begun, m.was = true, m.is
	}
}

// decay is the part of an error that remains after one of the ticks that are
// left for it, of which it takes one away.
func decay(left *int) float64 {
	if *left <= 1 {
		*left = 0
		return 0
	}
	*left--
	return float64(*left) / float64(*left+1)
}

// Shown is now, moved to where it is to be drawn when back of the last tick,
// 0…1, has yet to pass.
func (m *Motion) Shown(now Place, back float64) Place {
	if !m.begun {
		return now
	}
	now.Position = m.is.at.Add(m.was.at.Sub(m.is.at).Mul(back))
	d := m.was.rot.minus(m.is.rot)
	now.Rotation = m.is.rot.add(Rot{float64(d.Yaw * back), float64(d.Pitch * back), float64(d.Roll * back)})
	return now
}

// add is the sum of the angles.
func (r Rot) add(d Rot) Rot { return Rot{r.Yaw + d.Yaw, r.Pitch + d.Pitch, r.Roll + d.Roll} }

// minus is the way from b to r by the short side, each angle from -180 to 180.
func (r Rot) minus(b Rot) Rot {
	return Rot{arc(r.Yaw - b.Yaw), arc(r.Pitch - b.Pitch), arc(r.Roll - b.Roll)}
}

// from is r.minus(b) without the angles that are too small to see.
func (r Rot) from(b Rot) Rot {
	d := r.minus(b)
	for _, a := range []*float64{&d.Yaw, &d.Pitch, &d.Roll} {
		if math.Abs(*a) < leastTurn {
			*a = 0
		}
	}
	return d
}

// arc is the angle a from -180 to 180. What is no angle is none.
func arc(a float64) float64 {
	if a = math.Remainder(a, 360); math.IsNaN(a) {
		return 0
	}
	return a
}
