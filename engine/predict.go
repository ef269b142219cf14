package engine

import "github.com/torc-engine/torc/engine/sim"

// SetMoves sets who makes the moves of what this host controls at a peer's: f
// is called once in each tick in which there is a control object and room for
// one more move. nil, as at first, is the connection's Pilot.
func (h *Host) SetMoves(f func(c *Connection) sim.Move) { h.moves = f }
