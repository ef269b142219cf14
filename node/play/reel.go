package play

import (
	"bytes"
	"time"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/demo"
)

// A Reel is the state of a demo.
type Reel struct {
	At, Length float64 // seconds of game time
	Speed      int     // percent
	Paused     bool
}

// NewReplay makes a client that shows a demo. It has no server.
func NewReplay(cfg node.Config, film []byte) (*Client, error) {
	shows := demo.Config{Common: cfg.Common, Hud: cfg.Client.Hud, Message: cfg.Client.Message, Effect: cfg.Client.Effect, VoiceIn: cfg.Client.VoiceIn}
	var c *Client
	shows.Elements = func([]*form.Element) { c.elementsChanged = true }
	n, err := demo.Open(shows, bytes.NewReader(film), int64(len(film)))
	if err != nil {
		return nil, err
	}
	c = newClient(n)
	c.replay = n
	c.spectator.name = n.Header().Player
	return c, nil
}

// Reel returns the state of the demo. ok is false for a game.
func (c *Client) Reel() (r Reel, ok bool) {
	if c.replay == nil {
		return r, false
	}
	return Reel{c.replay.Position().Seconds(), c.replay.Length().Seconds(), c.replay.Speed(), c.replay.Paused()}, true
}

// Pause stops the demo, or lets it go on.
func (c *Client) Pause(on bool) {
	if c.replay != nil {
		c.replay.Pause(on)
	}
}

// SetSpeed changes the speed of the demo, in percent.
func (c *Client) SetSpeed(percent int) {
	if c.replay != nil {
		c.replay.SetSpeed(percent)
	}
}

// Seek shows another time of the demo, in seconds.
func (c *Client) Seek(seconds float64) {
	if c.replay != nil && seconds == seconds {
		c.replay.Seek(time.Duration(min(max(seconds, 0), 1e6) * float64(time.Second)))
	}
}
