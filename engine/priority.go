package engine

// What makes an update of an object urgent for who looks from a camera: the
// weights of terms that are each between 0 and 1. This is the one table of
// them.
//
// The sum becomes the ghost's base priority, 1…255, which netcore multiplies
// with the two terms that are its own: how urgent the groups are that have
// changed (Group.Weight), and for how long the ghost has not been sent.
const (
	// For who has a camera, of what has a place.
	weightInView   float32 = 1.0 // some of it is inside the field of view
	weightDistance float32 = 0.4 // 1 at the camera, 0 at the visible distance and beyond
	weightSize     float32 = 0.6 // radius over distance: 1 if it fills a quarter of half the view
	weightAcross   float32 = 0.4 // velocity across the view: 1 at one radian a second; 0 out of view
	weightApproach float32 = 1.2 // how fast it comes at the camera, beyond what runs and drives

	// For everybody.
	weightInterest  float32 = 1.0 // of its class
	weightAnimation float32 = 0.2 // as the object says
	weightScript    float32 = 1.0 // as scripts say, 0.5 at first

	// The largest sums of the two halves.
	sightTerms = weightInView + weightDistance + weightSize + weightAcross + weightApproach
	ownTerms   = weightInterest + weightAnimation + weightScript
)

// The bounds of the terms.
const (
	sizeFull     = 4    // times a radius over distance over half the view that is all of size
	approachFrom = 30.0 // metres a second towards the camera at which approach begins
	approachFull = 60.0 // and at which it is all
	mostUrgent   = 255  // the camera's own object and what that is mounted on
)

// rate computes the part of an object's priority that does not depend on who
// looks.
func (s *scope) rate(n uint32) {
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

// weigh is how a connection's ghost stream weighs objects.
func (s *scope) weigh(c *Connection) func(numbers []uint32, weights []uint8) {
	c.sight.scope = s
	return c.sight.weigh
}

// weigh is the base priority of objects for a connection: 1…255, or 0 for a
// hole, which is number 0. It only reads what does not change while
// connections pack, so workers may call it.
func (v *sight) weigh(numbers []uint32, weights []uint8) {
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

// weight is weigh of one object.
func (v *sight) weight(n uint32) uint8 {
	numbers, weights := [1]uint32{n}, [1]uint8{}
	v.weigh(numbers[:], weights[:])
	return weights[0]
}

// urgency is the base priority of a body. What cannot be seen, for want of a
// place or of a camera, is half as urgent as it could be.
func (k *camera) urgency(b *body) uint8 {
	sum := sightTerms / 2
	if k.on && b.flags&bodyPlaced != 0 {
		sum = k.urgencyInSight(b)
	}
	return uint8(1.5 + float32((sum+b.base)*((mostUrgent-2)/(sightTerms+ownTerms))))
}

func (k *camera) urgencyInSight(b *body) float32 {
	const least = 1e-4 // metres squared, so that nothing is divided by 0
	d := b.at.sub(k.at)
	square := d.square() + least
	distance := root(square)
	per := 1 / distance
	sum := float32(weightDistance * bounded(1-float32(distance*k.perFar)))
	size := b.radius * per
	sum += float32(weightSize * atMost1(sizeFull*size*k.perSize))
	closing := -per * d.dot(b.velocity)
	if closing > approachFrom {
		sum += float32(weightApproach * atMost1((closing-approachFrom)/(approachFull-approachFrom)))
	}
	if float32(per*d.dot(k.look))+size >= k.cosView {
		sum += weightInView
		if across := b.velocity.square() - float32(closing*closing); across > 0 {
			sum += float32(weightAcross * atMost1(root(across)*per))
		}
	}
	return sum
}

// bounded is x between 0 and 1.
func bounded(x float32) float32 {
	if !(x > 0) {
		return 0
	}
	return atMost1(x)
}

// atMost1 is the smaller of a number and 1; it is faster than min, which
// thinks of what is no number.
func atMost1(x float32) float32 {
	if x > 1 {
		return 1
	}
	return x
}
