package engine

import (
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// ScopeView is a connection's view from its scope object.
type ScopeView struct {
	// Distance is the view distance in metres; 0 selects the default, 1,000.
	Distance float64
	// FOV is the field of view in degrees, up to 360; 0 selects the default, 90.
	FOV float64
	// ViewOnly removes objects outside the view from scope. Without it the view only affects
	// priority, and the peer can turn round without missing objects.
	ViewOnly bool
}

// DefaultScopeView is the view of an unconfigured connection.
var DefaultScopeView = ScopeView{Distance: 1000, FOV: 90}

const (
	farthestView  = 1e6 // largest view distance in metres
	narrowestView = 1   // smallest field of view in degrees
)

// orDefault returns v, with defaults for missing and invalid values, and with both values clamped.
func (v ScopeView) orDefault() ScopeView {
	if !(v.Distance > 0) {
		v.Distance = DefaultScopeView.Distance
	}
	if !(v.FOV > 0) {
		v.FOV = DefaultScopeView.FOV
	}
	v.Distance, v.FOV = min(v.Distance, farthestView), min(max(v.FOV, narrowestView), 360)
	return v
}

// Mounted is an object that can sit on another one, such as a driver on a vehicle.
type Mounted interface {
	sim.Object
	Mount() sim.Object // nil: not mounted
}

// The margins of ViewOnly. Objects enter scope before they are on the screen, and stay while the
// peer looks away for a moment.
const (
	viewMargin = 10 * math.Pi / 180 // objects enter within this margin around the view, in radians
	viewLeave  = 20 * math.Pi / 180 // and leave beyond this one
	viewTurn   = 0.996              // cosine of 5°; a larger turn since the last query triggers one
)

// A camera is a connection's point of view in this tick.
type camera struct {
	object  sim.Object // the scope object; nil: the control object
	control sim.Object

	on    bool   // it has a place
	self  uint32 // number of its own object, 0 is none
	mount uint32 // number of that object's mount
	at    point
	look  point // unit vector

	cosView float32 // of half the field of view
	perSize float32 // converts radius/distance to a share of the view
	perFar  float32 // 1/visible distance

	cosNear, sinNear, cosFar, sinFar float32 // of the cones of the view margins

	askedAt, askedLook point // at the last query
}

// aim sets the view.
func (k *camera) aim(v ScopeView) {
	half := v.FOV / 2 * math.Pi / 180
	k.cosView = float32(math.Cos(half))
	k.perSize = float32(1 / math.Tan(min(half, 80*math.Pi/180)))
	k.perFar = float32(1 / v.Distance)
	k.cosNear, k.sinNear = cone(half + viewMargin)
	k.cosFar, k.sinFar = cone(half + viewLeave)
}

func cone(angle float64) (cos, sin float32) {
	angle = min(angle, math.Pi)
	return float32(math.Cos(angle)), float32(math.Sin(angle))
}

// holds reports whether a sphere touches the view with its margin.
func (k *camera) holds(at point, radius float32, far bool) bool {
	cos, sin := k.cosNear, k.sinNear
	if far {
		cos, sin = k.cosFar, k.sinFar
	}
	if cos <= -1 {
		return true
	}
	d := at.sub(k.at)
	along := d.dot(k.look)
	across := root(max(0, d.square()-float32(along*along)))
	beside := float32(across*cos) - float32(along*sin)
	if beside > 0 && float32(along*cos)+float32(across*sin) < 0 {
		return d.square() <= float32(radius*radius) // the point of the cone is nearest
	}
	return beside <= radius
}

// mountOf returns the number of an object's mount, or 0.
func mountOf(o sim.Object) uint32 {
	m, ok := o.(Mounted)
	if !ok {
		return 0
	}
	under := m.Mount()
	if under == nil || !under.Ident().Alive() {
		return 0
	}
	return under.Ident().Number()
}

// direction returns the view direction of a rotation. Without rotation it is +Y.
func direction(r sim.Rot) point {
	yaw, pitch := math.Mod(r.Yaw, 360)*math.Pi/180, math.Mod(r.Pitch, 360)*math.Pi/180
	sinYaw, cosYaw := math.Sincos(yaw)
	sinPitch, cosPitch := math.Sincos(pitch)
	p := point{float32(0 - sinYaw*cosPitch), float32(cosYaw * cosPitch), float32(sinPitch)}
	if l := p.square(); !(l > 0.9 && l < 1.1) {
		return point{y: 1} // the rotation is not a number
	}
	return p
}

// look moves the camera to the scope object. It reports whether the camera has jumped since the
// last query. If the object dies, the camera stays until the connection gets another object.
func (v *VisibleSet) look() (leapt bool) {
	k := &v.camera
	o := k.object
	if o == nil {
		o = k.control
	}
	mount := k.mount
	k.self, k.mount = 0, 0
	if o == nil {
		leapt, k.on = k.on, false
		return leapt
	}
	id := o.Ident()
	if !id.Alive() {
		return false
	}
	k.self, k.mount = id.Number(), mountOf(o)
	placed, ok := o.(sim.Placer)
	if !ok {
		leapt, k.on = k.on, false
		return leapt
	}
	p := placed.Place()
	was := k.on
	k.on, k.at, k.look = true, pointOf(p.Position), direction(p.Rotation)
	return !was || k.mount != mount || k.at.sub(k.askedAt).square() > scopeJump*scopeJump ||
		v.view.ViewOnly && k.look.dot(k.askedLook) < viewTurn
}

// SetObject sets the scope object, the object whose view this peer has; nil selects its control
// object. It fails for an object without a place. If the object dies, the view stays in place until
// another is set.
func (v *VisibleSet) SetObject(o sim.Object) error {
	if err := v.mayLookFrom(o); err != nil {
		return err
	}
	if _, ok := o.(sim.Placer); o != nil && !ok {
		return fmt.Errorf("%s has no position and cannot be a scope object", o.Ident())
	}
	was := v.camera.object
	v.conn.host.world.OnRollback(func() { v.camera.object, v.fresh = was, true })
	v.camera.object, v.fresh = o, true
	return nil
}

// Object returns the object from SetObject, or nil if it is unset or dead.
func (v *VisibleSet) Object() sim.Object { return living(v.camera.object) }

// SetView sets the view distance and field of view of this peer. Values that are zero,
// negative or NaN select the default.
func (v *VisibleSet) SetView(view ScopeView) {
	was := v.view
	v.conn.host.world.OnRollback(func() { v.SetView(was) })
	v.view = view.orDefault()
	v.camera.aim(v.view)
	v.fresh = true
}

// View returns the current view.
func (v *VisibleSet) View() ScopeView { return v.view.orDefault() }

func (v *VisibleSet) mayLookFrom(o sim.Object) error {
	if o != nil && (!o.Ident().Alive() || o.Ident().World() != v.conn.host.world) {
		return fmt.Errorf("%s is not in this world", o.Ident())
	}
	return nil
}

func living(o sim.Object) sim.Object {
	if o == nil || !o.Ident().Alive() {
		return nil
	}
	return o
}
