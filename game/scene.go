package game

import "github.com/torc-engine/torc/engine/sim"

// Extent is how far from the origin things can be, on each axis, in metres.
const Extent = 65536

// MaxSpeed is the most that things can move on each axis, in metres a second.
const MaxSpeed = 4096

// The groups of fields that travel together when one of them changes. Group 0
// is sent on creation.
const (
	constGroup = iota
	placeGroup
)

// SceneObject is a thing that is somewhere: position in metres, rotation in
// degrees, velocity in metres a second.
type SceneObject struct {
	sim.NetObject
	position sim.Vec3
	rotation sim.Rot
	velocity sim.Vec3
}

// Position is where it is.
func (s *SceneObject) Position() sim.Vec3 { return s.position }

// Rotation is how it is turned.
func (s *SceneObject) Rotation() sim.Rot { return s.rotation }

// Velocity is how it moves.
func (s *SceneObject) Velocity() sim.Vec3 { return s.velocity }

func (s *SceneObject) scene() *SceneObject { return s }

// placed is whatever embeds a SceneObject.
type placed interface{ scene() *SceneObject }

var sceneObjectClass = sim.Class{
	Name: "SceneObject", Parent: "NetObject", Abstract: true,
	Doc: "A thing that is somewhere.",
	Fields: []sim.Field{
		sim.VecField("position", placeGroup, Extent, func(s placed) *sim.Vec3 { return &s.scene().position }).
			WithDoc("where it is, in metres"),
		sim.RotField("rotation", placeGroup, func(s placed) *sim.Rot { return &s.scene().rotation }).
			WithDoc("yaw, pitch and roll in degrees"),
		sim.VecField("velocity", placeGroup, MaxSpeed, func(s placed) *sim.Vec3 { return &s.scene().velocity }).
			WithDoc("in metres a second"),
	},
}

// clamp keeps v in its box of extent max.
func clamp(v sim.Vec3, max float64) sim.Vec3 {
	return sim.Vec3{X: clamp1(v.X, max), Y: clamp1(v.Y, max), Z: clamp1(v.Z, max)}
}

func clamp1(x, most float64) float64 { return min(max(x, -most), most) }
