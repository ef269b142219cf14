package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// A vehicleTick is the state of a vehicle during one tick. It begins as a copy of the vehicle's
// state, and arrive writes it back.
type vehicleTick struct {
	v     *Vehicle
	d     *VehicleData
	space *space

	position, velocity sim.Vec3
	spin               sim.Vec3
	steer              float64
	yaw, pitch, roll   uint16
	frame              basis

	normal          sim.Vec3 // of the supporting ground
	hold            float64  // part of the full support that the ground or the air gives, 0…1
	acceleration    float64  // current engine acceleration, in metres a second squared
	maxSpeed        float64  // current maximum engine speed, in metres a second
	impactSpeed     float64  // highest speed of impact in this tick, in metres a second
	impactBody      body     // the body hit at that speed; nil is the ground
	impactDirection sim.Vec3 // the direction of that impact
}

// basis is the orientation of a vehicle: its three axes.
type basis struct{ right, ahead, up sim.Vec3 }

// basisOf returns the frame of three angles, with the conventions of sim.Rot.
func basisOf(yaw, pitch, roll uint16) basis {
	sy, cy := sim.SinCos(yaw)
	sp, cp := sim.SinCos(pitch)
	sr, cr := sim.SinCos(roll)
	srsp, crsp := float64(sr*sp), float64(cr*sp)
	return basis{
		right: sim.Vec3{X: float64(cr*cy) - float64(srsp*sy), Y: float64(cr*sy) + float64(srsp*cy), Z: -float64(sr * cp)},
		ahead: sim.Vec3{X: -float64(cp * sy), Y: float64(cp * cy), Z: sp},
		up:    sim.Vec3{X: float64(sr*cy) + float64(crsp*sy), Y: float64(sr*sy) - float64(crsp*cy), Z: float64(cr * cp)},
	}
}

// at rotates a point from vehicle space to world space. The result is relative to the position.
func (f *basis) at(p sim.Vec3) sim.Vec3 {
	return f.right.Mul(p.X).Add(f.ahead.Mul(p.Y)).Add(f.up.Mul(p.Z))
}

// beginTick begins a tick.
func (v *Vehicle) beginTick(d *VehicleData) vehicleTick {
	c := vehicleTick{
		v: v, d: d, space: spaceOf(v.World()),
		position: v.position, velocity: v.velocity, spin: v.spin, steer: v.steer,
		yaw: sim.Turn(v.rotation.Yaw), pitch: sim.Turn(v.rotation.Pitch), roll: sim.Turn(v.rotation.Roll),
		normal: sim.Vec3{Z: 1}, acceleration: d.maxAcceleration, maxSpeed: d.maxSpeed,
	}
	if d.boost > 1 && v.drive.boost && v.drive.throttle > 0 && v.takeEnergy(float64(d.boostDrain*sim.TickSeconds)) {
		c.acceleration, c.maxSpeed = float64(c.acceleration*d.boost), float64(c.maxSpeed*d.boost)
	}
	c.steer = moveTowards(c.steer, v.drive.turn, float64(steerRate*sim.TickSeconds))
	c.gatherSolids()
	return c
}

// turn applies the spin to the angles and limits pitch and roll to ±maxTilt.
func (c *vehicleTick) turn() {
	c.yaw += turnPerTick(c.spin.Z)
	c.pitch, c.spin.X = limitTilt(c.pitch+turnPerTick(c.spin.X), c.spin.X)
	c.roll, c.spin.Y = limitTilt(c.roll+turnPerTick(c.spin.Y), c.spin.Y)
	c.frame = basisOf(c.yaw, c.pitch, c.roll)
}

// turnPerTick returns the angle turned in one tick at a rate in degrees a second.
func turnPerTick(rate float64) uint16 {
	return sim.Turn(float64(clamp1(rate, maxSpin) * sim.TickSeconds))
}

// limitTilt limits an angle to ±maxTilt. It returns the angle and its rate, which is 0 at the
// limit.
func limitTilt(turn uint16, rate float64) (uint16, float64) {
	if t := int16(turn); t > maxTilt {
		return maxTilt, 0
	} else if t < -maxTilt {
		return uint16(0x10000 - maxTilt), 0
	}
	return turn, rate
}

// tilt returns pitch and roll in degrees, -180…180.
func (c *vehicleTick) tilt() (pitch, roll float64) {
	return signedDegrees(c.pitch), signedDegrees(c.roll)
}

// level sets the spin so that pitch and roll approach the given angles, in degrees.
func (c *vehicleTick) level(pitch, roll float64) {
	isPitch, isRoll := c.tilt()
	c.spin.X = clamp1(deadZone(float64((pitch-isPitch)*4), 1), 90)
	c.spin.Y = clamp1(deadZone(float64((roll-isRoll)*4), 1), 90)
}

// applyTraction changes the velocity along the ground. The engine, the brakes and friction change
// its forward part. Grip reduces its sideways part.
func (c *vehicleTick) applyTraction() {
	ahead := c.frame.ahead.Sub(c.normal.Mul(c.frame.ahead.Dot(c.normal))).Normalized()
	side := ahead.Cross(c.normal)
	along, across := c.velocity.Dot(ahead), c.velocity.Dot(side)
	grip := c.d.grip
	if c.v.drive.brake && c.d.kind != hoverKind && math.Abs(along) > 2 {
		grip = float64(grip * 0.4) // locked wheels slip
	}
	newAlong := c.nextSpeed(along)
	newAcross := moveTowards(across, 0, float64(float64(grip*c.hold)*sim.TickSeconds))
	c.velocity = c.velocity.Add(ahead.Mul(newAlong - along)).Add(side.Mul(newAcross - across))
}

// nextSpeed returns the forward speed after one tick of engine, brake and friction.
func (c *vehicleTick) nextSpeed(speed float64) float64 {
	w, tick := &c.v.drive, float64(c.hold*sim.TickSeconds)
	limit, pull := c.maxSpeed, c.acceleration
	if w.throttle < 0 {
		limit, pull = float64(limit*reverse), float64(pull*reverse)
	}
	limit = float64(limit * math.Abs(w.throttle))
	if float64(w.throttle*speed) < 0 {
		speed = moveTowards(speed, 0, float64(c.d.brake*tick)) // once it stops, the switch below drives it the other way
	}
	switch {
	case w.brake, math.Abs(speed) > c.maxSpeed, float64(w.throttle*speed) < 0:
		return moveTowards(speed, 0, float64(c.d.brake*tick))
	case math.Abs(speed) > limit:
		return moveTowards(speed, math.Copysign(limit, speed), float64(c.d.rolling*tick))
	case w.throttle == 0:
		return speed
	}
	return moveTowards(speed, math.Copysign(limit, w.throttle), float64(pull*tick))
}

// canRest reports whether the vehicle can come to rest: it has no throttle, and its speed, its spin
// and the acceleration push are below the calm limits.
func (c *vehicleTick) canRest(push float64) bool {
	w := &c.v.drive
	return w.throttle == 0 && w.rise == 0 && w.dip == 0 && math.Abs(push) < calmPush && c.velocity.Len() < calmSpeed &&
		math.Abs(c.spin.X) < calmSpin && math.Abs(c.spin.Y) < calmSpin
}
