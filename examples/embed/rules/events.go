package rules

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// A Flare is an event: a beacon flares up for the players.
type Flare struct {
	Beacon   string
	Strength int // percent
}

// Serialize describes the event once for both directions. It checks what it reads.
func (f *Flare) Serialize(s *bitstream.Codec) {
	s.Text(&f.Beacon, 64)
	s.Int(&f.Strength, 1, 100)
}

// Receive runs in a tick of the client. It calls the Lua function GameConnection.onFlare.
func (f *Flare) Receive(c *engine.Connection) {
	c.Tell("onFlare", sim.String(f.Beacon), sim.Number(float64(f.Strength)))
}

// Events are the kinds of events of this game.
func Events() []engine.CustomKind {
	return []engine.CustomKind{{Name: "flare", From: engine.FromServer, New: func() engine.CustomEvent { return new(Flare) }}}
}
