package metrics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A tick is late that begins more than 64 ms after the one before, however long the server has been there by then.
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
