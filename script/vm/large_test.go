package vm

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLargeStringsAreKnown checks that the runtime knows each mod that holds a large string, from
// any source. It reads the clock more often while such a mod runs. A long source alone has no
// large string.
func TestLargeStringsAreKnown(t *testing.T) {
	large := strings.Repeat("x", largeText+1)
	for _, c := range []struct {
		name, source string
		large        bool
	}{
		{"long source", "local list = {" + strings.Repeat("1, ", largeText) + "}", false},
		{"largest ordinary", `s = ("x"):rep(65536)`, false},
		{"repeated", `s = ("x"):rep(65537)`, true},
		{"joined", `s = ("x"):rep(65536) s = s .. "x"`, true},
		{"listed", `s = table.concat({ ("x"):rep(65536), "x" })`, true},
		{"written", `function f() return "` + large + `" end`, true},
		{"compiled", `f = loadstring('return "' .. ("x"):rep(65536) .. 'x"')`, true},
	} {
		r := newRig(t, func(c *Config) { c.Limits.String = MaxString })
		m := r.NewMod("m", nil)
		require.Empty(t, r.runIn(m, c.source), c.name)
		assert.Equal(t, c.large, m.heldLarge, c.name)
	}
}

// TestTheClockIsReadOftenBesideLargeStrings checks that the clock is read every eight
// instructions, in the entry that makes the string and later. This also holds while reads are
// late, and when a mod without a large string makes the call.
func TestTheClockIsReadOftenBesideLargeStrings(t *testing.T) {
	reads, late := 0, time.Duration(0)
	r := newRig(t, func(c *Config) {
		c.Limits.String = MaxString
		c.Clock = func() time.Duration { reads++; return time.Duration(reads) * late }
	})
	small, large := r.NewMod("small", nil), r.NewMod("large", nil)
	looks := func(m *Mod, source string) int {
		reads = 0
		require.Empty(t, r.runIn(m, source))
		return reads
	}
	const loop = "for i = 1, 1000 do end "
	require.Empty(t, r.runIn(large, "function run() "+loop+"end"))
	small.SetGlobal("call", small.State.Bind(&Func{Name: "call", Fn: func(a Args) int {
		_, err := r.call(large, "run")
		require.NoError(t, err)
		return 0
	}}))
	assert.Less(t, looks(small, loop+"call()"), 40)
	assert.Greater(t, looks(large, `s = ("x"):rep(65537) `+loop), 120)
	assert.Greater(t, looks(large, loop), 120)
	assert.Greater(t, looks(small, loop+"call()"), 120)
	assert.Less(t, looks(small, loop), 20)
	late = slowCheck + 1
	assert.Greater(t, looks(large, loop), 120)
}
