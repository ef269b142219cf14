package engine

// The weights of the terms of an object's update priority. Each term is between 0 and 1. This is
// the only table of weights.
//
// The sum, multiplied by the share of its distance, is the ghost's base priority, 1…255. netcore
// multiplies it by two terms of its own: the weight of the changed groups (ghost.CellGroup.Weight),
// and the time since the ghost was last sent. So where packets cannot hold every update, the rate
// of an object is proportional to its base priority. Where they can, an object with less than 64 is
// updated in every second tick, with less than 32 in every fourth, and with less than 16 in every
// eighth (netcore/ghost/beat.go): four times per second.
const (
	// For connections with a camera, and objects with a place.
	weightInView   float32 = 1.0 // part of it is inside the field of view
	weightDistance float32 = 0.4 // 1 at the camera, 0 at the visible distance and beyond
	weightSize     float32 = 0.6 // radius over distance: 1 if it fills a quarter of half the view
	weightAcross   float32 = 0.4 // velocity across the view: 1 at one radian/s; 0 outside the view
	weightApproach float32 = 1.2 // speed towards the camera above running and driving speed

	// For all connections.
	weightInterest  float32 = 1.0 // of its class
	weightAnimation float32 = 0.2 // set by the object
	weightScript    float32 = 1.0 // set by scripts, default 0.5

	// The largest sums of the two halves.
	sightTerms = weightInView + weightDistance + weightSize + weightAcross + weightApproach
	ownTerms   = weightInterest + weightAnimation + weightScript
)

// The share of an object is nearSquare/(nearSquare + distance²). A receiver extrapolates an object
// that it has not heard of for a time t, and errs by half the acceleration times t². On the screen
// this is an angle, which falls with the distance. So far objects can wait, and near ones get their
// packets. With a share of at least leastShare, what is far errs by 0.5° at most if it runs and
// turns as players do and gets two updates per second.
const (
	nearMetres = 90.0                    // an object at this distance has half the share of one at the camera
	nearSquare = nearMetres * nearMetres // inside the view, zoom and aiming multiply it
	leastShare = 0.1
	aimNearer  = 9.0  // factor for what the viewer aims at: a third of the distance
	cosAim     = 0.99 // cosine of 8°: part of the object is so close to the centre of the view
)

// The bounds of the terms.
const (
	sizeFull     = 4    // factor of the size term: radius over distance over half the view
	approachFrom = 30.0 // m/s towards the camera; the approach term starts here
	approachFull = 60.0 // m/s; the approach term is 1 from here
	mostUrgent   = 255  // the camera's own object and its mount
)

// updateBase computes the part of an object's priority that is the same for all connections.
func (s *scope) updateBase(n uint32) {
	b, src := &s.bodies[n], &s.sources[n]
	animation := float32(0)
	if src.animated != nil {
		animation = bounded(finite(src.animated.Animation()))
	}
	interest := float32(0)
	if c := src.object.Ident().Class(); c != nil {
		interest = bounded(finite(c.Interest))
	}
	b.base = float32(weightInterest*interest) + float32(weightAnimation*animation) +
		float32(weightScript*b.weight)
}

// weigh computes the base priority of objects for a connection: 1…255, or 0 for number 0 (a hole).
// It only reads data that is constant while connections build packets, so worker goroutines can
// call it.
func (v *VisibleSet) weigh(numbers []uint32, weights []uint8) {
	bodies, k := v.scope.bodies, &v.camera
	for i, n := range numbers {
		switch {
		case n == 0:
			weights[i] = 0
		case n == k.self || n == k.mount:
			weights[i] = mostUrgent
		default:
			weights[i] = k.urgency(&bodies[n])
		}
	}
}

// weight returns the base priority of one object.
func (v *VisibleSet) weight(n uint32) uint8 {
	numbers, weights := [1]uint32{n}, [1]uint8{}
	v.weigh(numbers[:], weights[:])
	return weights[0]
}

// urgency returns the base priority of a body. Without a place or a camera, the visual terms count
// half, and there is no distance.
func (k *camera) urgency(b *scopeBody) uint8 {
	sum, share := sightTerms/2, float32(1)
	if k.on && b.flags&bodyPlaced != 0 {
		sum, share = k.urgencyInSight(b)
	}
	return uint8(1.5 + float32(share*float32((sum+b.base)*((mostUrgent-2)/(sightTerms+ownTerms)))))
}

// urgencyInSight returns the visual terms of a body, and its share. A body that comes closer
// fast, or that scripts have raised above the default, has a greater share at any distance.
func (k *camera) urgencyInSight(b *scopeBody) (sum, share float32) {
	const least = 1e-4 // square metres, avoids division by zero
	d := b.at.sub(k.at)
	square := d.square() + least
	distance := root(square)
	per := 1 / distance
	sum = float32(weightDistance * bounded(1-float32(distance*k.perFar)))
	size := b.radius * per
	sum += float32(weightSize * atMost1(sizeFull*size*k.perSize))
	share = max(leastShare, float32(2*b.weight)-1)
	closing := -per * d.dot(b.velocity)
	if closing > approachFrom {
		approach := atMost1((closing - approachFrom) / (approachFull - approachFrom))
		sum += float32(weightApproach * approach)
		share = max(share, approach)
	}
	near := float32(nearSquare)
	if ahead := float32(per*d.dot(k.look)) + size; ahead >= k.cosView {
		near *= max(1, k.perSize*k.perSize) // the square of the magnification of a view below 90°
		if ahead >= cosAim {
			near *= aimNearer
		}
		sum += weightInView
		if across := b.velocity.square() - float32(closing*closing); across > 0 {
			sum += float32(weightAcross * atMost1(root(across)*per))
		}
	}
	return sum, max(share, near/(near+square))
}

// bounded clamps x to 0…1.
func bounded(x float32) float32 {
	if !(x > 0) {
		return 0
	}
	return atMost1(x)
}

// atMost1 returns min(x, 1). It is faster than min because it does not check for NaN.
func atMost1(x float32) float32 {
	if x > 1 {
		return 1
	}
	return x
}
