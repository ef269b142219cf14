package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// Gravity is the downward acceleration, in metres a second squared. Own classes that fall use it.
const Gravity = 20.0

// restSpeed is the maximum speed of an impact without a bounce, in metres a second. It is a little
// more than gravity adds in one tick.
const restSpeed = 1.0

// The constants of items at rest.
const (
	restTicks          = 32    // ticks between two checks of the support
	maxSupportDistance = 0.02  // maximum distance of the support, in metres
	flatNormalZ        = 0.999 // minimum normal.Z of a surface that counts as flat
	minMass            = 0.001 // kilograms
)

// maxDescription is the maximum length of an item's description, in bytes.
const maxDescription = 64 << 10

// ItemData is the datablock of Items: the values that all Items of one kind share.
type ItemData struct {
	sim.Block
	mass, friction, elasticity float64
	gravityMod, maxVelocity    float64
	radius                     float64
	sticky                     bool
	shape, description, look   string
}

// Mass returns the mass in kilograms.
func (d *ItemData) Mass() float64 { return d.mass }

// Radius returns the radius of the bounding sphere, in metres.
func (d *ItemData) Radius() float64 { return d.radius }

// Shape names the model of the item.
func (d *ItemData) Shape() string { return d.shape }

// Description returns the text about the item for players.
func (d *ItemData) Description() string { return d.description }

// Item is an object that lies in the world. It falls, and bounces and slides on the ground and on
// solids. Its ghosts run the same ticks.
type Item struct {
	SceneObject
	data            sim.BlockRef
	fading          fading
	lies            bool     // it is supported and at rest
	lastPosition    sim.Vec3 // position at the end of its last tick
	ticksSinceCheck int      // ticks since the last check of the support
}

// Data returns the datablock, or nil if it is missing.
func (i *Item) Data() *ItemData {
	d, _ := sim.Part[*ItemData](i.World().Blocks.At(i.data))
	return d
}

// Place returns the position of the item and the radius of its bounding sphere.
func (i *Item) Place() sim.Place {
	p := i.SceneObject.Place()
	if d := i.Data(); d != nil {
		p.Radius = d.radius
	}
	return p
}

// box returns the bounding box, relative to the position.
func (i *Item) box() (lo, hi sim.Vec3) {
	d := i.Data()
	if d == nil {
		return lo, hi
	}
	return boxOnGround(sim.Vec3{X: 2 * d.radius, Y: 2 * d.radius, Z: 2 * d.radius})
}

// Entered adds the item to the space of its world.
func (i *Item) Entered() {
	i.fading.entered()
	spaceOf(i.World()).enter(i.Object().(body))
}

// Left removes the item from the space of its world.
func (i *Item) Left() { spaceOf(i.World()).leave(i.Object().(body)) }

// isLoose makes it a loose body.
func (i *Item) isLoose() {}

// Received handles an update of the fields. before is the previous Place.
func (i *Item) Received(before sim.Place) {
	i.SceneObject.Received(before)
	i.fading.received(&i.SceneObject)
	i.settle()
}

// Tick moves the item. Ghosts run it too.
func (i *Item) Tick(uint64) {
	tickFade(i)
	d := i.Data()
	if d == nil {
		return
	}
	if i.lastPosition != i.position { // something else moved it
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

// settle updates the space with the current position.
func (i *Item) settle() {
	i.lastPosition, i.lies, i.ticksSinceCheck = i.position, false, 0
	spaceOf(i.World()).update(i.Object().(body))
}

// resting reports whether the item is supported and at rest. It checks the support again every
// restTicks ticks.
func (i *Item) resting(d *ItemData) bool {
	if i.velocity != (sim.Vec3{}) || d.gravityMod < 0 {
		i.lies = false
		return false
	}
	if i.ticksSinceCheck++; i.lies && i.ticksSinceCheck < restTicks {
		return true
	}
	i.ticksSinceCheck = 0
	h, is := spaceOf(i.World()).sweep(sim.Vec3{}, i.position.Add(sim.Vec3{Z: maxSupportDistance}), i.position.Sub(sim.Vec3{Z: maxSupportDistance}))
	i.lies = is && d.holds(h.normal)
	return i.lies
}

// holds reports whether an item at rest stays on a surface with this normal.
func (d *ItemData) holds(normal sim.Vec3) bool {
	if d.sticky || normal.Z >= flatNormalZ {
		return true
	}
	flat := math.Sqrt(float64(normal.X*normal.X) + float64(normal.Y*normal.Y))
	return flat <= float64(d.friction*normal.Z)
}

// fall returns the position and velocity after one tick that starts with velocity v.
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

// land returns the velocity after an impact with velocity v on a surface.
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

// slide returns v after friction with a surface. push is the velocity change along the normal.
func (d *ItemData) slide(v sim.Vec3, push float64) sim.Vec3 {
	speed := v.Len()
	left := speed - float64(d.friction*push)
	if left <= 0 {
		return sim.Vec3{}
	}
	return v.Mul(left / speed)
}

// push applies an impulse.
func (i *Item) push(_, impulse sim.Vec3) {
	if d := i.Data(); d != nil {
		i.move(i.position, limit(i.velocity.Add(impulse.Div(max(d.mass, minMass))), d.maxVelocity))
	}
}

func newItemData() sim.Object {
	return &ItemData{mass: 1, friction: 0.5, elasticity: 0.2, gravityMod: 1, radius: 0.5}
}

var itemDataClass = sim.Class{
	Name: "ItemData", Parent: "SimDataBlock", New: newItemData,
	Doc: "The data that Items of one kind share.",
	Fields: []sim.Field{
		sim.FloatField("mass", constGroup, 0, maxMass, func(d *ItemData) *float64 { return &d.mass }).
			WithDoc("its mass, in kilograms"),
		sim.FloatField("friction", constGroup, 0, 100, func(d *ItemData) *float64 { return &d.friction }).
			WithDoc("the friction coefficient of a contact with the ground"),
		sim.FloatField("elasticity", constGroup, 0, 1, func(d *ItemData) *float64 { return &d.elasticity }).
			WithDoc("the share of its speed that a bounce keeps"),
		sim.FloatField("gravityMod", constGroup, -100, 100, func(d *ItemData) *float64 { return &d.gravityMod }).
			WithDoc("a factor of gravity"),
		sim.FloatField("maxVelocity", constGroup, 0, MaxSpeed, func(d *ItemData) *float64 { return &d.maxVelocity }).
			WithDoc("its largest speed, in metres per second; 0 means no limit"),
		sim.BoolField("sticky", constGroup, func(d *ItemData) *bool { return &d.sticky }).
			WithDoc("the item stays where it lands"),
		sim.FloatField("radius", constGroup, 0, Extent, func(d *ItemData) *float64 { return &d.radius }).
			WithDoc("the radius of its bounding sphere, in metres"),
		sim.TextField("shape", constGroup, maxShape, func(d *ItemData) *string { return &d.shape }).
			WithDoc("the name of its shape"),
		lookField(func(d *ItemData) *string { return &d.look }),
		sim.TextField("description", constGroup, maxDescription, func(d *ItemData) *string { return &d.description }).
			WithDoc("the text that players read about it"),
	},
}

var itemClass = sim.Class{
	Name: "Item", Parent: "SceneObject", New: func() sim.Object { return new(Item) },
	Doc:             "A loose item. It falls, slides and rests.",
	Motion:          sim.MotionRule{Predict: true, ExtrapolateTicks: sim.Forever},
	PredictedGroups: 1 << placeGroup,
	Interest:        0.25,
	Fields: []sim.Field{
		sim.BlockField("dataBlock", constGroup, "ItemData", func(i *Item) *sim.BlockRef { return &i.data }).
			WithDoc("the datablock with the values shared by all objects of its kind"),
		fadeField(itemFadeGroup), fadeTicksField(itemFadeGroup),
	},
	Methods: fadeMethods,
}
