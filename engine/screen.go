package engine

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

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
