package game

import "github.com/torc-engine/torc/engine/sim"

// Extent is how far from the origin things can be, on each axis, in metres.
const Extent = 65536

// MaxSpeed is the most that things can move on each axis, in metres a second.
const MaxSpeed = 4096

// The widths of a place on the wire: a position is right within 4 mm, a
// velocity within 16 mm a second, an angle within 0.05 degrees.
const (
	positionBits = 24 // an axis, over ±Extent
	velocityBits = 18 // an axis, over ±MaxSpeed
	rotationBits = 12 // an angle, over a turn
)

// The groups of fields that travel together when one of them changes. Group 0
// is sent on creation. Position and velocity are one group, for whoever goes
// on from the one needs the other of the same tick.
const (
	constGroup = iota
	placeGroup
	turnGroup
	damageGroup // of every ShapeBase from here on
	energyGroup
	mountGroup
	nameGroup
	leapGroup
	imageGroup
	ownGroup // the first that is free for what a heir of ShapeBase has
)

// SceneObject is a thing that is somewhere: position in metres, rotation in
// degrees, velocity in metres a second.
type SceneObject struct {
	sim.NetObject
	position sim.Vec3
	velocity sim.Vec3
	rotation sim.Rot
	motion   *sim.Motion // of a ghost, from its first update or tick on
	spot     uint32      // its number in its space, 0: it is not in there
}

// Position is where it is.
func (s *SceneObject) Position() sim.Vec3 { return s.position }

// Rotation is how it is turned.
func (s *SceneObject) Rotation() sim.Rot { return s.rotation }

// Velocity is how it moves.
func (s *SceneObject) Velocity() sim.Vec3 { return s.velocity }

// Place is where it is; it takes no room.
func (s *SceneObject) Place() sim.Place {
	return sim.Place{Position: s.position, Velocity: s.velocity, Rotation: s.rotation}
}

// move puts it elsewhere with another velocity, and marks it if that is so.
func (s *SceneObject) move(position, velocity sim.Vec3) {
	if position != s.position || velocity != s.velocity {
		s.position, s.velocity = position, velocity
		s.Mark(1 << placeGroup)
	}
}

// Received is told that an update has set fields, and what Place was before.
func (s *SceneObject) Received(before sim.Place) {
	s.following().Received(&s.Class().Motion, before, s.Place())
}

// Interpolate is the tick of a ghost.
func (s *SceneObject) Interpolate(n uint64) {
	m, rule := s.following(), &s.Class().Motion
	if m.Simulates(rule) {
		if t, ok := s.Object().(sim.Ticker); ok {
			t.Tick(n)
		}
	}
	m.Interpolate(rule, s.Place())
}

// Driven ends a tick of a ghost that moves have driven.
func (s *SceneObject) Driven() {
	s.following().Interpolate(&s.Class().Motion, s.Object().(sim.Placed).Place())
}

// Shown is the place to draw it at, back of a tick before the newest.
func (s *SceneObject) Shown(back float64) sim.Place {
	p := s.Object().(sim.Placed).Place()
	if s.motion != nil {
		p = s.motion.Shown(p, back)
	}
	return p
}

// following is the motion of a ghost.
func (s *SceneObject) following() *sim.Motion {
	if s.motion == nil {
		s.motion = new(sim.Motion)
	}
	return s.motion
}

func (s *SceneObject) scene() *SceneObject { return s }

// placed is whatever embeds a SceneObject.
type placed interface{ scene() *SceneObject }

var sceneObjectClass = sim.Class{
	Name: "SceneObject", Parent: "NetObject", Abstract: true,
	Doc: "A thing that is somewhere.",
	Events: []sim.Event{
		{Name: "onCollision", Params: "other: Object, velocity: vec", Doc: "it and another have begun to touch, and this is how fast they have met"},
	},
	Fields: []sim.Field{
		sim.VecField("position", placeGroup, Extent, func(s placed) *sim.Vec3 { return &s.scene().position }).
			WithBits(positionBits).WithDoc("where it is, in metres"),
		sim.VecField("velocity", placeGroup, MaxSpeed, func(s placed) *sim.Vec3 { return &s.scene().velocity }).
			WithBits(velocityBits).WithDoc("in metres a second"),
		sim.RotField("rotation", turnGroup, func(s placed) *sim.Rot { return &s.scene().rotation }).
			WithBits(rotationBits).WithDoc("yaw, pitch and roll in degrees"),
	},
}

// clamp keeps v in its box of extent max.
func clamp(v sim.Vec3, max float64) sim.Vec3 {
	return sim.Vec3{X: clamp1(v.X, max), Y: clamp1(v.Y, max), Z: clamp1(v.Z, max)}
}

func clamp1(x, most float64) float64 { return min(max(x, -most), most) }
