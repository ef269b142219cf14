package metrics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestPulse checks that a tick is late if it begins more than 64 ms after the previous one,
// independent of the server's uptime.
func TestPulse(t *testing.T) {
	var p Pulse
	for _, began := range []time.Duration{500, 532, 596, 661, 662} {
		p.Tick(began*time.Millisecond, time.Millisecond)
	}
	assert.Equal(t, Pulse{
		Ticks: 5, Busy: 5 * time.Millisecond, Max: time.Millisecond,
		Late: 1, Gap: 65 * time.Millisecond, last: 662 * time.Millisecond,
	}, p)
}
