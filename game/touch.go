package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// maxTouching is how many things one can touch at once and be told of.
const maxTouching = 32

// touchRoom is how far apart what touches may be, in metres.
const touchRoom = 1.0 / 32

// A toucher is a shape that goes about and looks what it touches.
type toucher interface {
	shape
	touches() bool
}

// touch tells scripts of what it has come to touch, and them of it: once, until
// the two have been apart. Of two that both look, the older one does.
func (s *ShapeBase) touch() {
	if !s.tells() {
		return
	}
	w := s.World()
	in := spaceOf(w)
	lo, hi := s.Object().(body).box()
	room := sim.Vec3{X: touchRoom, Y: touchRoom, Z: touchRoom}
	lo, hi = s.position.Add(lo).Sub(room), s.position.Add(hi).Add(room)
	half := hi.Sub(lo).Mul(0.5)
	now := in.touched[:0]
	for _, n := range in.near(lo.Add(half), half.Len()) {
		if o := in.bodies[n]; n != s.spot && len(now) < maxTouching && s.meets(o, lo, hi) {
			now = append(now, o.Ident().ID())
		}
	}
	slices.Sort(now)
	in.touched = now
	for _, id := range now {
		if _, old := slices.BinarySearch(s.touching, id); !old {
			s.collide(w.Find(id).(body))
		}
	}
	s.touching = append(s.touching[:0], now...)
}

// meets reports whether it looks after a body that is in its room.
func (s *ShapeBase) meets(o body, lo, hi sim.Vec3) bool {
	id := o.Ident()
	if !id.Alive() {
		return false
	}
	if other, ok := o.(shape); ok && other.base().mount == s.ID() {
		return false
	}
	if t, ok := o.(toucher); ok && t.touches() && id.ID() < s.ID() {
		return false
	}
	oLo, oHi := o.box()
	at := o.scene().position
	b := block{lo: at.Add(oLo), hi: at.Add(oHi)}
	return b.meets(lo, hi)
}

// collide tells the two of each other, and how fast they have met.
func (s *ShapeBase) collide(o body) {
	w, v := s.World(), s.velocity.Sub(o.scene().velocity)
	w.Emit(s.Object(), "onCollision", sim.Handle(o.Ident().ID()), sim.Vec(v))
	w.Emit(o, "onCollision", sim.Handle(s.ID()), sim.Vec(v.Neg()))
}
