package engine

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// ControlStats counts what became of a connection's moves. Of the first four
// the side counts that does the moves of its peer, of the others the side that
// makes them.
type ControlStats struct {
	Moves      int // done
	Null       int // NULL moves done for want of one
	Dropped    int // given up: more came than there was time for
	Mismatches int // of which the peer had got another state

	Made        int     // moves made here
	Halts       int     // ticks without a move: too many wait for an answer
	States      int     // control states that have come
	Corrections int     // those that differed from what was predicted
	Visible     int     // of them, those that moved the object by more than 0.1 m
	LargestWarp float64 // the most that one moved it, in metres
}

// MoveLines are what a connection's peer steers here, what is steered here at
// its, and what became of the moves.
func (h *Host) MoveLines(c *Connection) (lines []string) {
	s := &c.ControlStats
	if c.sends() || c.bot {
		lines = append(lines,
			"steers "+nameOrNothing(c.control.object),
			fmt.Sprintf("moves done %d, of them NULL %d, given up %d, waiting %d, with another state than the player's %d",
				s.Moves, s.Null, s.Dropped, c.waitingMoves(), s.Mismatches))
	}
	if c.receives() && !c.bot {
		lines = append(lines,
			"is steered from here: "+nameOrNothing(c.prediction.object),
			fmt.Sprintf("moves made %d, halted for %d ticks; states %d, corrections %d, visible %d, largest %.2f m",
				s.Made, s.Halts, s.States, s.Corrections, s.Visible, s.LargestWarp))
	}
	return lines
}

func (c *Connection) waitingMoves() int {
	if c.moves == nil {
		return 0
	}
	return c.moves.Queued()
}

func nameOrNothing(o sim.Controlled) string {
	if o == nil || !o.Ident().Alive() {
		return "nothing"
	}
	return objectName(o)
}
