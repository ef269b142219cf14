package play

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/game/scene"
)

// A Sight is how a spectator looks at the game.
type Sight uint32

// The sights.
const (
	Fly    Sight = iota // freely
	Follow              // behind a player
	Above               // from above a player
	Sights
)

const (
	flySpeed   = 30.0  // metres per second
	behind     = 7.0   // metres from the followed player
	headHeight = 1.8   // metres
	lowest     = 0.5   // metres above the ground
	minAbove   = 20.0  // metres above the followed player
	maxAbove   = 400.0 // likewise
)

// A spectator is the camera of a client that watches.
type spectator struct {
	sight      Sight
	at         sim.Vec3
	yaw, pitch float64 // degrees
	above      float64 // metres
	followed   sim.ID
	name       string  // of the followed player, who can get another body
	placed     bool    // it has seen a player
	since      float64 // time of the last frame in seconds
}

func newSpectator() spectator { return spectator{sight: Follow, pitch: -15, above: 90} }

// Observe changes how a spectator looks at the game. A player that it followed stays in view.
func (c *Client) Observe(s Sight) {
	if s < Sights {
		c.spectator.sight = s
	}
}

// Next follows the next player, or with a negative step the one before.
func (c *Client) Next(step int) {
	people := c.people()
	if len(people) == 0 {
		return
	}
	s, now := &c.spectator, 0
	for i, t := range people {
		if t.ID == s.followed {
			now = i + step
		}
	}
	s.follow(people[(now%len(people)+len(people))%len(people)])
	if s.sight == Fly {
		s.sight = Follow
	}
}

func (s *spectator) follow(t *scene.Thing) { s.followed, s.name = t.ID, t.Name }

// people returns the players of the last frame.
func (c *Client) people() (people []*scene.Thing) {
	for i := range c.things {
		if t := &c.things[i]; t.Kind == scene.Person {
			people = append(people, t)
		}
	}
	return people
}

// followedThing returns the body of the player that is followed, or of another one if the player is
// gone, or nil.
func (c *Client) followedThing() (found *scene.Thing) {
	for _, t := range c.people() {
		switch {
		case t.ID == c.spectator.followed:
			return t
		case found == nil || t.Name == c.spectator.name && found.Name != t.Name:
			found = t
		}
	}
	if found != nil {
		c.spectator.follow(found)
	}
	return found
}

// Followed returns the name of the player that a spectator looks at, or "".
func (c *Client) Followed() string {
	if t := c.followedThing(); t != nil && c.spectator.sight != Fly {
		return t.Name
	}
	return ""
}

// watch moves the camera of a spectator, and sets the words of the view.
func (c *Client) watch() {
	s, state := &c.spectator, &c.State
	now := c.node.Now().Seconds()
	dt := min(max(now-s.since, 0), 0.25)
	s.since = now
	s.yaw, s.pitch = math.Mod(s.yaw+c.controls.yaw, 360), min(max(s.pitch+c.controls.pitch, -steepest), steepest)
	c.controls.yaw, c.controls.pitch = 0, 0
	t := c.followedThing()
	if !s.placed && t != nil {
		s.placed, s.at = true, t.Position.Add(sim.Vec3{Z: 10})
	}
	pitch := s.fly(c, t, dt)
	state[WordFlags] |= FlagWatching
	state[WordFlags] &^= FlagFirstPerson
	state[WordSight] = uint32(s.sight)
	if t != nil && s.sight != Fly {
		state[WordFollowed] = uint32(t.ID)
	}
	for i, f := range []float64{s.at.X, s.at.Y, s.at.Z, s.yaw, pitch} {
		state.float(WordEye+i, f)
	}
}

// fly moves the camera for a time in seconds, and returns the pitch of its view. t is the followed
// player, or nil.
func (s *spectator) fly(c *Client, t *scene.Thing, dt float64) (pitch float64) {
	in := c.controls.Input
	switch {
	case s.sight == Fly || t == nil:
		s.at = s.at.Add(s.step(in).Mul(flySpeed * dt))
	case s.sight == Follow:
		s.at = t.Position.Add(sim.Vec3{Z: headHeight}).Sub(direction(s.yaw, s.pitch).Mul(behind))
	default:
		s.above = min(max(s.above+finite(in.Up)*flySpeed*dt, minAbove), maxAbove)
		s.at = t.Position.Add(sim.Vec3{Z: s.above})
		return -90
	}
	s.at.Z = max(s.at.Z, c.floor(s.at))
	return s.pitch
}

// step returns the direction in which a spectator flies, with the length of what is held, 0…1.
func (s *spectator) step(in Input) sim.Vec3 {
	look := direction(s.yaw, s.pitch)
	right := direction(s.yaw-90, 0)
	v := look.Mul(finite(in.Forward)).Add(right.Mul(finite(in.Right))).Add(sim.Vec3{Z: finite(in.Up)})
	if l := v.Len(); l > 1 {
		return v.Mul(1 / l)
	}
	return v
}

// floor returns the lowest height of a camera at a place.
func (c *Client) floor(at sim.Vec3) float64 {
	if g, ok := game.GroundOf(c.node.Host().World()); ok {
		return g.Height(at.X, at.Y) + lowest
	}
	return math.Inf(-1)
}

// direction returns the unit vector of a view. Yaw 0 is north, +Y.
func direction(yaw, pitch float64) sim.Vec3 {
	sinYaw, cosYaw := math.Sincos(yaw * math.Pi / 180)
	sinPitch, cosPitch := math.Sincos(pitch * math.Pi / 180)
	return sim.Vec3{X: -sinYaw * cosPitch, Y: cosYaw * cosPitch, Z: sinPitch}
}

// finite limits a value to -1…1, and is 0 for what is no number.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, -1), 1)
}
