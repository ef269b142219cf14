package engine

import (
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

// ControlStats counts a connection's moves. The side that applies the moves counts the first four
// fields. The side that makes them counts the others.
type ControlStats struct {
	Moves      int // applied
	Null       int // NULL moves that the server substituted because none arrived
	Dropped    int // dropped, because more arrived than the credit allows
	Mismatches int // with a checksum that differs from the peer's

	Made        int     // moves made on this side
	Halts       int     // ticks without a move, because too many wait for acknowledgement
	States      int     // control states received
	Corrections int     // those that differed from the prediction
	Visible     int     // corrections that moved the object by more than 0.1 m
	LargestWarp float64 // largest correction in metres
}

// MoveLines describes the control objects of both sides and the statistics of their moves.
func (i *Inspector) MoveLines(c *Connection) (lines []string) {
	s := &c.Control.Stats
	if c.sends() || c.bot {
		lines = append(lines,
			"controls "+nameOrNothing(c.Control.object),
			fmt.Sprintf("moves done %d, of them NULL %d, given up %d, waiting %d, mismatched %d",
				s.Moves, s.Null, s.Dropped, c.Control.Waiting(), s.Mismatches))
	}
	if c.receives() && !c.bot {
		lines = append(lines,
			"controlled from here: "+nameOrNothing(c.prediction.object),
			fmt.Sprintf("moves made %d, halted for %d ticks; states %d, corrections %d, visible %d, largest %.2f m",
				s.Made, s.Halts, s.States, s.Corrections, s.Visible, s.LargestWarp))
	}
	return lines
}

func nameOrNothing(o sim.Controllable) string {
	if o == nil || !o.Ident().Alive() {
		return "nothing"
	}
	return console.Clean(o.Ident().String()) // a peer can have named it
}

// countCorrection counts a correction that moved the control object by size metres.
func (s *ControlStats) countCorrection(size float64) {
	s.Corrections++
	if size > visibleWarp {
		s.Visible++
	}
	s.LargestWarp = max(s.LargestWarp, size)
}
