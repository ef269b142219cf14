package game

import "github.com/torc-engine/torc/engine/sim"

// maxBumps is how many things one can slide along in a tick.
const maxBumps = 4

// grazing is how fast one may still go into a surface that one slides along, in
// metres a second: what rounding leaves.
const grazing = 1e-9

// slide moves an upright box through a space: what it hits takes the part of its
// velocity that goes into it, and it goes on along that.
type slide struct {
	space    *space
	lo, hi   sim.Vec3 // the box, from at
	at       sim.Vec3
	velocity sim.Vec3
	steepest float64 // the least height of a normal that carries
	climbs   bool    // what does not carry turns its way up, too
	blocked  bool    // something stood in the way
	impact   float64 // the most velocity that something has taken
	met      [maxBumps]sim.Vec3
	planes   int
}

// advance goes on for some seconds.
func (s *slide) advance(seconds float64) {
	s.planes = 0
	for range maxBumps {
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
		s.met[s.planes] = s.face(t.normal)
		s.planes++
		s.deflect()
	}
}

// face is what stops the slide at a surface: one that is too steep to stand on is
// as good as a wall, or all who run into it would climb it.
func (s *slide) face(normal sim.Vec3) sim.Vec3 {
	if normal.Z >= s.steepest {
		return normal
	}
	s.blocked = true
	if !s.climbs && normal.Z > 0 {
		wall := sim.Vec3{X: normal.X, Y: normal.Y}.Normalized()
		if s.velocity.Dot(wall) < 0 {
			return wall
		}
	}
	return normal
}

// deflect turns the velocity so that it goes into nothing that was met: along the
// first surface that does, or along the edge of two; in a corner it ends.
func (s *slide) deflect() {
	was := s.velocity
	for i := range s.planes {
		if v := along(was, s.met[i]); s.clear(v, i) {
			s.velocity = v
			return
		}
	}
	s.velocity = sim.Vec3{}
	if s.planes == 2 {
		edge := s.met[0].Cross(s.met[1]).Normalized()
		s.velocity = edge.Mul(edge.Dot(was))
	}
}

// clear reports whether v goes into none of what was met, one apart.
func (s *slide) clear(v sim.Vec3, but int) bool {
	for i := range s.planes {
		if i != but && v.Dot(s.met[i]) < -grazing {
			return false
		}
	}
	return true
}

// rise goes straight by d, as far as there is room.
func (s *slide) rise(d sim.Vec3) {
	if d != (sim.Vec3{}) {
		t := s.space.trace(s.lo, s.hi, s.at, d)
		s.at = t.end(s.at, d)
	}
}
