package engine

import (
	"fmt"
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// ScopeView is how a connection looks into the world from its scope object.
type ScopeView struct {
	// Distance is how far it sees, in metres; 0 is the default, 1,000.
	Distance float64
	// FOV is how wide it sees, in degrees, up to 360; 0 is the default, 90.
	FOV float64
	// ViewOnly keeps what is not in the view out of scope. Without it the view
	// matters for priority only, and the peer may turn round at once.
	ViewOnly bool
}

// DefaultScopeView is that of a connection nobody has configured.
var DefaultScopeView = ScopeView{Distance: 1000, FOV: 90}

const (
	farthestView  = 1e6 // the most a view's distance can be, in metres
	narrowestView = 1   // the least its field of view can be, in degrees
)

// orDefault is v with the default for what it leaves open or cannot be.
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

// Mounted is an object that may sit on another: a driver on his vehicle.
type Mounted interface {
	sim.Object
	Mount() sim.Object // nil: on none
}

// The view rule. What comes into the view is in scope before it is on the
// screen, and stays while the peer looks away for a moment.
const (
	viewMargin = 10 * math.Pi / 180 // radians around the view in which objects enter
	viewLeave  = 20 * math.Pi / 180 // and beyond which they leave
	viewTurn   = 0.996              // cosine of 5°: who turns more since the last query queries anew
)

// A camera is where a connection looks from, as of this tick.
type camera struct {
	object  sim.Object // the scope object; nil: the control object
	control sim.Object

	on    bool   // it is somewhere
	self  uint32 // number of the object it is, 0 is none
	mount uint32 // and of what that is mounted on
	at    point
	look  point // of length 1

	cosView float32 // of half the field of view
	perSize float32 // what makes a radius over a distance a share of the view
	perFar  float32 // 1/visible distance

	cosNear, sinNear, cosFar, sinFar float32 // of the cones of the view rule

	askedAt, askedLook point // of the last query
}

// aim takes over a view.
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

// holds reports whether a sphere touches the view and its margin.
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
	return float32(across*cos)-float32(along*sin) <= radius
}

// look moves the camera to where the scope object is now. It reports whether
// that is a leap since the last query. When the object dies the camera stays
// where it was, until it is given another.
func (v *sight) look() (leapt bool) {
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
	placed, ok := o.(sim.Placed)
	if !ok {
		leapt, k.on = k.on, false
		return leapt
	}
	p := placed.Place()
	was := k.on
	k.on, k.at, k.look = true, pointOf(p.Position), direction(p.Rotation)
	return !was || k.mount != mount || k.at.sub(k.askedAt).square() > scopeLeap*scopeLeap ||
		v.view.ViewOnly && k.look.dot(k.askedLook) < viewTurn
}

// mountOf is the number of what an object is mounted on, 0 for none.
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

// direction is where something that is turned so looks: along Y if it is not
// turned at all.
func direction(r sim.Rot) point {
	yaw, pitch := math.Mod(r.Yaw, 360)*math.Pi/180, math.Mod(r.Pitch, 360)*math.Pi/180
	sinYaw, cosYaw := math.Sincos(yaw)
	sinPitch, cosPitch := math.Sincos(pitch)
	p := point{float32(0 - sinYaw*cosPitch), float32(cosYaw * cosPitch), float32(sinPitch)}
	if l := p.square(); !(l > 0.9 && l < 1.1) {
		return point{y: 1} // turned by what is not a number
	}
	return p
}

// SetScopeObject sets from where this peer looks into the world; nil is its
// control object. It fails for what has no place. When the object dies, the
// view stays where it was until another is set.
func (c *Connection) SetScopeObject(o sim.Object) error {
	if err := c.mayLookFrom(o); err != nil {
		return err
	}
	if _, ok := o.(sim.Placed); o != nil && !ok {
		return fmt.Errorf("%s has no place to look from", o.Ident())
	}
	was := c.sight.camera.object
	c.host.world.OnRollback(func() { c.sight.camera.object, c.sight.fresh = was, true })
	c.sight.camera.object, c.sight.fresh = o, true
	return nil
}

// ScopeObject is what SetScopeObject has set, nil if nothing or the dead.
func (c *Connection) ScopeObject() sim.Object { return living(c.sight.camera.object) }

// SetScopeView sets how far and how wide this peer sees. What is 0 or below,
// or not a number, is the default.
func (c *Connection) SetScopeView(v ScopeView) {
	was := c.sight.view
	c.host.world.OnRollback(func() { c.SetScopeView(was) })
	c.sight.view = v.orDefault()
	c.sight.camera.aim(c.sight.view)
	c.sight.fresh = true
}

// ScopeView is the view in force.
func (c *Connection) ScopeView() ScopeView { return c.sight.view.orDefault() }

func (c *Connection) mayLookFrom(o sim.Object) error {
	if o != nil && (!o.Ident().Alive() || o.Ident().World() != c.host.world) {
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
