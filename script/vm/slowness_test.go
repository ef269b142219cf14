package vm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stallingRig returns a rig whose CPU clock advances by 1 µs per reading, and by stall at every
// nth reading.
func stallingRig(t *testing.T, nth int, stall time.Duration) *rig {
	r, readings := (*rig)(nil), 0
	r = newRig(t, func(c *Config) {
		c.Thread = func() (func() time.Duration, func()) {
			return func() time.Duration {
				r.cpu += time.Microsecond
				if readings++; readings%nth == 0 {
					r.cpu += stall
				}
				return r.cpu
			}, func() {}
		}
	})
	r.perAsk = maxInterval
	return r
}

// TestOneStallCutsNoHandler checks that a handler far below its budget survives a few stalls of a
// virtual machine, however long they are.
func TestOneStallCutsNoHandler(t *testing.T) {
	for _, stall := range []time.Duration{3 * time.Millisecond, 30 * time.Millisecond, time.Second} {
		r := stallingRig(t, 2000, stall)
		m := r.mod("a", `function work() for i = 1, 60000 do local n = i * 2 + 1 end end`)
		_, err := r.call(m, "work")
		require.NoError(t, err)
		assert.InDelta(t, 4, m.stalls, 3, "the handler stalled")
		assert.Greater(t, m.share.used, time.Duration(m.stalls)*stall, "its share of a core has all of the time")
		r.BeginTick()
		assert.Zero(t, m.stalls)
	}
}

// TestStallsAreLimited checks that slow instructions with fast ones in between gain little: in a
// tick a mod has maxStalls intervals that are not charged in full.
func TestStallsAreLimited(t *testing.T) {
	for _, nth := range []int{1, 2, 3, 10} {
		const stall = 2 * time.Millisecond
		r := stallingRig(t, nth, stall)
		m := r.mod("a", `function spin() while true do end end`)
		_, err := r.call(m, "spin")
		require.ErrorContains(t, err, "the budget of 1000000 instructions is used up")
		most := time.Duration(r.Limits().Callback.Instructions)*instructionTime + (maxStalls+1)*stall
		assert.Less(t, r.cpu, most, "every %d. interval", nth)
		before := r.cpu
		_, err = r.call(m, "spin")
		require.ErrorContains(t, err, "the budget of 1000000 instructions is used up")
		most -= maxStalls * (stall - maxInterval)
		assert.Less(t, r.cpu-before, most, "every %d. interval, the stalls of the tick used up", nth)
	}
}

// TestChecksAreCloseAfterAStall checks that a second slow interval cannot be long.
func TestChecksAreCloseAfterAStall(t *testing.T) {
	r := stallingRig(t, 100, 2*time.Millisecond)
	r.perAsk = slowCheck
	r.Install(Lib{"Test", []Func{{"look", "", Both, "", func(Args) int {
		if m := r.Mod("a"); m.stalls > 0 {
			assert.LessOrEqual(t, r.meter.step, int64(stalledStep))
		}
		return 0
	}}}})
	m := r.mod("a", `function work() for i = 1, 20000 do look() end end`)
	_, err := r.call(m, "work")
	require.NoError(t, err)
	assert.Positive(t, m.stalls)
}
