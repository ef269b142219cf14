package game

import "github.com/torc-engine/torc/engine/sim"

// Extent is the maximum distance from the origin on each axis, in metres: the range of SetPosition.
const Extent = 65536

// MaxSpeed is the maximum speed on each axis, in metres a second: the range of SetVelocity.
const MaxSpeed = 4096

// The widths of a place on the wire. The error of a position is at most 4 mm, of a velocity 16 mm a
// second, and of an angle 0.05 degrees.
const (
	positionBits = 24 // per axis, over ±Extent
	velocityBits = 18 // per axis, over ±MaxSpeed
	rotationBits = 12 // per angle, over a turn
)

// The field groups. The fields of a group are sent together when one of them changes. Group 0 is
// sent only on creation. Position and velocity share a group, because extrapolation needs both from
// the same tick.
const (
	constGroup = iota
	placeGroup
	turnGroup
	damageGroup // the groups from here on belong to ShapeBase
	fateGroup
	energyGroup
	mountGroup
	nameGroup
	leapGroup
	imageGroup
	imageStateGroup
	ownGroup // the first free group for classes that derive from ShapeBase
)

// SceneObject is an object with a position in metres, a rotation in degrees and a velocity in
// metres a second.
type SceneObject struct {
	sim.NetObject
	position    sim.Vec3
	velocity    sim.Vec3
	rotation    sim.Rot
	ghostMotion *sim.Motion // of a ghost, from its first update or tick on
	bodyNumber  uint32      // its number in the space; 0 means that it is not in the space
}

// Position returns the position in metres.
func (s *SceneObject) Position() sim.Vec3 { return s.position }

// Rotation returns the rotation in degrees.
func (s *SceneObject) Rotation() sim.Rot { return s.rotation }

// Velocity returns the velocity in metres a second.
func (s *SceneObject) Velocity() sim.Vec3 { return s.velocity }

// SetPosition sets the position in metres. Each component must be in ±Extent. Ghosts warp to the
// new place; ShapeBase.Teleport shows them there at once.
func (s *SceneObject) SetPosition(at sim.Vec3) error { return s.SetField("position", sim.Vec(at)) }

// SetRotation sets the rotation in degrees. The angles must be finite.
func (s *SceneObject) SetRotation(r sim.Rot) error { return s.SetField("rotation", sim.Rotation(r)) }

// SetVelocity sets the velocity in metres a second. Each component must be in ±MaxSpeed.
func (s *SceneObject) SetVelocity(v sim.Vec3) error { return s.SetField("velocity", sim.Vec(v)) }

// Place returns position, velocity and rotation. The radius is 0.
func (s *SceneObject) Place() sim.Place {
	return sim.Place{Position: s.position, Velocity: s.velocity, Rotation: s.rotation}
}

// move sets position and velocity, and marks the change if there is one.
func (s *SceneObject) move(position, velocity sim.Vec3) {
	if position != s.position || velocity != s.velocity {
		s.position, s.velocity = position, velocity
		s.Mark(1 << placeGroup)
	}
}

// Received handles an update of the fields. before is the previous Place.
func (s *SceneObject) Received(before sim.Place) {
	s.following().Received(&s.Class().Motion, before, s.Place(), s.World().Late())
}

// Interpolate is the tick of a ghost.
func (s *SceneObject) Interpolate(n uint64) {
	m, rule := s.following(), &s.Class().Motion
	if m.Simulates(rule) && !s.World().CompleteGhosts {
		if t, ok := s.Object().(sim.Ticker); ok {
			t.Tick(n)
		}
	}
	m.Interpolate(rule, s.Place())
}

// Driven ends a tick of a ghost that moves have driven.
func (s *SceneObject) Driven() {
	s.following().Driven(&s.Class().Motion, s.Object().(sim.Placer).Place())
}

// Shown returns the place to draw it at, back of a tick (0…1) before the newest.
func (s *SceneObject) Shown(back float64) sim.Place {
	p := s.Object().(sim.Placer).Place()
	if s.ghostMotion != nil {
		p = s.ghostMotion.Shown(p, back)
	}
	return p
}

// following returns the motion state of a ghost. It creates the state if necessary.
func (s *SceneObject) following() *sim.Motion {
	if s.ghostMotion == nil {
		s.ghostMotion = new(sim.Motion)
	}
	return s.ghostMotion
}

func (s *SceneObject) scene() *SceneObject { return s }

// sceneObject is implemented by every type that embeds a SceneObject.
type sceneObject interface{ scene() *SceneObject }

var sceneObjectClass = sim.Class{
	Name: "SceneObject", Parent: "NetObject", Abstract: true, Bare: func() sim.Object { return new(Marker) },
	Doc: "An object with a place in the world.",
	Events: []sim.EventDoc{
		{Name: "onCollision", Params: "other: Object?, velocity: vec", Doc: "the object has begun to touch another; velocity is their relative velocity"},
	},
	Fields: []sim.Field{
		sim.VecField("position", placeGroup, Extent, func(s sceneObject) *sim.Vec3 { return &s.scene().position }).
			WithBits(positionBits).WithRate("velocity").WithDoc("its position in metres"),
		sim.VecField("velocity", placeGroup, MaxSpeed, func(s sceneObject) *sim.Vec3 { return &s.scene().velocity }).
			WithBits(velocityBits).WithDoc("its velocity in metres per second"),
		sim.RotField("rotation", turnGroup, func(s sceneObject) *sim.Rot { return &s.scene().rotation }).
			WithBits(rotationBits).WithDoc("yaw, pitch and roll in degrees"),
	},
}

// clamp limits each component of v to -max…max.
func clamp(v sim.Vec3, max float64) sim.Vec3 {
	return sim.Vec3{X: clamp1(v.X, max), Y: clamp1(v.Y, max), Z: clamp1(v.Z, max)}
}

func clamp1(x, most float64) float64 { return min(max(x, -most), most) }

// drift is like move, for changes that ghosts compute themselves.
func (s *SceneObject) drift(position, velocity sim.Vec3) {
	if position != s.position || velocity != s.velocity {
		s.position, s.velocity = position, velocity
		s.MarkPredicted(1 << placeGroup)
	}
}
