package vm

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// playTables runs ticks of a mod that makes tables, and returns all that a script or a log could
// see. A check of the meter takes so long that the mod takes most of a tick of 38 ms.
func playTables(r *rig, lines *[]string) (seen []string) {
	m := r.mod("m", `function onTick() for i = 1, 5000 do local t = {} end end`)
	for tick := range 250 {
		const length = 38 * time.Millisecond
		r.sim += length
		r.wall = max(r.wall, time.Duration(tick)*length)
		r.BeginTick()
		r.Dispatch(m, "onTick", m.Global("onTick").(*lua.LFunction))
		seen = append(seen, fmt.Sprint(r.InstructionCount(), m.Suspended(), *lines))
	}
	return seen
}

// roomy leaves the limits to the shares of CPU time.
func roomy(c *Config) {
	c.Limits.Callback.Instructions, c.Limits.Ticking = 100_000_000, 100_000_000
}

// logTo returns a change of a Config that keeps the log lines.
func logTo(lines *[]string) func(*Config) {
	return func(c *Config) { c.Log = func(_ slog.Level, msg string, _ ...any) { *lines = append(*lines, msg) } }
}

// TestCPUTimeSuspends checks that a mod of 30,000 tables in each tick gets a warning, then a
// suspension. A replay that is told the verdicts does the same without a clock.
func TestCPUTimeSuspends(t *testing.T) {
	var told []Verdict
	var lines, again []string
	r := newRig(t, roomy, logTo(&lines), func(c *Config) { c.Verdict = func(v Verdict) { told = append(told, v) } })
	r.perAsk, r.perCPU = 475*time.Microsecond, 475*time.Microsecond
	seen := playTables(r, &lines)
	assert.Equal(t, []string{
		"m used 35% of a core in 10s; at 60% it is suspended (see mod top m)",
		"m is suspended for 10s: it used 70% of a core in 10s, the limit is 60% (resume it with mod enable m)",
	}, lines)
	replay := newRig(t, roomy, logTo(&again), func(c *Config) { c.Clock, c.Thread, c.Heap, c.Foretold = nil, nil, nil, true })
	for _, v := range told {
		replay.Foretell(v)
	}
	assert.Equal(t, seen, playTables(replay, &again))
	assert.Empty(t, replay.Untold())
}

// TestCPUShareOfASecond checks which percentage a mod has, with whole and with unfinished windows.
func TestCPUShareOfASecond(t *testing.T) {
	var s cpuShare
	s.used = time.Minute // loading, before the first mark
	for second := range 30 {
		require.True(t, s.measure(time.Duration(second)*time.Second))
		require.False(t, s.measure(time.Duration(second)*time.Second+999*time.Millisecond))
		require.Equal(t, 5*min(second, 10), s.percent, "%d s", second)
		s.used += 500 * time.Millisecond
	}
	s.measure(time.Hour)
	assert.Zero(t, s.percent, "the process stood still")
	s.forget()
	s.used += 10 * time.Second
	s.measure(time.Hour + time.Second)
	assert.Zero(t, s.percent)
}

// TestCPULimits checks who is warned and suspended: nobody at 0, base never, and a mod again as
// soon as it is on and uses as much. Warnings are a minute apart.
func TestCPULimits(t *testing.T) {
	var lines []string
	r := newRig(t, logTo(&lines))
	m, base := r.mod("m", ""), r.mod("base", "")
	base.Vital = true
	l := r.LimitsVar()
	use := func(seconds int, percent time.Duration) []string {
		lines = nil
		for range seconds {
			r.wall += time.Second
			r.sim += time.Second
			for _, m := range r.Mods {
				m.share.used += percent * 10 * time.Millisecond
			}
			r.BeginTick()
		}
		return lines
	}
	l.CPUWarn, l.CPUSuspend = 0, 0
	assert.Empty(t, use(100, 100))
	l.CPUWarn = 100
	assert.Equal(t, []string{"m used 100% of a core in 10s (see mod top m)", "base used 100% of a core in 10s (see mod top base)"}, use(50, 100))
	assert.Len(t, use(61, 100), 2, "a minute later")
	use(61, 0)
	*l = DefaultLimits
	assert.Empty(t, use(61, 24))
	assert.Len(t, use(50, 59), 2)
	assert.Empty(t, m.Suspended())
	assert.Equal(t, []string{"m is suspended for 10s: it used 63% of a core in 10s, the limit is 60% (resume it with mod enable m)"}, use(1, 100))
	assert.Equal(t, []string{"m is resumed, on probation"}, use(10, 0))
	assert.Contains(t, use(7, 100), "m is suspended for 20s: it used 60% of a core in 10s, the limit is 60% (resume it with mod enable m)")
	assert.Empty(t, base.Suspended())
}
