package netcore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// TestLateLoops: the owner of a connection calls Send only every few ticks, and not when it is Due.
// After a bad minute it carries nearly as much as an owner that is never late.
func TestLateLoops(t *testing.T) {
	carried := func(late time.Duration) float64 {
		l := newLine(1, 4e6, 100*ms, 10*ms)
		l.net.Punctual = late == 0
		s := l.add(0)
		run := func(d time.Duration) {
			l.net.Run(l.net.Now()+d, max(late, ms))
		}
		lossy := netcore.LinkParams{Delay: 10 * ms, Loss: .3}
		l.net.Link(l.from[0], netcore.SimAddr(200), lossy, lossy)
		run(testenv.Length(30*time.Second, time.Minute))
		bad := s.conn.LineRate() / 8
		lossy.Loss = 0
		l.net.Link(l.from[0], netcore.SimAddr(200), lossy, lossy)
		run(testenv.Length(30*time.Second, time.Minute))
		before := l.down.Flow(l.from[0]).DeliveredBytes
		run(10 * time.Second)
		used := float64(l.down.Flow(l.from[0]).DeliveredBytes-before) / 10
		t.Logf("%v late: %.0f bytes/s after %.0f", late, used, bad)
		return used
	}
	punctual := carried(0)
	for _, late := range testenv.Every(3, []time.Duration{32 * ms, 16 * ms, 8 * ms}) {
		assert.Greater(t, carried(late), .8*punctual, "%v late", late)
	}
}
