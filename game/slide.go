package game

import "github.com/torc-engine/torc/engine/sim"

// maxSlidePlanes is the maximum number of surfaces that a box slides along in one tick.
const maxSlidePlanes = 4

// slideTolerance is the maximum speed into a surface while sliding along it, in metres a second. It
// allows for rounding.
const slideTolerance = 1e-9

// boxSlide moves an axis-aligned box through a space. A surface that it hits takes the velocity
// component into the surface, and the box continues along the surface.
type boxSlide struct {
	space    *space
	lo, hi   sim.Vec3 // the box, relative to at
	at       sim.Vec3
	velocity sim.Vec3
	steepest float64  // minimum normal.Z of a surface to stand on
	slidesUp bool     // also slides up surfaces that are too steep
	blocked  bool     // it hit a surface that is too steep
	front    sim.Vec3 // X and Y of the sides that hit a solid, relative to at
	impact   float64  // highest speed into a surface that was hit
	normals  [maxSlidePlanes]sim.Vec3
	planes   int
}

// advance moves the box for some seconds.
func (s *boxSlide) advance(seconds float64) {
	s.planes = 0
	for range maxSlidePlanes {
		d := s.velocity.Mul(seconds)
		if d == (sim.Vec3{}) {
			return
		}
		t := s.space.trace(s.lo, s.hi, s.at, d)
		s.at = t.end(s.at, d)
		if t.axis == nothing {
			return
		}
		if t.t > 0 {
			s.planes = 0
		}
		seconds = float64(seconds * (1 - t.t))
		s.impact = max(s.impact, -s.velocity.Dot(t.normal))
		s.noteSide(&t)
		s.normals[s.planes] = s.stopNormal(t.normal)
		s.planes++
		s.deflect()
	}
}

// noteSide adds the side that hit a solid to front.
func (s *boxSlide) noteSide(t *sweepTrace) {
	switch {
	case t.axis == 0 && t.normal.X < 0:
		s.front.X = s.hi.X
	case t.axis == 0:
		s.front.X = s.lo.X
	case t.axis == 1 && t.normal.Y < 0:
		s.front.Y = s.hi.Y
	case t.axis == 1:
		s.front.Y = s.lo.Y
	}
}

// stopNormal returns the normal that stops the slide at a surface. A surface that is too steep to
// stand on acts as a vertical wall. Otherwise everyone who runs into it would climb it.
func (s *boxSlide) stopNormal(normal sim.Vec3) sim.Vec3 {
	if normal.Z >= s.steepest {
		return normal
	}
	s.blocked = true
	if !s.slidesUp && normal.Z > 0 {
		wall := sim.Vec3{X: normal.X, Y: normal.Y}.Normalized()
		if s.velocity.Dot(wall) < 0 {
			return wall
		}
	}
	return normal
}

// deflect changes the velocity so that it goes into none of the surfaces hit. The new velocity
// follows one surface, or the edge between two. In a corner of three it is 0.
func (s *boxSlide) deflect() {
	was := s.velocity
	for i := range s.planes {
		if v := projectOnPlane(was, s.normals[i]); s.clear(v, i) {
			s.velocity = v
			return
		}
	}
	s.velocity = sim.Vec3{}
	if s.planes == 2 {
		edge := s.normals[0].Cross(s.normals[1]).Normalized()
		s.velocity = edge.Mul(edge.Dot(was))
	}
}

// clear reports whether v goes into none of the surfaces hit. It ignores surface number but.
func (s *boxSlide) clear(v sim.Vec3, but int) bool {
	for i := range s.planes {
		if i != but && v.Dot(s.normals[i]) < -slideTolerance {
			return false
		}
	}
	return true
}

// rise moves the box straight by d, as far as there is room.
func (s *boxSlide) rise(d sim.Vec3) {
	if d != (sim.Vec3{}) {
		t := s.space.trace(s.lo, s.hi, s.at, d)
		s.at = t.end(s.at, d)
	}
}
