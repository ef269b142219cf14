package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOldValuesAreNoBaseline checks that the span to a value stays exact, up to the highest one,
// and that a value before that counts as none.
func TestOldValuesAreNoBaseline(t *testing.T) {
	require.Greater(t, uint32(mostSpan), uint32(relativeAge<<maxDepth))
	for _, tt := range []struct {
		tick, earlier uint32
		want          uint16
	}{{100, 40, 60}, {516, 5, 511}, {517, 5, 0}, {518, 5, 0}, {70_000, 0, 0}, {7, 0, 7}} {
		assert.Equal(t, tt.want, knownPair(tt.earlier<<spanBits).next(tt.tick).span(), "%v", tt)
	}
}

// TestTicksBeyondTheOrigin checks that known values stay exact when the ticks go beyond those that
// a pair can count. The groups of some ghosts have different values, and one ghost rests.
func TestTicksBeyondTheOrigin(t *testing.T) {
	for _, first := range []uint32{mostTick - 30, mostTick + 9, 3*mostTick + 7} {
		r := newGhostRig(t, Config{}, moving)
		r.tick = first - 1
		r.begin()
		objs := r.scopeAll(moving, 4)
		for n := range 90 {
			r.begin()
			for i, obj := range objs[1:] {
				if r.set(obj, 1, 3*uint64(n)+9, 2, 3); (n+i)%3 == 0 {
					r.set(obj, 2, uint64(n), 1)
				}
			}
			before := r.from.Stats().Relative
			r.pack()
			if n > 8 {
				require.Equal(t, before+3, r.from.Stats().Relative, "every update has a baseline, tick %d", r.tick)
			}
			for len(r.inFlight) > 2 {
				r.ack(false)
			}
		}
		require.NotZero(t, r.from.table.split[0])
		r.runUntilIdle(9)
		r.requireEqual()
	}
}

// TestForgottenValues checks that a known value is none when it is too old to be counted.
func TestForgottenValues(t *testing.T) {
	r := newGhostRig(t, Config{}, moving)
	objs := r.scopeAll(moving, 2)
	r.runUntilIdle(9)
	r.from.ApplyFates()
	known := r.from.table.knownAt(0)
	require.NotZero(t, known.newer)
	for _, tt := range []struct {
		tick uint32
		want knownValues
	}{{mostTick, known}, {mostTick + 1, knownValues{}}, {4 * mostTick, knownValues{}}} {
		r.tick = tt.tick - 1
		r.begin()
		r.set(objs[1], 1, uint64(tt.tick%999), 2, 3)
		r.pack()
		r.ack(false)
		r.from.ApplyFates()
		assert.Equal(t, tt.want, r.from.table.knownAt(0), "tick %d", tt.tick)
		assert.Equal(t, tt.tick, r.from.table.knownAt(1).newer)
	}
}
