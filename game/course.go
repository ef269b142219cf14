package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// A course is one tick of a vehicle under way: where it was, and what becomes
// of it. Whatever else it knows follows from these.
type course struct {
	v     *Vehicle
	d     *VehicleData
	space *space

	position, velocity sim.Vec3
	spin               sim.Vec3
	steer              float64
	yaw, pitch, roll   uint16
	frame              frame

	normal  sim.Vec3 // of the ground that holds it
	hold    float64  // how much of it the ground, or the air, holds: 0…1
	pull    float64  // the acceleration that the engine gives now
	limit   float64  // and the speed up to which
	fastest float64  // how hard it has hit something at most, in metres a second
	struck  body     // what that was, nil: the ground
	way     sim.Vec3 // and in which direction
}

// frame is how a vehicle is turned: its axes.
type frame struct{ right, ahead, up sim.Vec3 }

// frameOf is the frame of three angles, as sim.Rot takes them.
func frameOf(yaw, pitch, roll uint16) frame {
	sy, cy := sim.SinCos(yaw)
	sp, cp := sim.SinCos(pitch)
	sr, cr := sim.SinCos(roll)
	srsp, crsp := float64(sr*sp), float64(cr*sp)
	return frame{
		right: sim.Vec3{X: float64(cr*cy) - float64(srsp*sy), Y: float64(cr*sy) + float64(srsp*cy), Z: -float64(sr * cp)},
		ahead: sim.Vec3{X: -float64(cp * sy), Y: float64(cp * cy), Z: sp},
		up:    sim.Vec3{X: float64(sr*cy) + float64(crsp*sy), Y: float64(sr*sy) - float64(crsp*cy), Z: float64(cr * cp)},
	}
}

// at is a point of the vehicle, from where it stands.
func (f *frame) at(p sim.Vec3) sim.Vec3 {
	return f.right.Mul(p.X).Add(f.ahead.Mul(p.Y)).Add(f.up.Mul(p.Z))
}

// course begins a tick.
func (v *Vehicle) course(d *VehicleData) course {
	c := course{
		v: v, d: d, space: spaceOf(v.World()),
		position: v.position, velocity: v.velocity, spin: v.spin, steer: v.steer,
		yaw: sim.Turn(v.rotation.Yaw), pitch: sim.Turn(v.rotation.Pitch), roll: sim.Turn(v.rotation.Roll),
		normal: sim.Vec3{Z: 1}, pull: d.maxAcceleration, limit: d.maxSpeed,
	}
	if d.boost > 1 && v.drive.boost && v.drive.throttle > 0 && v.use(float64(d.boostDrain*sim.TickSeconds)) {
		c.pull, c.limit = float64(c.pull*d.boost), float64(c.limit*d.boost)
	}
	c.steer = approach(c.steer, v.drive.turn, float64(steerRate*sim.TickSeconds))
	c.look()
	return c
}

// turn turns it by its spin, and leans it no further than it may.
func (c *course) turn() {
	c.yaw += turning(c.spin.Z)
	c.pitch, c.spin.X = lean(c.pitch+turning(c.spin.X), c.spin.X)
	c.roll, c.spin.Y = lean(c.roll+turning(c.spin.Y), c.spin.Y)
	c.frame = frameOf(c.yaw, c.pitch, c.roll)
}

// turning is the angle of a tick at a rate in degrees a second.
func turning(rate float64) uint16 {
	return sim.Turn(float64(clamp1(rate, maxSpin) * sim.TickSeconds))
}

// lean is an angle that goes no further than maxTilt, and its rate.
func lean(turn uint16, rate float64) (uint16, float64) {
	if t := int16(turn); t > maxTilt {
		return maxTilt, 0
	} else if t < -maxTilt {
		return uint16(0x10000 - maxTilt), 0
	}
	return turn, rate
}

// leaning are pitch and roll in degrees, from -180.
func (c *course) leaning() (pitch, roll float64) { return signed(c.pitch), signed(c.roll) }

// level makes it spin so that it comes to lean as it should, in degrees.
func (c *course) level(pitch, roll float64) {
	isPitch, isRoll := c.leaning()
	c.spin.X = clamp1(dead(float64((pitch-isPitch)*4), 1), 90)
	c.spin.Y = clamp1(dead(float64((roll-isRoll)*4), 1), 90)
}

// dead is x, or 0 if it is not worth it.
func dead(x, least float64) float64 {
	if math.Abs(x) < least {
		return 0
	}
	return x
}

// haul goes ahead: the engine, the brakes and friction change the speed along the
// ground, grip takes that across it.
func (c *course) haul() {
	ahead := c.frame.ahead.Sub(c.normal.Mul(c.frame.ahead.Dot(c.normal))).Normalized()
	side := ahead.Cross(c.normal)
	along, across := c.velocity.Dot(ahead), c.velocity.Dot(side)
	grip := c.d.grip
	if c.v.drive.brake && c.d.kind != hoverKind && math.Abs(along) > 2 {
		grip = float64(grip * 0.4) // wheels that are blocked slip
	}
	newAlong := c.paced(along)
	newAcross := approach(across, 0, float64(float64(grip*c.hold)*sim.TickSeconds))
	c.velocity = c.velocity.Add(ahead.Mul(newAlong - along)).Add(side.Mul(newAcross - across))
}

// paced is the speed ahead after a tick of engine, brake and friction.
func (c *course) paced(speed float64) float64 {
	w, tick := &c.v.drive, float64(c.hold*sim.TickSeconds)
	limit, pull := c.limit, c.pull
	if w.throttle < 0 {
		limit, pull = float64(limit*reverse), float64(pull*reverse)
	}
	limit = float64(limit * math.Abs(w.throttle))
	if float64(w.throttle*speed) < 0 {
		speed = approach(speed, 0, float64(c.d.brake*tick)) // and it goes on the other way
	}
	switch {
	case w.brake, math.Abs(speed) > c.limit, float64(w.throttle*speed) < 0:
		return approach(speed, 0, float64(c.d.brake*tick))
	case math.Abs(speed) > limit:
		return approach(speed, math.Copysign(limit, speed), float64(c.d.rolling*tick))
	case w.throttle == 0:
		return speed
	}
	return approach(speed, math.Copysign(limit, w.throttle), float64(pull*tick))
}

// approach is x, moved to y by at most step.
func approach(x, y, step float64) float64 { return x + clamp1(y-x, step) }

// calm reports whether the vehicle stands, and nothing that is worth it moves it:
// its velocity in the last tick changed by an acceleration that is less.
func (c *course) calm(push float64) bool {
	w := &c.v.drive
	return w.throttle == 0 && w.rise == 0 && w.dip == 0 && math.Abs(push) < calmPush && c.velocity.Len() < calmSpeed &&
		math.Abs(c.spin.X) < calmSpin && math.Abs(c.spin.Y) < calmSpin
}
