package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// contactGap is the maximum gap at which a player still stands on a surface, in metres. leaveSpeed
// is the speed away from a surface above which the player leaves it, in metres a second.
const (
	contactGap = 4 * sim.FineStep
	leaveSpeed = 0.5
)

// stepTolerance is the amount by which rounding can raise a step, in metres: the positions of two
// boxes (1/128) and their sizes (1/64), each by half of a step, and their tops by one fine step.
const stepTolerance = 1.0/128 + 1.0/64 + sim.FineStep

// jetTilt is the ratio of sideways to upward jet acceleration when a move has a direction.
const jetTilt = 0.5

// playerTick is the state of one tick of a player on foot.
type playerTick struct {
	boxSlide
	p            *Player
	d            *PlayerData
	wantVelocity sim.Vec3 // wanted horizontal velocity
	wantSpeed    float64  // length of wish
	floorNormal  sim.Vec3 // normal of the surface below
	onSurface    bool     // on any surface
	onFloor      bool     // on a surface that is not too steep
	running      bool     // runs on such a surface
	skiing       bool
}

// walk moves the player by one tick.
func (p *Player) walk(d *PlayerData, m sim.Move, pressed uint8) {
	w := playerTick{p: p, d: d}
	w.begin(spaceOf(p.World()))
	w.computeWish(m)
	w.jump(m, pressed)
	w.jet(m)
	w.push()
	w.velocity = limit(w.velocity, d.maxSpeed)
	w.advance()
	w.end()
}

// begin finds the surface below the player and the solids nearby.
func (w *playerTick) begin(s *space) {
	d := w.d
	w.space = s
	w.lo, w.hi = boxOnGround(d.size)
	w.at, w.velocity = sim.SnapVec(clamp(w.p.position, Extent)), sim.SnapVec(limit(w.p.velocity, d.maxSpeed))
	_, w.steepest = sim.SinCos(sim.Turn(d.runSurfaceAngle))
	reach := float64((d.maxSpeed+Gravity)*sim.TickSeconds) + d.highestStep()
	if speed := w.velocity.Len(); speed+d.fastest() < d.maxSpeed {
		reach = float64((speed+d.fastest())*sim.TickSeconds) + d.highestStep()
	}
	if z, _ := s.ground(w.at.X, w.at.Y); w.at.Z < z {
		w.at.Z = ceilFine(z)
	}
	room := sim.Vec3{X: reach, Y: reach, Z: reach}
	s.gather(w.at.Add(w.lo).Sub(room), w.at.Add(w.hi).Add(room))
	z, up, ok := s.floor(w.lo, w.hi, w.at, contactGap)
	if !ok || w.at.Z-z > contactGap || w.velocity.Dot(up) > leaveSpeed {
		return
	}
	w.onSurface, w.floorNormal, w.onFloor = true, up, up.Z >= w.steepest
}

// fastest returns an upper bound for the speed that one tick can add.
func (d *PlayerData) fastest() float64 {
	return d.jumpSpeed + float64((d.runForce+d.groundFriction+d.jetForce+Gravity)*sim.TickSeconds)
}

// computeWish computes the wanted velocity of a move.
func (w *playerTick) computeWish(m sim.Move) {
	d := w.d
	x, y := m.Right(), m.Forward()
	if long := math.Sqrt(float64(x*x) + float64(y*y)); long > 1 {
		x, y = x/long, y/long
	}
	ahead := sim.Heading(sim.Turn(w.p.rotation.Yaw))
	side := sim.Vec3{X: ahead.Y, Y: -ahead.X}
	most := d.maxForwardSpeed
	if y < 0 {
		most = d.maxBackwardSpeed
	}
	w.wantVelocity = ahead.Mul(float64(y * most)).Add(side.Mul(float64(x * d.maxSideSpeed)))
	w.wantSpeed = w.wantVelocity.Len()
}

// jump starts a jump, or skis while jump is held.
func (w *playerTick) jump(m sim.Move, pressed uint8) {
	p, held := w.p, m.Trigger(sim.JumpTrigger)
	p.wait = max(p.wait-1, 0)
	again := pressed>>sim.JumpTrigger&1 != 0 || held && !w.d.canSki
	switch {
	case w.onFloor && again && p.wait == 0:
		w.velocity.Z = max(w.velocity.Z, w.d.jumpSpeed)
		w.onSurface, w.onFloor = false, false
		p.wait = jumpTicks
	case held && w.d.canSki:
		w.skiing, w.slidesUp = w.onSurface, true
	}
}

// jet burns the jets, upwards and in the direction of the move.
func (w *playerTick) jet(m sim.Move) {
	p, d := w.p, w.d
	need := float64(d.jetDrain * sim.TickSeconds)
	burns := m.Trigger(sim.JetTrigger) && p.energy >= need && (p.jetting || p.energy >= d.minJetEnergy)
	if burns != p.jetting {
		p.jetting = burns
		p.Mark(1<<moveGroup | 1<<energyGroup)
	}
	if !burns {
		return
	}
	p.setPredictedEnergy(p.energy - need)
	push, side := float64(d.jetForce*sim.TickSeconds), 0.0
	if w.wantSpeed > 0 {
		push = push / math.Sqrt(1+jetTilt*jetTilt)
		side = float64(push * jetTilt)
	}
	w.accelerate(side, d.maxJetSpeed)
	if w.velocity.Z < d.maxJetSpeed {
		w.velocity.Z = min(w.velocity.Z+push, d.maxJetSpeed)
	}
	if w.velocity.Z > leaveSpeed || push > float64(Gravity*sim.TickSeconds) {
		w.onSurface, w.onFloor, w.skiing = false, false, false
	}
}

// accelerate accelerates in the direction of the move. It does not raise the horizontal speed above
// most, or above the current speed if that is higher.
func (w *playerTick) accelerate(by, most float64) {
	if by == 0 || w.wantSpeed == 0 {
		return
	}
	v := sim.Vec3{X: w.velocity.X, Y: w.velocity.Y}
	most = max(most, v.Len())
	v = v.Add(w.wantVelocity.Mul(by / w.wantSpeed))
	if speed := v.Len(); speed > most {
		v = v.Mul(most / speed)
	}
	w.velocity.X, w.velocity.Y = v.X, v.Y
}

// push applies the ground, the air and gravity to the velocity.
func (w *playerTick) push() {
	if w.onFloor && !w.skiing {
		w.run()
		return
	}
	if w.onFloor || !w.onSurface { // a surface that is too steep gives no traction
		w.accelerate(float64(float64(w.d.runForce*w.d.airControl)*sim.TickSeconds), w.wantSpeed)
	}
	w.velocity.Z -= Gravity * sim.TickSeconds
	w.velocity = w.velocity.Mul(max(1-float64(w.d.drag*sim.TickSeconds), 0))
}

// run moves the velocity towards the wanted velocity, along the ground.
func (w *playerTick) run() {
	w.running = true
	w.velocity = projectOnPlane(w.velocity, w.floorNormal)
	way := projectOnPlane(w.wantVelocity, w.floorNormal).Sub(w.velocity)
	most := float64(w.d.groundFriction * sim.TickSeconds)
	if w.wantSpeed > 0 {
		most = float64(w.d.runForce * sim.TickSeconds)
	}
	if long := way.Len(); long > most {
		way = way.Mul(most / long)
	}
	w.velocity = w.velocity.Add(way)
}

// advance moves by the velocity, and up steps.
func (w *playerTick) advance() {
	before, start := w.velocity, w.at
	w.boxSlide.advance(sim.TickSeconds)
	if w.blocked && w.running && w.d.maxStepHeight > 0 {
		w.step(start, before)
	}
	if w.running {
		w.stepDown()
	}
}

// step repeats the tick's movement raised by the height of a step. It keeps the result if the
// player gets further and ends on a surface that is not too steep.
func (w *playerTick) step(start, velocity sim.Vec3) {
	height := w.stepHeight()
	high := w.boxSlide
	high.at, high.velocity, high.impact = start, sim.Vec3{X: velocity.X, Y: velocity.Y}, 0
	high.rise(sim.Vec3{Z: height})
	high.advance(sim.TickSeconds)
	high.rise(sim.Vec3{Z: start.Z - high.at.Z - w.d.maxStepHeight})
	z, up, ok := w.space.floor(w.lo, w.hi, high.at, contactGap)
	if !ok || high.at.Z-z > contactGap || up.Z < w.steepest || horizontalDistanceSquared(high.at, start) <= horizontalDistanceSquared(w.at, start) {
		return
	}
	w.boxSlide = high
}

// stepHeight returns the height above the feet of the highest step that the player can climb, in
// metres. The height of a step counts from the floor in front of it. On a slope upwards, that floor
// is higher than the middle of the player, where the feet are.
func (w *playerTick) stepHeight() float64 {
	n := w.floorNormal
	slope := -(float64(n.X*w.front.X) + float64(n.Y*w.front.Y)) / n.Z
	return w.d.maxStepHeight + stepTolerance + min(max(slope, 0), w.d.maxStepHeight)
}

// highestStep returns an upper bound for stepHeight.
func (d *PlayerData) highestStep() float64 { return float64(2*d.maxStepHeight) + stepTolerance }

// stepDown keeps a running player on the ground where the ground drops by at most one step.
func (w *playerTick) stepDown() {
	z, up, ok := w.space.floor(w.lo, w.hi, w.at, w.d.maxStepHeight+stepTolerance)
	if !ok || z >= w.at.Z || up.Z < w.steepest {
		return
	}
	way := w.space.trace(w.lo, w.hi, w.at, sim.Vec3{Z: z - w.at.Z})
	w.at = way.end(w.at, sim.Vec3{Z: z - w.at.Z})
}

// end puts the player on the fine grid and above the ground.
func (w *playerTick) end() {
	at, v := sim.SnapVec(clamp(w.at, Extent)), sim.SnapVec(limit(w.velocity, w.d.maxSpeed))
	if z, _ := w.space.ground(at.X, at.Y); at.Z < z {
		at.Z = ceilFine(z)
	}
	w.p.move(at, v)
	if w.impact > 0 && w.impact >= w.d.minImpactSpeed && w.p.emitsEvents() {
		w.p.World().Emit(w.p, "onImpact", sim.Number(w.impact))
	}
}
