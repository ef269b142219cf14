package engine

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// A Pilot makes moves out of wishes: where to look, where to go, what to hold.
// It drives a bot, and a client that nobody else makes moves for. The zero Pilot
// wishes for nothing and makes NULL moves.
type Pilot struct {
	touched bool // somebody has wished for something

	aiming bool
	object sim.Object // to look at, or nil: the point
	point  sim.Vec3

	going bool
	to    sim.Vec3
	near  float64

	held  uint8    // triggers
	fixed sim.Move // as SetMove has it
	is    bool     // it has
}

// The measures of a pilot.
const (
	pilotNear  = 0.5 // metres from where it goes at which it has arrived
	pilotBrake = 4.0 // metres from there at which it begins to go slower
)

// Eyes is a Placed that looks from somewhere else than its Place.
type Eyes interface {
	EyePoint() sim.Vec3
}

// AimAt has the pilot look at a point until it is told otherwise.
func (p *Pilot) AimAt(point sim.Vec3) { p.aim(nil, point) }

// AimAtObject has the pilot look at what is at an object's place, wherever that
// goes; nil ends it. Of what is dead or has no place it sees the last of.
func (p *Pilot) AimAtObject(o sim.Object) {
	if o == nil {
		p.aiming, p.object, p.touched = false, nil, true
		return
	}
	p.aim(o, p.point)
}

func (p *Pilot) aim(o sim.Object, point sim.Vec3) {
	p.aiming, p.object, p.point, p.touched = true, o, point, true
}

// MoveTo has the pilot go to a point, straight, until it is nearer than so many
// metres; 0 or less is half a metre. It looks where it goes unless it aims.
func (p *Pilot) MoveTo(point sim.Vec3, near float64) {
	if !(near > 0) {
		near = pilotNear
	}
	p.going, p.to, p.near, p.touched = true, point, near, true
}

// Moving reports whether the pilot is still on its way.
func (p *Pilot) Moving() bool { return p.going }

// Stop has the pilot stand still; it goes on to aim and to hold triggers.
func (p *Pilot) Stop() { p.going, p.is, p.touched = false, false, true }

// SetTrigger holds trigger n, 0…5, or lets it go.
func (p *Pilot) SetTrigger(n int, held bool) {
	if n < 0 || n >= sim.MoveTriggers {
		return
	}
	p.touched = true
	p.held &^= 1 << n
	if held {
		p.held |= 1 << n
	}
}

// SetMove has the pilot make this very move in every tick, until Stop. The
// triggers it holds are held besides.
func (p *Pilot) SetMove(m sim.Move) { p.fixed, p.is, p.touched = m.Clamped(), true, true }

// Move is the pilot's move from a place: that of what it steers, at its eyes.
func (p *Pilot) Move(from sim.Place) (m sim.Move) {
	if p.is {
		m = p.fixed
	} else {
		m = p.walk(from)
	}
	m.Triggers |= p.held
	return m
}

// walk looks and goes.
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

// look follows what the pilot aims at.
func (p *Pilot) look() {
	if p.object == nil || !p.object.Ident().Alive() {
		return
	}
	switch o := p.object.(type) {
	case Eyes:
		p.point = o.EyePoint()
	case sim.Placed:
		p.point = o.Place().Position
	}
}

// turnTo is by how much to turn to look along way: from -180 to 180 degrees.
func turnTo(way sim.Vec3, yaw, pitch uint16) (byYaw, byPitch int16) {
	flat := math.Sqrt(float64(way.X*way.X) + float64(way.Y*way.Y))
	if flat > 0 {
		byYaw = int16(turns(math.Atan2(-way.X, way.Y)) - yaw)
	}
	if flat > 0 || way.Z != 0 {
		byPitch = int16(turns(math.Atan2(way.Z, flat)) - pitch)
	}
	return byYaw, byPitch
}

func turns(radians float64) uint16 { return sim.Turn(radians * (180 / math.Pi)) }

// toward is the translation that goes along way for one who is turned so.
func toward(way sim.Vec3, distance float64, heading uint16) (x, y int8) {
	f := sim.Heading(heading)
	speed := sim.MoveFull * min(1, distance/pilotBrake) / distance
	right := float64(way.X*f.Y) - float64(way.Y*f.X)
	forward := float64(way.X*f.X) + float64(way.Y*f.Y)
	return whole(right * speed), whole(forward * speed)
}

// whole is the nearest that a move can have; of what is no number 0.
func whole(x float64) int8 {
	if !(x > -sim.MoveFull-1 && x < sim.MoveFull+1) {
		return 0
	}
	return int8(math.Round(x))
}

// Pilot is who makes the moves of a bot, and those of this side's own control
// object while nobody else does (Host.SetMoves).
func (c *Connection) Pilot() *Pilot { return &c.pilot }

// pilotMove is the pilot's move for what it steers.
func (c *Connection) pilotMove(o sim.Controlled) sim.Move {
	if !c.pilot.touched {
		return sim.Move{}
	}
	from := o.Place()
	if eyes, ok := o.(Eyes); ok {
		from.Position = eyes.EyePoint()
	}
	return c.pilot.Move(from)
}
