package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// Gravity pulls down by this much, in metres a second squared.
const Gravity = 20.0

// restSpeed is how slowly something may hit the ground, in metres a second,
// without bouncing: a little more than gravity gives it in one tick.
const restSpeed = 1.0

// The measures of what lies about.
const (
	restTicks = 32    // from one look at what it lies on to the next
	holds     = 0.02  // metres from it within which that holds it
	level     = 0.999 // what is not steeper is no slope
	minMass   = 0.001 // kilograms
)

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

// Item is a thing that lies about, falls, bounces and slides on the ground and
// on what stands there. Its ghosts do so by themselves.
type Item struct {
	SceneObject
	data   sim.BlockRef
	lies   bool     // something holds it, and nothing moves it
	lay    sim.Vec3 // where it was at the end of its last tick
	rested int      // ticks since it was looked whether that is still there
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

// box is the room it takes, from where it lies.
func (i *Item) box() (lo, hi sim.Vec3) {
	d := i.Data()
	if d == nil {
		return lo, hi
	}
	return standing(sim.Vec3{X: 2 * d.radius, Y: 2 * d.radius, Z: 2 * d.radius})
}

// Entered is told that it is in its world.
func (i *Item) Entered() { spaceOf(i.World()).enter(i) }

// Left is told that it leaves its world.
func (i *Item) Left() { spaceOf(i.World()).leave(i) }

// Received is told that an update has set fields, and what Place was before.
func (i *Item) Received(before sim.Place) {
	i.SceneObject.Received(before)
	i.settle()
}

// Tick lets the item fall and slide. Its ghosts do so too, by themselves.
func (i *Item) Tick(uint64) {
	d := i.Data()
	if d == nil {
		return
	}
	if i.lay != i.position { // it was put there
		i.settle()
	}
	if i.resting(d) {
		return
	}
	v := i.velocity
	v.Z -= float64(Gravity * d.gravityMod * sim.TickSeconds)
	if v == (sim.Vec3{}) {
		return // it floats
	}
	i.drift(i.fall(d, limit(v, d.maxVelocity)))
	i.settle()
}

// settle makes the index of the world know where it is now.
func (i *Item) settle() {
	i.lay, i.lies, i.rested = i.position, false, 0
	spaceOf(i.World()).moved(i)
}

// resting reports whether the item lies on something and nothing moves it. Now
// and then it looks whether that is still there.
func (i *Item) resting(d *ItemData) bool {
	if i.velocity != (sim.Vec3{}) || d.gravityMod < 0 {
		i.lies = false
		return false
	}
	if i.rested++; i.lies && i.rested < restTicks {
		return true
	}
	i.rested = 0
	h, is := spaceOf(i.World()).sweep(sim.Vec3{}, i.position.Add(sim.Vec3{Z: holds}), i.position.Sub(sim.Vec3{Z: holds}))
	i.lies = is && d.holds(h.normal)
	return i.lies
}

// holds reports whether the item stays on a slope once it lies there.
func (d *ItemData) holds(normal sim.Vec3) bool {
	if d.sticky || normal.Z >= level {
		return true
	}
	flat := math.Sqrt(float64(normal.X*normal.X) + float64(normal.Y*normal.Y))
	return flat <= float64(d.friction*normal.Z)
}

// fall is where the item is after a tick with velocity v, and how it moves then.
func (i *Item) fall(d *ItemData, v sim.Vec3) (at, after sim.Vec3) {
	s := spaceOf(i.World())
	at, left := i.position, sim.TickSeconds
	for range maxBounces {
		h, is := s.sweep(sim.Vec3{}, at, at.Add(v.Mul(left)))
		if !is {
			return clamp(at.Add(v.Mul(left)), Extent), v
		}
		at, v = h.at, clamp(d.land(v, h.normal), MaxSpeed)
		left -= float64(left * h.t)
	}
	return clamp(at, Extent), v
}

// land is the velocity after a surface was hit with v.
func (d *ItemData) land(v, normal sim.Vec3) sim.Vec3 {
	if d.sticky {
		return sim.Vec3{}
	}
	hit := max(-v.Dot(normal), 0)
	up := 0.0
	if hit > restSpeed {
		up = float64(hit * d.elasticity)
	}
	along := v.Add(normal.Mul(hit))
	return d.slide(along, hit+up).Add(normal.Mul(up))
}

// slide is v after a surface has held it by friction, in the measure of the push
// that it gave.
func (d *ItemData) slide(v sim.Vec3, push float64) sim.Vec3 {
	speed := v.Len()
	left := speed - float64(d.friction*push)
	if left <= 0 {
		return sim.Vec3{}
	}
	return v.Mul(left / speed)
}

// push is what an impulse does to it.
func (i *Item) push(_, impulse sim.Vec3) {
	if d := i.Data(); d != nil {
		i.move(i.position, limit(i.velocity.Add(impulse.Div(max(d.mass, minMass))), d.maxVelocity))
	}
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
		sim.FloatField("mass", constGroup, 0, maxMass, func(d *ItemData) *float64 { return &d.mass }).
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
	Drifts:   1 << placeGroup,
	Interest: 0.25,
	Fields: []sim.Field{
		sim.BlockField("dataBlock", constGroup, "ItemData", func(i *Item) *sim.BlockRef { return &i.data }).
			WithDoc("what it is one of"),
	},
}
