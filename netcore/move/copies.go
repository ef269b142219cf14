package move

import "math"

const (
	leastCopies = 2         // of a line without losses, where a single packet can still be lost
	tolerated   = .3 / 1875 // part of the moves that can be lost: 0.3 a minute at a move per tick
	lossMargin  = .01       // the loss can be higher than measured, because it varies
)

// CopiesFor returns how many packets must carry each move on a line that loses a part of the
// packets, so that few moves are lost.
func CopiesFor(loss float64) int {
	loss = max(loss, 0) + lossMargin
	if !(loss < 1) {
		return Max
	}
	return int(min(max(math.Ceil(math.Log(tolerated)/math.Log(loss)), leastCopies), Max))
}
