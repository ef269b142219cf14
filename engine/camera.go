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
	return float32(across*cos)-float32(along*sin) <= radius
}

// look moves the camera to the scope object. It reports whether the camera has jumped since the
// last query. If the object dies, the camera stays until the connection gets another object.
func (v *visibleSet) look() (leapt bool) {
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

// SetScopeObject sets the object whose view this peer has; nil selects its control object. It fails
// for an object without a place. If the object dies, the view stays in place until another is set.
func (c *Connection) SetScopeObject(o sim.Object) error {
	if err := c.mayLookFrom(o); err != nil {
		return err
	}
	if _, ok := o.(sim.Placer); o != nil && !ok {
		return fmt.Errorf("%s has no position and cannot be a scope object", o.Ident())
	}
	was := c.visible.camera.object
	c.host.world.OnRollback(func() { c.visible.camera.object, c.visible.fresh = was, true })
	c.visible.camera.object, c.visible.fresh = o, true
	return nil
}

// ScopeObject returns the object from SetScopeObject, or nil if it is unset or dead.
func (c *Connection) ScopeObject() sim.Object { return living(c.visible.camera.object) }

// SetScopeView sets the view distance and field of view of this peer. Values that are zero,
// negative or NaN select the default.
func (c *Connection) SetScopeView(v ScopeView) {
	was := c.visible.view
	c.host.world.OnRollback(func() { c.SetScopeView(was) })
	c.visible.view = v.orDefault()
	c.visible.camera.aim(c.visible.view)
	c.visible.fresh = true
}

// ScopeView returns the current view.
func (c *Connection) ScopeView() ScopeView { return c.visible.view.orDefault() }

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

// A Tint is an effect that covers the screen of a player.
type Tint int

// The tints.
const (
	DamageFlash Tint = iota // by pain
	WhiteOut                // by bright light
)

// screen is what this side knows of the player's screen.
type screen struct {
	tints    [2]tint // set by this side for the peer
	fov      int     // the field of view to request from the peer, 0 for none
	person   uint64  // personThird or personFirst to request from the peer, 0 for none
	lagTold  bool    // scripts of this side know that the line is interrupted
	tintTold bool    // scripts of this side know that there is a tint
}

// tint is a strength of 0…1 that fades to 0. Times are simulation milliseconds.
type tint struct {
	strength    float64
	since, fade int64 // fade is 0 if it stays
}

func (t tint) at(now int64) float64 {
	if t.fade == 0 {
		return t.strength
	}
	return t.strength * max(0, 1-float64(now-t.since)/float64(t.fade))
}

// SetTint sets how strongly this peer's screen is tinted, 0…1. The tint fades to 0 within fade ms of game
// time. With 0 it stays until the next call.
func (c *Connection) SetTint(k Tint, strength float64, fade int64) {
	if c.moves == nil {
		return
	}
	if !(strength > 0) {
		strength = 0
	}
	c.screen.tints[k] = tint{min(strength, 1), c.host.Now(), max(fade, 0)}
	c.sendTints()
}

func (c *Connection) sendTints() {
	t, now := &c.screen.tints, c.host.Now()
	c.moves.SetFlash(t[DamageFlash].at(now), t[WhiteOut].at(now))
}

// Tint returns how strongly the player's screen is tinted, 0…1: on a server as this side has set it, on a
// client as the server has.
func (c *Connection) Tint(k Tint) float64 {
	if c.inbound {
		return c.screen.tints[k].at(c.host.Now())
	}
	return c.prediction.flash[k]
}

// The counts of stepView. A field of view is its degrees.
const (
	personThird uint64 = 256 + iota
	personFirst
)

// SetFirstPerson changes the player's camera to first person or third person. A client tells the server. A
// server requests it from the client's program.
func (c *Connection) SetFirstPerson(on bool) {
	person := personThird
	if on {
		person = personFirst
	}
	if c.inbound {
		c.screen.person = person
	} else {
		c.applyView(person)
	}
}

// MaxFOV is the widest field of view of a camera in degrees.
const MaxFOV = 179

// SetFOV changes the field of view of the player's camera, in degrees, 1…MaxFOV. A client tells the server. A
// server requests it from the client's program.
func (c *Connection) SetFOV(degrees int) {
	degrees = min(max(degrees, 1), MaxFOV)
	if c.inbound {
		c.screen.fov = degrees
	} else {
		c.applyView(uint64(degrees))
	}
}

// applyView changes this side's camera by the count of a stepView.
func (c *Connection) applyView(count uint64) {
	if c.moves == nil || c.inbound {
		return
	}
	first, fov := c.moves.OwnView()
	switch {
	case count == personThird || count == personFirst:
		first = count == personFirst
	case 0 < count && count <= MaxFOV:
		fov = int(count)
	default:
		c.fail(fmt.Sprintf("unknown view %d", count))
	}
	c.moves.SetView(first, fov)
}

// View returns the player's camera: first person or third person, and the field of view in degrees, 1…MaxFOV.
// On a server it is what the client has reported.
func (c *Connection) View() (firstPerson bool, fov int) {
	switch {
	case c.moves == nil:
		return true, int(DefaultScopeView.FOV)
	case c.inbound:
		return c.moves.View()
	}
	return c.moves.OwnView()
}

// stepScreen sends what has changed for the player's screen in a tick. A client tells its scripts.
func (c *Connection) stepScreen() {
	s := &c.screen
	switch {
	case c.moves == nil || c.ended:
	case c.inbound:
		c.sendTints()
		for _, count := range [...]uint64{uint64(s.fov), s.person} {
			if count != 0 {
				c.post(&phaseStep{stepView, 0, count}, commands)
			}
		}
		s.fov, s.person = 0, 0
	default:
		if on := c.Interrupted() > 0; on != s.lagTold {
			s.lagTold = on
			c.host.scripts.ConnectionEvent(c, "setLagIcon", sim.Bool(on))
		}
		if on := max(c.Tint(DamageFlash), c.Tint(WhiteOut)) > 0; on != s.tintTold {
			s.tintTold = on
			c.host.scripts.ConnectionEvent(c, "onFlash", sim.Bool(on))
		}
	}
}
