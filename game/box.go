package game

import "github.com/torc-engine/torc/engine/sim"

// sizeGroup is the field group of the size of a Box or a Trigger.
const sizeGroup = turnGroup + 1

const maxBox = 4096 // metres, each side

// Box is a solid, axis-aligned part of a building. Its position is the middle of its bottom face.
type Box struct {
	SceneObject
	size   sim.Vec3
	shape  string
	fading fading
}

// Entered adds the box to the space of its world.
func (b *Box) Entered() {
	b.fading.entered()
	spaceOf(b.World()).enter(b.Object().(body))
}

// Left removes the box from the space of its world.
func (b *Box) Left() { spaceOf(b.World()).leave(b.Object().(body)) }

// Tick begins a fade, and updates the space, because scripts can move and resize the box.
func (b *Box) Tick(uint64) {
	tickFade(b)
	spaceOf(b.World()).update(b.Object().(body))
}

// Received handles an update of the fields. before is the previous Place.
func (b *Box) Received(before sim.Place) {
	b.SceneObject.Received(before)
	b.fading.received(&b.SceneObject)
	spaceOf(b.World()).update(b.Object().(body))
}

// Place returns the position of the box and the radius of its bounding sphere.
func (b *Box) Place() sim.Place {
	p := b.SceneObject.Place()
	lo, hi := b.box()
	p.Radius = max(lo.Len(), hi.Len())
	return p
}

func (b *Box) box() (lo, hi sim.Vec3) {
	return boxOnGround(roundVecToField(spaceOf(b.World()).alike.size, b.size))
}

// isWall makes it a wall.
func (b *Box) isWall() {}

func (b *Box) blocks() bool { return b.size != sim.Vec3{} }

// boxOnGround returns the box of the given size with the origin at the middle of its bottom face.
func boxOnGround(size sim.Vec3) (lo, hi sim.Vec3) {
	x, y := max(size.X, 0)/2, max(size.Y, 0)/2
	return sim.Vec3{X: -x, Y: -y}, sim.Vec3{X: x, Y: y, Z: max(size.Z, 0)}
}

var boxClass = sim.Class{
	Name: "Box", Parent: "SceneObject", Moves: true, New: func() sim.Object { return &Box{size: sim.Vec3{X: 1, Y: 1, Z: 1}} },
	Doc: "A solid part of a building, upright and parallel to the axes. Its position is the centre of its base.",
	Fields: []sim.Field{
		sim.VecField("size", sizeGroup, maxBox, func(b *Box) *sim.Vec3 { return &b.size }).
			WithStep(1.0 / 64).WithDoc("width, depth and height in metres; a value below 0 counts as 0"),
		sim.TextField("shape", constGroup, maxShape, func(b *Box) *string { return &b.shape }).
			WithDoc("the name of its shape"),
		fadeField(boxFadeGroup), fadeTicksField(boxFadeGroup),
	},
	Methods: fadeMethods,
}
