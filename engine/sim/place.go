package sim

import "math"

// Place is where something is, how it moves and how much room it takes.
type Place struct {
	Position Vec3    // in metres
	Velocity Vec3    // in metres a second
	Rotation Rot     // in degrees
	Radius   float64 // of the sphere around Position that holds it, in metres; 0 is a point
}

// finite reports whether every part of v is a number and not infinite.
func (a Vec3) finite() bool {
	return !math.IsNaN(a.X-a.X) && !math.IsNaN(a.Y-a.Y) && !math.IsNaN(a.Z-a.Z)
}

// Placed is an object that is somewhere, so that there is such a thing as
// being near it. What changes its Place marks it, or nobody notices.
type Placed interface {
	Object
	Place() Place
}

// Interpolated is a placed object whose ghosts are shown moving smoothly,
// between the updates of it and between ticks. Motion does the work.
//
// Within a tick a ghost is first updated, then interpolated, then shown:
//
//	before := o.Place(); …its fields are set…; o.Received(before)
//	World.Tick                                 calls o.Interpolate(n)
//	o.Shown(back), as often as a picture is made until the next tick
type Interpolated interface {
	Placed

	// Received is told that an update has set fields, and what Place was
	// before. The first call, or none before the first Interpolate, means that
	// the object is new here.
	Received(before Place)

	// Interpolate is the tick of a ghost.
	Interpolate(n uint64)

	// Shown is the place to draw it at: back of a tick before the newest, from
	// 0, the newest, to 1, the one before that. Of what is no ghost it is Place.
	Shown(back float64) Place
}

// Animated is an object with movement that its place does not tell, which
// makes updates of it more urgent.
type Animated interface {
	Object
	Animation() float64 // 0, still, to 1, all of it moves
}
