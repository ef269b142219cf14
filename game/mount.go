package game

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// maxMounts is the maximum number of mounts below an object, one on top of the other.
const maxMounts = 4

// dismountGap is the gap between a mount and an object that leaves it, in metres.
const dismountGap = 0.5

// Mounting uses two fields of the rider: mount and seat. The rider moves to its seat in its own
// tick, and so do ghosts. The rider in seat 0 of a controllable mount passes its moves on.
//
//	player ─ mount, seat 0 ─▶ vehicle      the driver: its moves drive the vehicle
//	player ─ mount, seat 1 ─▶    "         a passenger
//
// The driver's control state contains the control state of the vehicle.
//
// Scripts can set these fields to any value. An object with an invalid mount or seat is unmounted
// in its next tick.

// A seatProvider is a mount that defines the number and the positions of its seats. Other mounts
// have maxSeats, all on top of them.
type seatProvider interface {
	seats() int
	seatAt(seat int) sim.Vec3
}

// Mount returns the object that it sits on, or nil.
func (s *ShapeBase) Mount() sim.Object {
	if m := s.mounted(); m != nil {
		return m
	}
	return nil
}

// mounted returns the object that it sits on, or nil.
func (s *ShapeBase) mounted() shape {
	if s.mount == 0 {
		return nil
	}
	m, _ := s.World().Find(s.mount).(shape)
	return m
}

// drivenMount returns the object that it passes its moves to, or nil.
func (s *ShapeBase) drivenMount() sim.Controllable {
	m := s.mounted()
	if m == nil || s.seat != 0 || m.base() == s || m.base().mount != 0 {
		return nil
	}
	c, _ := m.(sim.Controllable)
	return c
}

// tickMounted is the tick of a mounted object. It moves the object to its seat, with the velocity
// of the mount. It unmounts the object if the mount or seat is no longer valid. It reports whether
// the object is still mounted.
func (s *ShapeBase) tickMounted() bool {
	if s.mount == 0 {
		return false
	}
	m := s.mounted()
	if !s.IsGhost() && (m == nil || s.checkSeat(m, s.seat) != nil) {
		s.unmount()
		return false
	}
	if m == nil {
		return true // a ghost; its mount has not arrived yet
	}
	s.takeSeat(m)
	return true
}

// takeSeat moves the object to its seat. A driver also gets the mount's view direction, so that
// moves relative to the view steer the mount.
func (s *ShapeBase) takeSeat(m shape) {
	at := m.base().Place()
	if s.drivenMount() != nil {
		s.setRotation(sim.Rot{Yaw: at.Rotation.Yaw, Pitch: signedDegrees(sim.Turn(at.Rotation.Pitch))})
	}
	s.move(sim.SnapVec(clamp(seatPoint(m, s.seat, at), Extent)), at.Velocity)
	s.updateSpace()
}

// setRotation sets the rotation.
func (s *ShapeBase) setRotation(r sim.Rot) {
	if r != s.rotation {
		s.rotation = r
		s.Mark(1 << turnGroup)
	}
}

// seatPoint returns the position of a seat of m when m is at the given place.
func seatPoint(m shape, seat int, at sim.Place) sim.Vec3 {
	f := basisOf(sim.Turn(at.Rotation.Yaw), sim.Turn(at.Rotation.Pitch), sim.Turn(at.Rotation.Roll))
	if own, ok := m.(seatProvider); ok {
		return at.Position.Add(f.at(own.seatAt(seat)))
	}
	_, hi := m.box()
	return at.Position.Add(f.at(sim.Vec3{Z: hi.Z}))
}

// Shown returns the place to draw it at. A mounted ghost is drawn on the drawn place of its mount.
func (s *ShapeBase) Shown(back float64) sim.Place {
	p, m := s.SceneObject.Shown(back), s.mounted()
	if m == nil || !s.IsGhost() || s.mountDepth() > maxMounts {
		return p
	}
	under := m.(sim.Interpolator).Shown(back)
	p.Position, p.Velocity = seatPoint(m, s.seat, under), under.Velocity
	return p
}

// mountDepth returns the number of mounts below it. It stops counting at maxMounts + 1.
func (s *ShapeBase) mountDepth() int {
	n := 0
	for m := s.mounted(); m != nil && n <= maxMounts; m = m.base().mounted() {
		n++
	}
	return n
}

// checkSeat returns an error if the object cannot sit in a seat of m.
func (s *ShapeBase) checkSeat(m shape, seat int) error {
	seats := maxSeats
	if own, ok := m.(seatProvider); ok {
		seats = own.seats()
	}
	under := m.base()
	switch {
	case under == s:
		return fmt.Errorf("%s cannot mount itself", &s.Identity)
	case s.destroyed:
		return fmt.Errorf("%s is destroyed", &s.Identity)
	case under.destroyed:
		return fmt.Errorf("%s is destroyed", &under.Identity)
	case seat >= seats:
		return fmt.Errorf("%s has %d seats, counted from 0", &under.Identity, seats)
	case under.mountDepth() >= maxMounts:
		return fmt.Errorf("%d objects sit on each other below %s, the limit", maxMounts, &under.Identity)
	}
	for on := under; on != nil; {
		next := on.mounted()
		if next == nil {
			break
		}
		if on = next.base(); on == s {
			return fmt.Errorf("%s is already mounted on %s", &under.Identity, &s.Identity)
		}
	}
	if there := under.rider(seat); there != nil && there != s {
		return fmt.Errorf("%s is already in seat %d of %s", &there.Identity, seat, &under.Identity)
	}
	return nil
}

// rider returns the rider in a seat, or nil. If several claim the seat, the lowest id wins.
func (s *ShapeBase) rider(seat int) (found *ShapeBase) {
	s.eachRider(func(r *ShapeBase) {
		if r.seat == seat && (found == nil || r.ID() < found.ID()) {
			found = r
		}
	})
	return found
}

// eachRider calls do for every rider, in no defined order.
func (s *ShapeBase) eachRider(do func(r *ShapeBase)) {
	in := spaceOf(s.World())
	for _, n := range in.near(s.position, s.Place().Radius+maxSeatDistance) {
		if r, ok := in.body(n).(shape); ok && r.base().mount == s.ID() && r.Ident().Alive() {
			do(r.base())
		}
	}
}

// maxSeatDistance is an upper bound for the distance of a seat from its mount, in metres. eachRider
// searches for riders within it.
const maxSeatDistance = 64

// sit puts the object into a seat of m. It leaves its previous mount first.
func (s *ShapeBase) sit(m shape, seat int) error {
	if s.mount == m.Ident().ID() && s.seat == seat {
		return nil
	}
	if err := s.checkSeat(m, seat); err != nil {
		return err
	}
	s.unmount()
	s.mount, s.seat = m.Ident().ID(), seat
	s.MarkLeap(1<<placeGroup | 1<<mountGroup)
	s.takeSeat(m)
	s.World().Emit(s.Object(), "onMount", sim.Handle(s.mount), sim.Number(float64(seat)))
	return nil
}

// unmount removes the object from its mount, if any, and puts it down beside the mount. The object
// keeps the velocity of the mount.
func (s *ShapeBase) unmount() {
	if s.mount == 0 {
		return
	}
	m, was, seat := s.mounted(), s.mount, s.seat
	s.mount, s.seat = 0, 0
	s.Mark(1 << mountGroup)
	if m != nil && m.base() != s {
		s.move(s.dismountPosition(m), m.base().velocity)
		s.MarkLeap(1 << placeGroup)
		s.updateSpace()
	}
	s.World().Emit(s.Object(), "onUnmount", sim.Handle(was), sim.Number(float64(seat)))
}

// dismountPosition returns the position for an object that leaves m. It tries left, right, behind
// and ahead of m and takes the first free one. If none is free, the object stays above its seat.
func (s *ShapeBase) dismountPosition(m shape) sim.Vec3 {
	in, at := spaceOf(s.World()), m.base().Place()
	lo, hi := s.box()
	size := hi.Sub(lo)
	wide := max(size.X, size.Y)
	mLo, mHi := m.box()
	long := max(mHi.X-mLo.X, mHi.Y-mLo.Y) / 2
	way := float64(wide)/2 + long + dismountGap
	from := s.position
	from.Z = max(from.Z, at.Position.Z+mHi.Z)
	yaw := sim.Turn(at.Rotation.Yaw)
	for _, turn := range [...]uint16{0x4000, 0xc000, 0x8000, 0} {
		to := at.Position.Add(sim.Heading(yaw + turn).Mul(way))
		if ground, _ := in.ground(to.X, to.Y); ground > to.Z {
			to.Z = ground
		}
		to = sim.SnapVec(clamp(to, Extent))
		to.Z += sim.FineStep
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

// errNoMount means that control state refers to a mount that does not exist here (any more).
var errNoMount = errors.New("its mount is not here")

// codeMount codes the mount, and the complete control state of a driven mount. It is the last part
// of the rider's control state.
func (s *ShapeBase) codeMount(c sim.Coder) {
	mount, seat := s.mount, s.seat
	driven := sim.Controllable(nil)
	if !c.Reading() {
		driven = s.drivenMount()
		if c.View != nil && mount != 0 && c.View.ToWire(uint32(mount)) == 0 {
			mount = 0
		}
	}
	on, drives := mount != 0, driven != nil
	if !c.Flag(&on) {
		s.setMountIfRead(c, 0, 0)
		return
	}
	c.Ref(&mount)
	c.Int(&seat, 0, maxSeats-1)
	c.Flag(&drives)
	if c.Reading() {
		m, _ := s.World().Find(mount).(shape)
		driven, _ = m.(sim.Controllable)
		if m == nil || drives && (driven == nil || m.base() == s) {
			c.Fail(errNoMount)
		}
	}
	if drives && c.Err() == nil {
		driven.CodeControl(c)
	}
	s.setMountIfRead(c, mount, seat)
}

// setMountIfRead sets mount and seat if reading them succeeded.
func (s *ShapeBase) setMountIfRead(c sim.Coder, mount sim.ID, seat int) {
	if c.Reading() && c.Err() == nil {
		s.mount, s.seat = mount, seat
	}
}
