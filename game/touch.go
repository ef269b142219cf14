package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// maxTouching is the maximum number of objects that a shape tracks as touching.
const maxTouching = 32

// touchRoom is the gap up to which two objects count as touching, in metres.
const touchRoom = 1.0 / 32

// A touchChecker is a moving shape that checks for touches itself.
type touchChecker interface {
	shape
	touches() bool
}

// touch emits onCollision on both objects for every new contact. A contact counts as new again
// after the two objects were apart. If both objects check for touches, only the one with the lower
// id emits.
func (s *ShapeBase) touch() {
	if !s.emitsEvents() {
		return
	}
	w := s.World()
	in := spaceOf(w)
	lo, hi := s.Object().(body).box()
	room := sim.Vec3{X: touchRoom, Y: touchRoom, Z: touchRoom}
	lo, hi = s.position.Add(lo).Sub(room), s.position.Add(hi).Add(room)
	half := hi.Sub(lo).Mul(0.5)
	now := in.touchBuffer[:0]
	for _, n := range in.near(lo.Add(half), half.Len()) {
		if o := in.bodies[n]; n != s.bodyNumber && len(now) < maxTouching && s.tracksContact(o, lo, hi) {
			now = append(now, o.Ident().ID())
		}
	}
	slices.Sort(now)
	in.touchBuffer = now
	for _, id := range now {
		if _, old := slices.BinarySearch(s.touchingIDs, id); !old {
			s.collide(w.Find(id).(body))
		}
	}
	s.touchingIDs = append(s.touchingIDs[:0], now...)
}

// tracksContact reports whether s tracks contact with o, and o touches the box lo…hi.
func (s *ShapeBase) tracksContact(o body, lo, hi sim.Vec3) bool {
	id := o.Ident()
	if !id.Alive() {
		return false
	}
	if other, ok := o.(shape); ok && other.base().mount == s.ID() {
		return false
	}
	if t, ok := o.(touchChecker); ok && t.touches() && id.ID() < s.ID() {
		return false
	}
	oLo, oHi := o.box()
	at := o.scene().position
	b := solidBox{lo: at.Add(oLo), hi: at.Add(oHi)}
	return b.overlaps(lo, hi)
}

// collide emits onCollision on both objects, with their relative velocity.
func (s *ShapeBase) collide(o body) {
	w, v := s.World(), s.velocity.Sub(o.scene().velocity)
	w.Emit(s.Object(), "onCollision", sim.Handle(o.Ident().ID()), sim.Vec(v))
	w.Emit(o, "onCollision", sim.Handle(s.ID()), sim.Vec(v.Neg()))
}
