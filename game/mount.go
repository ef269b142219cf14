package game

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// maxMounts is how many things can sit on each other.
const maxMounts = 4

// besideRoom is the room that is left between a mount and who leaves it, in metres.
const besideRoom = 0.5

// All there is of mounting is the fields mount and seat of the one who sits. Who
// sits goes where his seat is, in his own tick, as ghosts do too; who sits in the
// first seat of something that moves can drive passes his moves on.
//
//	player ─ mount, seat 0 ─▶ vehicle      his moves drive it, and his control
//	player ─ mount, seat 1 ─▶    "         state holds that of it
//
// Scripts may set these fields to anything. Whatever does not hold together
// there is put off its mount in its next tick.

// A seated is a mount that says how many can sit on it, and where. Others have
// MaxSeats, all on top of them.
type seated interface {
	seats() int
	seatAt(seat int) sim.Vec3
}

// Mount is what it sits on, nil if on nothing.
func (s *ShapeBase) Mount() sim.Object {
	if m := s.mounted(); m != nil {
		return m
	}
	return nil
}

// mounted is what it sits on, nil if on nothing.
func (s *ShapeBase) mounted() shape {
	if s.mount == 0 {
		return nil
	}
	m, _ := s.World().Find(s.mount).(shape)
	return m
}

// drives is what its moves go on to, nil if nothing.
func (s *ShapeBase) drives() sim.Controlled {
	m := s.mounted()
	if m == nil || s.seat != 0 || m.base() == s || m.base().mount != 0 {
		return nil
	}
	c, _ := m.(sim.Controlled)
	return c
}

// ride is the tick of what sits on something: it is where its seat is and moves
// as that does. It reports whether it sits; what cannot sit there any more does
// not.
func (s *ShapeBase) ride() bool {
	if s.mount == 0 {
		return false
	}
	m := s.mounted()
	if !s.IsGhost() && (m == nil || s.speaksAgainst(m, s.seat) != nil) {
		s.unmount()
		return false
	}
	if m == nil {
		return true // a ghost whose mount has yet to come
	}
	s.takeSeat(m)
	return true
}

// takeSeat puts it where its seat is. Who drives looks where his mount goes, so
// that whoever steers by where he looks steers that.
func (s *ShapeBase) takeSeat(m shape) {
	at := m.base().Place()
	if s.drives() != nil {
		s.face(sim.Rot{Yaw: at.Rotation.Yaw, Pitch: signed(sim.Turn(at.Rotation.Pitch))})
	}
	s.move(sim.SnapVec(clamp(seatPoint(m, s.seat, at), Extent)), at.Velocity)
	s.settle()
}

// face turns it.
func (s *ShapeBase) face(r sim.Rot) {
	if r != s.rotation {
		s.rotation = r
		s.Mark(1 << turnGroup)
	}
}

// seatPoint is where a seat of m is while m is at a place.
func seatPoint(m shape, seat int, at sim.Place) sim.Vec3 {
	f := frameOf(sim.Turn(at.Rotation.Yaw), sim.Turn(at.Rotation.Pitch), sim.Turn(at.Rotation.Roll))
	if own, ok := m.(seated); ok {
		return at.Position.Add(f.at(own.seatAt(seat)))
	}
	_, hi := m.box()
	return at.Position.Add(f.at(sim.Vec3{Z: hi.Z}))
}

// Shown is the place to draw it at: if it sits, on what is drawn of its mount.
func (s *ShapeBase) Shown(back float64) sim.Place {
	p, m := s.SceneObject.Shown(back), s.mounted()
	if m == nil || !s.IsGhost() || s.depth() > maxMounts {
		return p
	}
	under := m.(sim.Interpolated).Shown(back)
	p.Position, p.Velocity = seatPoint(m, s.seat, under), under.Velocity
	return p
}

// depth is how many things it sits on, one upon the other, counted no further
// than one beyond maxMounts.
func (s *ShapeBase) depth() int {
	n := 0
	for m := s.mounted(); m != nil && n <= maxMounts; m = m.base().mounted() {
		n++
	}
	return n
}

// speaksAgainst is why it cannot be in a seat of m, in one sentence.
func (s *ShapeBase) speaksAgainst(m shape, seat int) error {
	seats := MaxSeats
	if own, ok := m.(seated); ok {
		seats = own.seats()
	}
	under := m.base()
	switch {
	case under == s:
		return fmt.Errorf("%s cannot sit on itself", &s.Identity)
	case s.destroyed:
		return fmt.Errorf("%s is destroyed", &s.Identity)
	case under.destroyed:
		return fmt.Errorf("%s is destroyed", &under.Identity)
	case seat >= seats:
		return fmt.Errorf("%s has %d seats, counted from 0", &under.Identity, seats)
	case under.depth() >= maxMounts:
		return fmt.Errorf("%d things sit on each other below %s, no more can", maxMounts, &under.Identity)
	}
	for on := under; on != nil; {
		next := on.mounted()
		if next == nil {
			break
		}
		if on = next.base(); on == s {
			return fmt.Errorf("%s sits on %s", &under.Identity, &s.Identity)
		}
	}
	if there := under.rider(seat); there != nil && there != s {
		return fmt.Errorf("%s sits in seat %d of %s", &there.Identity, seat, &under.Identity)
	}
	return nil
}

// rider is who sits in a seat of it, the one with the lowest id, or nil.
func (s *ShapeBase) rider(seat int) (found *ShapeBase) {
	s.eachRider(func(r *ShapeBase) {
		if r.seat == seat && (found == nil || r.ID() < found.ID()) {
			found = r
		}
	})
	return found
}

// eachRider calls do with whoever sits on it, in no order that means anything.
func (s *ShapeBase) eachRider(do func(r *ShapeBase)) {
	in := spaceOf(s.World())
	for _, n := range in.near(s.position, s.Place().Radius+maxSeatWay) {
		if r, ok := in.body(n).(shape); ok && r.base().mount == s.ID() && r.Ident().Alive() {
			do(r.base())
		}
	}
}

// maxSeatWay is how far a seat can be from where its mount stands, in metres,
// and more: riders are looked for by where they are.
const maxSeatWay = 64

// sit puts it into a seat of m. It leaves what it sat on.
func (s *ShapeBase) sit(m shape, seat int) error {
	if s.mount == m.Ident().ID() && s.seat == seat {
		return nil
	}
	if err := s.speaksAgainst(m, seat); err != nil {
		return err
	}
	s.unmount()
	s.mount, s.seat = m.Ident().ID(), seat
	s.Mark(1 << mountGroup)
	s.takeSeat(m)
	s.World().Emit(s.Object(), "onMount", sim.Handle(s.mount), sim.Number(float64(seat)))
	return nil
}

// unmount takes it off what it sits on, if it does, and puts it down beside
// that. It keeps the velocity.
func (s *ShapeBase) unmount() {
	if s.mount == 0 {
		return
	}
	m, was, seat := s.mounted(), s.mount, s.seat
	s.mount, s.seat = 0, 0
	s.Mark(1 << mountGroup)
	if m != nil && m.base() != s {
		s.move(s.beside(m), m.base().velocity)
		s.settle()
	}
	s.World().Emit(s.Object(), "onUnmount", sim.Handle(was), sim.Number(float64(seat)))
}

// beside is where it comes to stand when it leaves m: to the left of it, to the
// right, behind it or before it, where nothing is in the way; else it stays over
// its seat.
func (s *ShapeBase) beside(m shape) sim.Vec3 {
	in, at := spaceOf(s.World()), m.base().Place()
	lo, hi := s.box()
	size := hi.Sub(lo)
	wide := max(size.X, size.Y)
	mLo, mHi := m.box()
	long := max(mHi.X-mLo.X, mHi.Y-mLo.Y) / 2
	way := float64(wide)/2 + long + besideRoom
	from := s.position
	from.Z = max(from.Z, at.Position.Z+mHi.Z)
	yaw := sim.Turn(at.Rotation.Yaw)
	for _, turn := range [...]uint16{0x4000, 0xc000, 0x8000, 0} {
		to := at.Position.Add(sim.Heading(yaw + turn).Mul(way))
		if ground, _ := in.ground(to.X, to.Y); ground > to.Z {
			to.Z = ground
		}
		to = sim.SnapVec(clamp(to, Extent))
		to.Z += sim.Fine
		over := sim.Vec3{X: to.X, Y: to.Y, Z: max(from.Z, to.Z)}
		if _, met := in.sweep(size, from, over); met {
			continue
		}
		if h, met := in.sweep(size, over, to); !met {
			return to
		} else if h.normal.Z > 0 {
			return sim.SnapVec(h.at)
		}
	}
	return sim.SnapVec(from)
}

// errNoMount is that control state cannot be read because what it seats somebody
// on is not here (any more).
var errNoMount = errors.New("what it sits on is not here")

// codeMount is what it sits on, and all of the control state of what it drives,
// both ways. It is the last part of the control state of the one who sits.
func (s *ShapeBase) codeMount(c sim.Coder) {
	mount, seat := s.mount, s.seat
	driven := sim.Controlled(nil)
	if !c.Reading() {
		driven = s.drives()
		if c.View != nil && mount != 0 && c.View.ToWire(uint32(mount)) == 0 {
			mount = 0
		}
	}
	on, drives := mount != 0, driven != nil
	if !c.Flag(&on) {
		s.sitOn(c, 0, 0)
		return
	}
	c.Ref(&mount)
	c.Int(&seat, 0, MaxSeats-1)
	c.Flag(&drives)
	if c.Reading() {
		m, _ := s.World().Find(mount).(shape)
		driven, _ = m.(sim.Controlled)
		if m == nil || drives && (driven == nil || m.base() == s) {
			c.Fail(errNoMount)
		}
	}
	if drives && c.Err() == nil {
		driven.CodeControl(c)
	}
	s.sitOn(c, mount, seat)
}

// sitOn takes over what was read, if it could be.
func (s *ShapeBase) sitOn(c sim.Coder, mount sim.ID, seat int) {
	if c.Reading() && c.Err() == nil {
		s.mount, s.seat = mount, seat
	}
}
