package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestJitterCausesFewNullMoves checks that a player on a line that reorders packets keeps moving:
// the server waits for moves as long as for packets.
func TestJitterCausesFewNullMoves(t *testing.T) {
	const minutes = 2
	limits := map[int]int{20: 0, 50: 1, 100: 3, 200: 6} // NULL moves per minute
	for _, jitter := range testenv.EveryKey(3, limits) {
		most := limits[jitter]
		o := lag(100, 0)
		o.Up.Jitter, o.Down.Jitter = time.Duration(jitter)*time.Millisecond, time.Duration(jitter)*time.Millisecond
		r := newRace(t, o)
		r.nextMove = wander(7)
		r.Run(minutes * time.Minute)
		assert.LessOrEqual(t, r.peer(0).Control.Stats.Null, most*minutes, "jitter %d ms", jitter)
		assert.LessOrEqual(t, r.stats(0).Visible, minutes, "jitter %d ms", jitter)
		assert.Greater(t, r.stats(0).Made, 1870*minutes)
	}
}
