package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
)

// BenchmarkReclass redeclares a class of 1,000 objects while 32 clients see all of them. It also
// reports the duration of the server's longest replicate step, in which the new snapshots and
// scopes are made.
func BenchmarkReclass(b *testing.B) {
	var begun time.Time
	var longest time.Duration
	r := enginetest.New(b, enginetest.Options{Clients: 32, Server: func(c *engine.Config) {
		c.Probe = func(done engine.Step) {
			if done == engine.StepReplicate {
				longest = max(longest, time.Since(begun))
			}
			begun = time.Now()
		}
	}})
	r.Server.Quiet = true
	w := r.Server.World()
	_, err := w.Classes().Declare(classSpec("Flag", "Thing", heat, carrier, points))
	require.NoError(b, err)
	for i := range 1000 {
		o, err := w.New("Flag", func(o sim.Object) error {
			o.(*enginetest.Thing).At = sim.Vec3{X: float64(i % 100), Y: float64(i / 100)}
			return nil
		})
		require.NoError(b, err)
		set(b, o, "points", sim.Number(float64(i%100)))
	}
	for _, c := range r.Clients {
		c.Quiet = true
	}
	r.Join()
	all := func() bool {
		for _, c := range r.Clients {
			if c.Host.Server().PeerGhosts.Count() < 1000 {
				return false
			}
		}
		return true
	}
	r.Until(time.Minute, all)
	longest = 0
	for i := 0; b.Loop(); i++ {
		redeclare(b, r.Server.Host, classSpec("Flag", "Thing", heat, points, sim.FieldSpec{Name: fmt.Sprint("f", i%2), Kind: sim.KindBool}))
		b.StopTimer()
		r.Run(20 * engine.TickTime)
		r.Until(time.Minute, all)
		b.StartTimer()
	}
	b.ReportMetric(float64(longest.Microseconds())/1000, "ms/replicate")
}
