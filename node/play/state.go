package play

import (
	"math"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/game/scene"
)

// The words of a State. A word without another type in its comment is a float32.
const (
	WordFlags       = iota // uint32: FlagReady and so on
	WordRows               // uint32: the rows of the slab
	WordEdition            // uint32: the edition of the texts of the slab
	WordGround             // uint32: the version of the terrain, 0 for none
	WordTick               // uint32: the number of the tick
	WordEye                // X, Y, Z of the eye in metres
	_                      //
	_                      //
	WordYaw                // of the view in degrees, with the turns that no move has yet
	WordPitch              //
	WordFOV                // of the view in degrees
	WordDamageFlash        // 0…1
	WordWhiteOut           // 0…1
	WordPing               // in milliseconds
	WordLoss               // 0…1
	WordBars               // the quality of the line, 0…4
	WordHealth             // of the body, 0…1; below 0: it has none
	WordEnergy             // likewise
	WordRide               // the health of the vehicle, likewise
	WordTeam               // uint32
	WordSpeed              // in metres per second, of the vehicle if there is one
	WordCorrections        // uint32: the corrections of the server so far
	WordSight              // uint32: how a spectator looks, a Sight
	WordFollowed           // uint32: the id of the player that a spectator follows, 0 for none
	StateWords
)

// The flags of a State.
const (
	FlagReady       = 1 << iota // the client is in the game
	FlagBody                    // it controls an object with a place
	FlagFirstPerson             // of the player's camera
	FlagPaused
	FlagRiding   // the body sits on a vehicle, or is one
	FlagWatching // this client is a spectator
)

// A State is the rest of a frame besides the things: the player's own view and the line.
type State [StateWords]uint32

func (s *State) float(word int, f float64) { s[word] = math.Float32bits(float32(f)) }

// fill sets all words of the state.
func (c *Client) fill() {
	s, host := &c.State, c.node.Host()
	*s = State{WordRows: uint32(c.Slab.Rows), WordEdition: c.Slab.Edition, WordTick: uint32(host.TickNumber()), WordFlags: FlagFirstPerson}
	if g, ok := game.GroundOf(host.World()); ok {
		s[WordGround] = g.Relief().Version
	}
	if c.node.Ready() {
		s[WordFlags] |= FlagReady
	}
	if host.Pace.Paused() {
		s[WordFlags] |= FlagPaused
	}
	s.float(WordBars, float64(c.line().Bars))
	for _, w := range []int{WordHealth, WordEnergy, WordRide} {
		s.float(w, -1)
	}
	s.float(WordFOV, defaultFOV)
	if server := host.Server(); server != nil {
		s.connection(server)
		if server.Spectator() {
			c.watch()
			return
		}
		c.body(server.Control.Object())
	}
}

// defaultFOV is the field of view without a connection, in degrees.
const defaultFOV = 90

// connection sets the words that a connection knows.
func (s *State) connection(server *engine.Connection) {
	first, fov := server.Camera.View()
	if !first {
		s[WordFlags] &^= FlagFirstPerson
	}
	s.float(WordFOV, float64(fov))
	s.float(WordDamageFlash, server.Tints.Strength(engine.DamageFlash))
	s.float(WordWhiteOut, server.Tints.Strength(engine.WhiteOut))
	s.float(WordPing, float64(server.Line.Ping()))
	s.float(WordLoss, server.Line.Loss())
	s[WordCorrections] = uint32(server.Control.Stats.Mismatches)
}

// body sets the words of the controlled object.
func (c *Client) body(own sim.Object) {
	placed, ok := own.(sim.Placer)
	if !ok {
		return
	}
	s, newest := &c.State, placed.Place()
	thing, _ := c.reader.Thing(own, c.node.UntilTick())
	eye, look := thing.Position, newest.Rotation
	if e, ok := own.(engine.EyePointer); ok {
		eye = eye.Add(e.EyePoint().Sub(newest.Position))
	}
	c.controls.limit(look.Pitch)
	look.Yaw, look.Pitch = look.Yaw+c.controls.yaw, look.Pitch+c.controls.pitch
	s[WordFlags] |= FlagBody
	s[WordTeam] = uint32(thing.Team)
	speed, ride := thing.Velocity.Len(), c.node.Host().World().Find(thing.Mount)
	if thing.Kind == scene.Ride {
		s[WordFlags] |= FlagRiding
		look = thing.Rotation
		s.float(WordRide, thing.Health)
	} else if ride != nil {
		s[WordFlags] |= FlagRiding
		r, _ := c.reader.Thing(ride, c.node.UntilTick())
		speed = r.Velocity.Len()
		s.float(WordRide, r.Health)
	}
	for i, f := range []float64{eye.X, eye.Y, eye.Z, look.Yaw, look.Pitch} {
		s.float(WordEye+i, f)
	}
	s.float(WordHealth, thing.Health)
	s.float(WordEnergy, thing.Energy)
	s.float(WordSpeed, speed)
}
