package sim

import "math"

// Place is the position, movement and size of an object.
type Place struct {
	Position Vec3    // in metres
	Velocity Vec3    // in metres per second
	Rotation Rot     // in degrees
	Radius   float64 // in metres, of the sphere around Position that contains the object; 0: a point
}

// finite reports whether every component of a is a finite number.
func (a Vec3) finite() bool {
	return !math.IsNaN(a.X-a.X) && !math.IsNaN(a.Y-a.Y) && !math.IsNaN(a.Z-a.Z)
}

// Placer is an object with a place. Code that changes its Place must mark the object; otherwise the
// change is not noticed.
type Placer interface {
	Object
	Place() Place
}

// Interpolator is a placed object whose ghosts move smoothly, between updates and between ticks.
// Motion implements this.
//
// Within a tick a ghost is first updated, then interpolated, then shown:
//
//	before := o.Place(); …its fields are set…; o.Received(before)
//	World.Tick                                 calls o.Interpolate(n)
//	o.Shown(back), for every frame until the next tick
type Interpolator interface {
	Placer

	// Received is called after an update has set fields, with the Place before it. The object is
	// new here at the first call, or if the first Interpolate comes before any call. World.Late is
	// how late the update is.
	Received(before Place)

	// Interpolate is the tick of a ghost.
	Interpolate(n uint64)

	// Shown returns the place to draw the object at. back is the time before the newest tick, from
	// 0 (the newest) to 1 (the tick before). For other objects than ghosts it returns Place.
	Shown(back float64) Place
}

// Animator is an object with movement that its place does not show. The movement makes its updates
// more urgent.
type Animator interface {
	Object
	Animation() float64 // 0, still, to 1, fully in motion
}
