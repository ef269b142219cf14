package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// Gravity pulls down by this much, in metres a second squared.
const Gravity = 20.0

// restSpeed is how slowly an item may hit the ground, in metres a second,
// without bouncing: a little more than gravity gives it in one tick.
const restSpeed = 1.0

// maxDescription is the longest description of an item, in bytes.
const maxDescription = 64 << 10

// ItemData is what the Items of one kind share.
type ItemData struct {
	sim.Block
	mass, friction, elasticity float64
	gravityMod, maxVelocity    float64
	radius                     float64
	sticky                     bool
	shape, description         string
}

// Mass is in kilograms.
func (d *ItemData) Mass() float64 { return d.mass }

// Radius is of the sphere that holds the item, in metres.
func (d *ItemData) Radius() float64 { return d.radius }

// Shape names what the item looks like.
func (d *ItemData) Shape() string { return d.shape }

// Description tells people about the item.
func (d *ItemData) Description() string { return d.description }

// Item is a thing that lies about, falls and slides. The ground is z = 0.
type Item struct {
	SceneObject
	data sim.BlockRef
}

// Data is what it shares with its kind, nil if that is not here.
func (i *Item) Data() *ItemData {
	d, _ := i.World().Blocks.At(i.data).(*ItemData)
	return d
}

// Place is where it is, and its size.
func (i *Item) Place() sim.Place {
	p := i.SceneObject.Place()
	if d := i.Data(); d != nil {
		p.Radius = d.radius
	}
	return p
}

// Tick lets the item fall and slide. Its ghosts do so too, by themselves.
func (i *Item) Tick(uint64) {
	d := i.Data()
	if d == nil || i.resting(d) {
		return
	}
	v := i.velocity
	v.Z -= float64(Gravity * d.gravityMod * sim.TickSeconds)
	v = limit(v, d.maxVelocity)
	p := i.position.Add(v.Mul(sim.TickSeconds))
	if p.Z <= 0 && v.Z <= 0 {
		p.Z = 0
		v = d.land(v)
	}
	i.move(clamp(p, Extent), v)
}

// resting reports whether the item lies on the ground and nothing moves it.
func (i *Item) resting(d *ItemData) bool {
	return i.position.Z == 0 && i.velocity == sim.Vec3{} && d.gravityMod >= 0
}

// land is the velocity after the ground was hit with v.
func (d *ItemData) land(v sim.Vec3) sim.Vec3 {
	if d.sticky {
		return sim.Vec3{}
	}
	hit := -v.Z
	v.Z = 0
	if hit > restSpeed {
		v.Z = float64(hit * d.elasticity)
	}
	return d.slide(v, hit+v.Z)
}

// slide is v after the ground has held it by friction, in the measure of the
// push that it gave.
func (d *ItemData) slide(v sim.Vec3, push float64) sim.Vec3 {
	speed := math.Sqrt(float64(v.X*v.X) + float64(v.Y*v.Y))
	left := speed - float64(d.friction*push)
	if left <= 0 {
		return sim.Vec3{Z: v.Z}
	}
	k := left / speed
	return sim.Vec3{X: float64(v.X * k), Y: float64(v.Y * k), Z: v.Z}
}

// limit is v, not longer than most; 0 is without limit.
func limit(v sim.Vec3, most float64) sim.Vec3 {
	if length := v.Len(); most > 0 && length > most {
		v = v.Mul(most / length)
	}
	return clamp(v, MaxSpeed)
}

func newItemData() sim.Object {
	return &ItemData{mass: 1, friction: 0.5, elasticity: 0.2, gravityMod: 1, radius: 0.5}
}

var itemDataClass = sim.Class{
	Name: "ItemData", Parent: "SimDataBlock", New: newItemData,
	Doc: "What the Items of one kind share.",
	Fields: []sim.Field{
		sim.FloatField("mass", constGroup, 0, math.Inf(1), func(d *ItemData) *float64 { return &d.mass }).
			WithDoc("in kilograms"),
		sim.FloatField("friction", constGroup, 0, 100, func(d *ItemData) *float64 { return &d.friction }).
			WithDoc("how much speed the ground takes, for each metre a second it is pressed with"),
		sim.FloatField("elasticity", constGroup, 0, 1, func(d *ItemData) *float64 { return &d.elasticity }).
			WithDoc("how much of its speed it keeps when it bounces"),
		sim.FloatField("gravityMod", constGroup, -100, 100, func(d *ItemData) *float64 { return &d.gravityMod }).
			WithDoc("how many times the usual gravity pulls it"),
		sim.FloatField("maxVelocity", constGroup, 0, MaxSpeed, func(d *ItemData) *float64 { return &d.maxVelocity }).
			WithDoc("the most it moves, in metres a second; 0 is without limit"),
		sim.BoolField("sticky", constGroup, func(d *ItemData) *bool { return &d.sticky }).
			WithDoc("it stays where it falls"),
		sim.FloatField("radius", constGroup, 0, Extent, func(d *ItemData) *float64 { return &d.radius }).
			WithDoc("of the sphere that holds it, in metres"),
		sim.TextField("shape", constGroup, maxShape, func(d *ItemData) *string { return &d.shape }).
			WithDoc("what it looks like"),
		sim.TextField("description", constGroup, maxDescription, func(d *ItemData) *string { return &d.description }).
			WithDoc("what people are told of it"),
	},
}

var itemClass = sim.Class{
	Name: "Item", Parent: "SceneObject", New: func() sim.Object { return new(Item) },
	Doc:      "A thing that lies about, falls and slides.",
	Motion:   sim.MotionRule{Predict: true, ExtrapolateTicks: sim.Forever},
	Interest: 0.25,
	Fields: []sim.Field{
		sim.BlockField("dataBlock", constGroup, "ItemData", func(i *Item) *sim.BlockRef { return &i.data }).
			WithDoc("what it is one of"),
	},
}
