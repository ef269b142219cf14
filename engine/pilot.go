package engine

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// A Pilot makes moves from goals: a target to look at, a point to go to, triggers to hold. It
// drives bots, and clients without another source of moves. The zero Pilot has no goals and makes
// NULL moves.
type Pilot struct {
	hasGoal   bool  // any goal was ever set
	aiming    bool  // at object, or at point if it is nil
	going     bool  // to to, until it is nearer than near
	usesFixed bool  // fixed is in use
	held      uint8 // triggers

	object sim.Object
	point  sim.Vec3
	to     sim.Vec3
	near   float64
	fixed  sim.Move // from SetMove
}

// The constants of a pilot.
const (
	pilotNear = 0.5 // default arrival distance in metres
)

// EyePointer is a Placer whose eye point is not its position.
type EyePointer interface {
	EyePoint() sim.Vec3
}

// AimAt makes the pilot look at a point until further notice.
func (p *Pilot) AimAt(point sim.Vec3) { p.aim(nil, point) }

// AimAtObject makes the pilot look at an object and follow it; nil stops aiming. If the object dies
// or has no place, the pilot looks at its last known point.
func (p *Pilot) AimAtObject(o sim.Object) {
	if o == nil {
		p.aiming, p.object, p.hasGoal = false, nil, true
		return
	}
	p.aim(o, p.point)
}

func (p *Pilot) aim(o sim.Object, point sim.Vec3) {
	p.aiming, p.object, p.point, p.hasGoal = true, o, point, true
}

// MoveTo makes the pilot walk straight to a point, until it is nearer than near metres. 0 or less
// selects 0.5 m. It looks in the direction of travel unless it aims.
func (p *Pilot) MoveTo(point sim.Vec3, near float64) {
	if !(near > 0) {
		near = pilotNear
	}
	p.going, p.to, p.near, p.hasGoal = true, point, near, true
}

// Moving reports whether the pilot is still walking.
func (p *Pilot) Moving() bool { return p.going }

// Stop makes the pilot stand still. It keeps its aim and triggers.
func (p *Pilot) Stop() { p.going, p.usesFixed, p.hasGoal = false, false, true }

// SetTrigger holds or releases trigger n, 0…5.
func (p *Pilot) SetTrigger(n int, held bool) {
	if n < 0 || n >= sim.MoveTriggers {
		return
	}
	p.hasGoal = true
	p.held &^= 1 << n
	if held {
		p.held |= 1 << n
	}
}

// SetMove makes the pilot repeat this move in every tick, until Stop. Held triggers are added to
// it.
func (p *Pilot) SetMove(m sim.Move) { p.fixed, p.usesFixed, p.hasGoal = m.Clamped(), true, true }

// Move returns the pilot's move. from is the place of its body, with the position of the eyes.
func (p *Pilot) Move(from sim.Place) (m sim.Move) {
	if p.usesFixed {
		m = p.fixed
	} else {
		m = p.walk(from)
	}
	m.Triggers |= p.held
	return m
}

// walk turns the body and walks.
func (p *Pilot) walk(from sim.Place) (m sim.Move) {
	p.look()
	heading := sim.Turn(from.Rotation.Yaw)
	way := p.to.Sub(from.Position)
	distance := math.Sqrt(float64(way.X*way.X) + float64(way.Y*way.Y))
	if !(distance > p.near) {
		p.going = false
	}
	switch {
	case p.aiming:
		to := p.point.Sub(from.Position)
		m.Yaw, m.Pitch = turnTo(to, heading, sim.Turn(from.Rotation.Pitch))
	case p.going:
		m.Yaw, _ = turnTo(way, heading, 0)
	}
	if p.going {
		m.X, m.Y = toward(way, distance, heading+uint16(m.Yaw))
	}
	return m
}

// look updates the point that the pilot aims at.
func (p *Pilot) look() {
	if p.object == nil || !p.object.Ident().Alive() {
		return
	}
	switch o := p.object.(type) {
	case EyePointer:
		p.point = o.EyePoint()
	case sim.Placer:
		p.point = o.Place().Position
	}
}

// moveOf returns the pilot's move for its body.
func (p *Pilot) moveOf(o sim.Controllable) sim.Move {
	if !p.hasGoal {
		return sim.Move{}
	}
	from := o.Place()
	if eyes, ok := o.(EyePointer); ok {
		from.Position = eyes.EyePoint()
	}
	return p.Move(from)
}
