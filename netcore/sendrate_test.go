package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestPausesSaveNoBurst checks that a connection that was silent sends few packets at once, also
// while datablocks load and the congestion control does not hold it back.
func TestPausesSaveNoBurst(t *testing.T) {
	var s sendRate
	s.start(0, SimAddr(1), Rate{40, 300}, Rate{40, 300})
	s.boost(0, true)
	sent := 0
	for now := time.Minute; s.ready(now) && sent < 100; sent++ {
		s.spend(now, 300)
	}
	assert.Equal(t, 8, sent)
}
