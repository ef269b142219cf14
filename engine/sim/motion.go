package sim

import "math"

// Forever is an unlimited number of ticks.
const Forever = math.MaxInt

// The defaults of a MotionRule.
const (
	DefaultWarpTicks        = 3
	DefaultExtrapolateTicks = 30
	DefaultSnapDistance     = 30.0
)

// Errors within these limits are corrected at once, without a warp.
const (
	// instantTicks is the largest error that is corrected at once, in ticks of the object's
	// movement: the normal movement hides it.
	instantTicks = 0.5
	// leastSpeed is the speed in metres per tick of an object that counts as still.
	leastSpeed = 1e-5
	// leastTurn is the largest error of an angle that is corrected at once: 0.001 rad, in degrees.
	leastTurn = 0.001 * 180 / math.Pi
)

// MotionRule says how the ghosts of a class move between updates. A class without a rule inherits
// its parent's.
type MotionRule struct {
	// WarpTicks is the most ticks for the correction of an error, at least 1. 0 is
	// DefaultWarpTicks. A low number makes corrections look abrupt, a high number leaves the ghost
	// wrong for longer.
	WarpTicks int

	// ExtrapolateTicks limits the movement of a ghost without updates, in ticks; then the ghost
	// stops. 0 is DefaultExtrapolateTicks, a negative number disables extrapolation, and Forever
	// removes the limit.
	ExtrapolateTicks int

	// SnapDistance is the largest error, in metres, that is warped. A ghost with a larger error was
	// teleported and is shown at its new place at once. 0 is DefaultSnapDistance.
	SnapDistance float64

	// Predict makes a ghost run its own Tick between updates, as its original does on the server.
	// Other ghosts are shown moving straight on with their velocity; their fields keep the received
	// values.
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

// MostAhead returns the most ticks that a ghost without updates moves on.
func (r *MotionRule) MostAhead() int { return r.extrapolateTicks() }

func (r *MotionRule) snapDistance() float64 {
	if r.SnapDistance == 0 {
		return DefaultSnapDistance
	}
	return r.SnapDistance
}

// Motion computes the shown place of one ghost. The true place follows from the last update, by
// simulation or extrapolation. The shown place is the true place plus an error. An update creates
// an error, and the next ticks remove it in equal parts. The fields are therefore as new as
// possible, and the shown place does not jump:
//
//	true     ─────●┐
//	               └●──────●──────●──────●     an update: it is elsewhere
//	shown    ─────●╲_
//	                 ╲_●╲_                     the error, warped away
//	                      ╲_●─────●──────●
//
// The zero Motion has shown nothing yet and starts at the object's place.
type Motion struct {
	begun             bool
	ticksSinceUpdate  int     // ticks since a position or velocity was received
	late              float64 // ticks by which that update was late; see Arrival
	warpLeft          int     // remaining ticks of the warp
	turnWarpLeft      int     // the same for the rotation
	offset            Vec3    // the error: shown minus true
	turn              Rot     // the same for the rotation
	current, previous pose    // shown at the newest tick, and at the one before
}

// pose is the shown part of a place.
type pose struct {
	at  Vec3
	rot Rot
}

// Simulates reports whether the object itself runs the next tick: its class has Predict set, and
// the time without an update is within the limit.
func (m *Motion) Simulates(r *MotionRule) bool {
	return r.Predict && m.ticksSinceUpdate < r.extrapolateTicks()
}

// Received processes an update that moved the object from before to now. late is by how many ticks
// it is late (see Arrival): the true place is as many ticks ahead, or behind if it is negative. A
// ghost that was never shown, or with an error above SnapDistance, is then shown at its true place.
func (m *Motion) Received(r *MotionRule, before, now Place, late float64) {
	moved := now.Position != before.Position || now.Velocity != before.Velocity
	if moved || r.Predict {
		m.ticksSinceUpdate = 0
	}
	if moved {
		m.late = late
	}
	gap := m.current.at.Sub(m.truePosition(r, now))
	distance := gap.Len()
	if !m.begun || math.IsInf(distance, 1) || !(distance <= r.snapDistance()) {
		*m = Motion{}
		return
	}
	ticks := r.warpDuration(distance, float64((before.Velocity.Len()+now.Velocity.Len())/2*TickSeconds))
	if moved {
		m.offset, m.warpLeft = gap, ticks
	}
	if now.Rotation != before.Rotation {
		m.turn, m.turnWarpLeft = m.current.rot.minusVisible(now.Rotation), ticks
	}
}

// warpDuration returns the number of ticks for an error in metres at a speed in metres per tick:
// the travel time of the object for that distance, within the limit. It is 0 if the normal movement
// hides the error.
func (r *MotionRule) warpDuration(distance, speed float64) int {
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

// truePosition returns the current true place, as far as this peer can know it.
func (m *Motion) truePosition(r *MotionRule, now Place) Vec3 {
	ticks := m.late
	if !r.Predict {
		ticks += float64(min(m.ticksSinceUpdate, r.extrapolateTicks()))
	}
	if to := now.Position.Add(now.Velocity.Mul(ticks * TickSeconds)); to.finite() {
		return to
	}
	return now.Position
}

// Interpolate advances by one tick. The object is at now at its end.
func (m *Motion) Interpolate(r *MotionRule, now Place) {
	m.ticksSinceUpdate++
	k := decay(&m.warpLeft)
	m.offset = m.offset.Mul(k)
	k = decay(&m.turnWarpLeft)
	m.turn = Rot{float64(m.turn.Yaw * k), float64(m.turn.Pitch * k), float64(m.turn.Roll * k)}
	m.previous, m.current = m.current, pose{m.truePosition(r, now).Add(m.offset), now.Rotation.add(m.turn)}
	if !m.begun {
		m.begun, m.previous = true, m.current
	}
}

// Driven is Interpolate for a ghost that moves have driven. Its place was not received, so it is
// not late.
func (m *Motion) Driven(r *MotionRule, now Place) {
	m.late = 0
	m.Interpolate(r, now)
}

// decay returns the part of an error that remains after the next tick, and counts down left, the
// remaining ticks.
func decay(left *int) float64 {
	if *left <= 1 {
		*left = 0
		return 0
	}
	*left--
	return float64(*left) / float64(*left+1)
}

// Shown returns now, with the position and rotation to draw. back is the part of the last tick that
// has yet to pass, 0…1.
func (m *Motion) Shown(now Place, back float64) Place {
	if !m.begun {
		return now
	}
	now.Position = m.current.at.Add(m.previous.at.Sub(m.current.at).Mul(back))
	d := m.previous.rot.minus(m.current.rot)
	now.Rotation = m.current.rot.add(Rot{float64(d.Yaw * back), float64(d.Pitch * back), float64(d.Roll * back)})
	return now
}

// add returns the sum of the angles.
func (r Rot) add(d Rot) Rot { return Rot{r.Yaw + d.Yaw, r.Pitch + d.Pitch, r.Roll + d.Roll} }

// minus returns the shortest rotation from b to r, each angle from -180 to 180.
func (r Rot) minus(b Rot) Rot {
	return Rot{wrapDegrees(r.Yaw - b.Yaw), wrapDegrees(r.Pitch - b.Pitch), wrapDegrees(r.Roll - b.Roll)}
}

// minusVisible returns r.minus(b) without angles that are too small to see.
func (r Rot) minusVisible(b Rot) Rot {
	d := r.minus(b)
	for _, a := range []*float64{&d.Yaw, &d.Pitch, &d.Roll} {
		if math.Abs(*a) < leastTurn {
			*a = 0
		}
	}
	return d
}

// wrapDegrees returns the angle a in the range from -180 to 180, and 0 for NaN.
func wrapDegrees(a float64) float64 {
	if a = math.Remainder(a, 360); math.IsNaN(a) {
		return 0
	}
	return a
}
