package pulse

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
	p.recent = [recentTicks]time.Duration{}
	assert.Equal(t, Pulse{
		Ticks: 5, Busy: 5 * time.Millisecond, Max: time.Millisecond,
		Late: 1, Gap: 65 * time.Millisecond, last: 662 * time.Millisecond,
	}, p)
}

// TestQuantile checks the quantiles of few ticks, and that only the newest 1,024 ticks count.
func TestQuantile(t *testing.T) {
	var p Pulse
	assert.Zero(t, p.Quantile(0.5))
	for i := range 100 {
		p.Tick(0, time.Duration(100-i)*time.Millisecond)
	}
	for q, want := range map[float64]time.Duration{0: 1, 0.5: 50, 0.99: 99, 1: 100} {
		assert.Equal(t, want*time.Millisecond, p.Quantile(q), q)
	}
	for range recentTicks {
		p.Tick(0, time.Second)
	}
	assert.Equal(t, time.Second, p.Quantile(0))
}
