package modtrial

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
)

// fakeThrottle has a clock that moves by step each time it is read.
func fakeThrottle(step time.Duration, slept *[]time.Duration) *throttle {
	at := time.Unix(0, 0)
	return &throttle{
		now:    func() time.Time { at = at.Add(step); return at },
		sleep:  func(d time.Duration) { *slept = append(*slept, d); at = at.Add(d) },
		rested: at,
	}
}

// TestThrottle checks that tests sleep as long as they have computed, once that time is long
// enough.
func TestThrottle(t *testing.T) {
	var slept []time.Duration
	b := fakeThrottle(time.Millisecond, &slept)
	for range 12 {
		b.take()
	}
	assert.Equal(t, []time.Duration{4 * time.Millisecond, 4 * time.Millisecond, 4 * time.Millisecond}, slept)
	assert.NotPanics(t, func() { (*throttle)(nil).take() })
}

// TestThrottledTestsPause checks that throttled tests can sleep at each tick and before each new
// server or client.
func TestThrottledTestsPause(t *testing.T) {
	var slept []time.Duration
	r, err := newRunner(Options{Folders: []fs.FS{mods.FS()}, Mod: "hello"})
	require.NoError(t, err)
	r.throttle = fakeThrottle(time.Second, &slept)
	s, err := newTestServer(r)
	require.NoError(t, err)
	before := len(slept)
	require.GreaterOrEqual(t, before, 1+beginning)
	s.tick()
	require.Greater(t, len(slept), before)
}

// TestLongRunsOfLuaRest checks that a throttled run also rests while Lua runs, between two ticks.
func TestLongRunsOfLuaRest(t *testing.T) {
	var slept []time.Duration
	r, err := newRunner(Options{Folders: []fs.FS{mods.FS(), folder("m/server/init.lua", "for i = 1, 1e6 do end")}, Mod: "m"})
	require.NoError(t, err)
	r.throttle = fakeThrottle(time.Second, &slept)
	_, err = newTestServer(r)
	require.NoError(t, err)
	require.Greater(t, len(slept), 1+beginning+1_000_000/(1<<17), "a rest every 65,536 instructions at least")
}
