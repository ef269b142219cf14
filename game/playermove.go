package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// contact is the maximum gap at which a player still stands on a surface, in metres. leaving is the
// speed away from a surface above which the player leaves it, in metres a second.
const (
	contact = 4 * sim.Fine
	leaving = 0.5
)

// jetTilt is the ratio of sideways to upward jet acceleration when a move has a direction.
const jetTilt = 0.5

// walk is the state of one tick of a player on foot.
type walk struct {
	slide
	p      *Player
	d      *PlayerData
	wish   sim.Vec3 // wanted horizontal velocity
	want   float64  // length of wish
	up     sim.Vec3 // normal of the surface below
	stands bool     // on any surface
	holds  bool     // on a surface that is not too steep
	runs   bool     // runs on such a surface
	skis   bool
}

// walk moves the player by one tick.
func (p *Player) walk(d *PlayerData, m sim.Move, pressed uint8) {
	w := walk{p: p, d: d}
	w.begin(spaceOf(p.World()))
	w.aim(m)
	w.jump(m, pressed)
	w.jet(m)
	w.push()
	w.velocity = limit(w.velocity, d.maxSpeed)
	w.advance()
	w.end()
}

// begin finds the surface below the player and the solids nearby.
func (w *walk) begin(s *space) {
	d := w.d
	w.space = s
	w.lo, w.hi = standing(d.size)
	w.at, w.velocity = sim.SnapVec(clamp(w.p.position, Extent)), sim.SnapVec(limit(w.p.velocity, d.maxSpeed))
	_, w.steepest = sim.SinCos(sim.Turn(d.runSurfaceAngle))
	reach := float64((d.maxSpeed+Gravity)*sim.TickSeconds) + d.maxStepHeight
	if speed := w.velocity.Len(); speed+d.fastest() < d.maxSpeed {
		reach = float64((speed+d.fastest())*sim.TickSeconds) + d.maxStepHeight
	}
	if z, _ := s.ground(w.at.X, w.at.Y); w.at.Z < z {
		w.at.Z = raised(z)
	}
	room := sim.Vec3{X: reach, Y: reach, Z: reach}
	s.gather(w.at.Add(w.lo).Sub(room), w.at.Add(w.hi).Add(room))
	z, up, ok := s.floor(w.lo, w.hi, w.at, contact)
	if !ok || w.at.Z-z > contact || w.velocity.Dot(up) > leaving {
		return
	}
	w.stands, w.up, w.holds = true, up, up.Z >= w.steepest
}

// fastest returns an upper bound for the speed that one tick can add.
func (d *PlayerData) fastest() float64 {
	return d.jumpSpeed + float64((d.runForce+d.groundFriction+d.jetForce+Gravity)*sim.TickSeconds)
}

// raised rounds z up to the fine grid (sim.Fine).
func raised(z float64) float64 { return math.Ceil(z/sim.Fine) * sim.Fine }

// aim computes the wanted velocity of a move.
func (w *walk) aim(m sim.Move) {
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
	w.wish = ahead.Mul(float64(y * most)).Add(side.Mul(float64(x * d.maxSideSpeed)))
	w.want = w.wish.Len()
}

// jump starts a jump, or skis while jump is held.
func (w *walk) jump(m sim.Move, pressed uint8) {
	p, held := w.p, m.Trigger(sim.JumpTrigger)
	p.wait = max(p.wait-1, 0)
	again := pressed>>sim.JumpTrigger&1 != 0 || held && !w.d.canSki
	switch {
	case w.holds && again && p.wait == 0:
		w.velocity.Z = max(w.velocity.Z, w.d.jumpSpeed)
		w.stands, w.holds = false, false
		p.wait = jumpTicks
	case held && w.d.canSki:
		w.skis, w.climbs = w.stands, true
	}
}

// jet burns the jets, upwards and in the direction of the move.
func (w *walk) jet(m sim.Move) {
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
	p.foretold(p.energy - need)
	push, side := float64(d.jetForce*sim.TickSeconds), 0.0
	if w.want > 0 {
		push = push / math.Sqrt(1+jetTilt*jetTilt)
		side = float64(push * jetTilt)
	}
	w.hasten(side, d.maxJetSpeed)
	if w.velocity.Z < d.maxJetSpeed {
		w.velocity.Z = min(w.velocity.Z+push, d.maxJetSpeed)
	}
	if w.velocity.Z > leaving || push > float64(Gravity*sim.TickSeconds) {
		w.stands, w.holds, w.skis = false, false, false
	}
}

// hasten accelerates in the direction of the move. It does not raise the horizontal speed above
// most, or above the current speed if that is higher.
func (w *walk) hasten(by, most float64) {
	if by == 0 || w.want == 0 {
		return
	}
	v := sim.Vec3{X: w.velocity.X, Y: w.velocity.Y}
	most = max(most, v.Len())
	v = v.Add(w.wish.Mul(by / w.want))
	if speed := v.Len(); speed > most {
		v = v.Mul(most / speed)
	}
	w.velocity.X, w.velocity.Y = v.X, v.Y
}

// push applies the ground, the air and gravity to the velocity.
func (w *walk) push() {
	if w.holds && !w.skis {
		w.run()
		return
	}
	if w.holds || !w.stands { // a surface that is too steep gives no traction
		w.hasten(float64(float64(w.d.runForce*w.d.airControl)*sim.TickSeconds), w.want)
	}
	w.velocity.Z -= Gravity * sim.TickSeconds
	w.velocity = w.velocity.Mul(max(1-float64(w.d.drag*sim.TickSeconds), 0))
}

// run moves the velocity towards the wanted velocity, along the ground.
func (w *walk) run() {
	w.runs = true
	w.velocity = along(w.velocity, w.up)
	way := along(w.wish, w.up).Sub(w.velocity)
	most := float64(w.d.groundFriction * sim.TickSeconds)
	if w.want > 0 {
		most = float64(w.d.runForce * sim.TickSeconds)
	}
	if long := way.Len(); long > most {
		way = way.Mul(most / long)
	}
	w.velocity = w.velocity.Add(way)
}

// along returns v without its component along the normal.
func along(v, normal sim.Vec3) sim.Vec3 { return v.Sub(normal.Mul(v.Dot(normal))) }

// advance moves by the velocity, and up steps.
func (w *walk) advance() {
	before, start := w.velocity, w.at
	w.slide.advance(sim.TickSeconds)
	if w.blocked && w.runs && w.d.maxStepHeight > 0 {
		w.step(start, before)
	}
	if w.runs {
		w.stick()
	}
}

// step repeats the tick's movement raised by maxStepHeight. It keeps the result if the player gets
// further and ends on a surface that is not too steep.
func (w *walk) step(start, velocity sim.Vec3) {
	high := w.slide
	high.at, high.velocity, high.impact = start, sim.Vec3{X: velocity.X, Y: velocity.Y}, 0
	high.rise(sim.Vec3{Z: w.d.maxStepHeight})
	high.advance(sim.TickSeconds)
	high.rise(sim.Vec3{Z: start.Z - high.at.Z - w.d.maxStepHeight})
	z, up, ok := w.space.floor(w.lo, w.hi, high.at, contact)
	if !ok || high.at.Z-z > contact || up.Z < w.steepest || farther(high.at, start) <= farther(w.at, start) {
		return
	}
	w.slide = high
}

// farther returns the squared horizontal distance of two points.
func farther(a, b sim.Vec3) float64 {
	d := a.Sub(b)
	return float64(d.X*d.X) + float64(d.Y*d.Y)
}

// stick keeps a running player on the ground where the ground drops by at most one step.
func (w *walk) stick() {
	z, up, ok := w.space.floor(w.lo, w.hi, w.at, w.d.maxStepHeight)
	if !ok || z >= w.at.Z || up.Z < w.steepest {
		return
	}
	way := w.space.trace(w.lo, w.hi, w.at, sim.Vec3{Z: z - w.at.Z})
	w.at = way.end(w.at, sim.Vec3{Z: z - w.at.Z})
}

// end puts the player on the fine grid and above the ground.
func (w *walk) end() {
	at, v := sim.SnapVec(clamp(w.at, Extent)), sim.SnapVec(limit(w.velocity, w.d.maxSpeed))
	if z, _ := w.space.ground(at.X, at.Y); at.Z < z {
		at.Z = raised(z)
	}
	w.p.move(at, v)
	if w.impact > 0 && w.impact >= w.d.minImpactSpeed && w.p.tells() {
		w.p.World().Emit(w.p, "onImpact", sim.Number(w.impact))
	}
}
