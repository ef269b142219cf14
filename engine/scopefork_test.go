package engine

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/netcoretest"
)

// scopeTrace is what the visible sets of all connections did: how often each object came and went,
// the log, and how many look around.
type scopeTrace struct {
	admits, expels []map[uint32]int
	lookout        lookout
	log            string
}

var logTimes = regexp.MustCompile(`time=\S+`)

const scopeForkTicks = 20

// runScopeFork runs a small world in view of many connections. Objects move, come and go, and every
// seventh connection has a full table.
func runScopeFork(t *testing.T, viewers int, parallel func(int, func(worker, i int))) scopeTrace {
	rng := rand.New(rand.NewPCG(1, 2))
	sinks := make([]*testSink, viewers)
	for i := range sinks {
		sinks[i] = newTestSink(400 - 390*(i%7/6))
	}
	r := newScopeRig(t, sinks...)
	r.host.cfg.Parallel = parallel
	at := func() float64 { return rng.Float64() * 1500 }
	for _, c := range r.host.conns {
		require.NoError(t, c.Visible.SetObject(r.thing(at(), at())))
		c.Visible.SetView(ScopeView{Distance: 300 + at()/2})
	}
	var shots []*thing
	for range scopeForkTicks {
		for range 8 {
			shots = append(shots, r.thing(at(), at()))
		}
		if len(shots) > 40 {
			r.sweep(shots[:6]...)
			shots = shots[6:]
		}
		for _, o := range shots {
			r.move(o, o.place.Position.X+20, o.place.Position.Y)
		}
		r.run(1)
	}
	r.sane()
	for _, c := range r.host.conns {
		require.True(t, r.scope.lookout.watches(c.Visible.camera.at, 1, r.scope.tick), "a view is looked at")
	}
	trace := scopeTrace{lookout: r.scope.lookout, log: logTimes.ReplaceAllString(r.log.String(), "")}
	for _, d := range sinks {
		trace.admits, trace.expels = append(trace.admits, d.admits), append(trace.expels, d.expels)
	}
	return trace
}

// TestParallelScopeIsTheSame checks that visible sets, the log and the lookout do not depend on how
// many workers update them, and in which order. The race detector reports data that they share.
func TestParallelScopeIsTheSame(t *testing.T) {
	const viewers = leastScopeFork + 3
	want := runScopeFork(t, viewers, nil)
	assert.Contains(t, want.log, "the ghost table is full")
	assert.NotZero(t, want.lookout)
	forks := 0
	counted := func(parallel func(int, func(worker, i int))) func(int, func(worker, i int)) {
		return func(n int, f func(worker, i int)) {
			forks++
			parallel(n, f)
		}
	}
	for _, parallel := range []func(int, func(worker, i int)){netcoretest.Workers(4), netcoretest.Shuffled(3)} {
		assert.True(t, reflect.DeepEqual(want, runScopeFork(t, viewers, counted(parallel))))
	}
	assert.Greater(t, forks, 2*scopeForkTicks)
	forks = 0
	runScopeFork(t, leastScopeFork-1, counted(netcoretest.Workers(4)))
	assert.Zero(t, forks, "few connections are faster on one goroutine")
}
