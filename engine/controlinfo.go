package engine

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
