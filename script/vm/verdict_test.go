package vm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// verdictScript has functions that are slow, that take memory, and that catch the end of a nested
// entry.
const verdictScript = `
	n = 0
	function spin(times) for i = 1, times do n = n + 1 end end
	function forever() while true do n = n + 1 end end
	function catch(fn) return pcall(brief, fn), n end
	function large() n = fits() and 1 or 2 end
	function waste() spin(300) grow() spin(100000) end`

// hurried gives a runtime short limits, and functions of the test.
func hurried(c *Config) {
	c.Limits = Limits{Callback: Limit{200_000, 2200 * time.Microsecond, 32 << 20}, Tick: 2 * time.Millisecond, Ticking: 400_000}
}

// playVerdicts runs a story on a rig, and returns all that a script could have seen.
func playVerdicts(r *rig) (seen []string) {
	r.Install(Lib{"Test", []Func{
		{"brief", "fn", Both, "Calls a global within 2 ms.", func(a Args) int {
			fn := a.Mod.Global(a.String(1)).(*lua.LFunction)
			if _, err := a.Runtime().EnterWith(Limit{Time: 2 * time.Millisecond}, a.Mod, fn); err != nil {
				a.Raise(err)
			}
			return 0
		}},
		{"fits", "-> boolean", Both, "Makes a large result.", func(a Args) int {
			defer func(before uint64) { r.heap = before }(r.heap)
			r.heap += 20 << 20
			return a.Return(lua.LBool(a.Runtime().FitsHeap(40 << 20)))
		}},
		{"grow", "", Both, "Takes memory.", func(Args) int { r.heap += 40 << 20; return 0 }},
	}})
	mods := []*Mod{r.mod("a", verdictScript), r.mod("b", verdictScript)}
	do := func(i int, name string, args ...lua.LValue) {
		m := mods[i]
		out, ok := r.Dispatch(m, name, m.Global(name).(*lua.LFunction), args...)
		seen = append(seen, fmt.Sprint(name, ok, show(out), r.Busy(), r.BusyFor(m), m.Suspended(), m.Faults(), show([]lua.LValue{m.Global("n")}), r.InstructionCount()))
		m.Enable()
	}
	for tick := range 24 {
		r.sim += 32 * time.Millisecond
		r.BeginTick()
		switch tick {
		case 4, 8:
			do(1, "waste")
		case 20:
			r.heap = 3 << 30
			r.SetPeer(5) // whose fault it would be otherwise
			do(0, "waste")
			r.SetPeer(0)
			r.heap = 0
		case 12:
			do(0, "large")
		case 22:
			r.wall += time.Second
			mods[1].share.used += 7 * time.Second // as by a slow machine
		}
		do(0, "spin", lua.LNumber(500*(tick%9)))
		do(1, "spin", lua.LNumber(500*(tick%7)))
		if tick%2 == 0 {
			do(0, "catch", lua.LString("forever"))
		}
	}
	return seen
}

// TestForetoldVerdictsRepeatARun checks that a runtime without clocks and without a heap does all
// that another one did, instruction by instruction, if it is told the verdicts of that one. The
// story has every kind of verdict, and the result differs without the first of each kind. A slow
// clock changes nothing but the usage of time.
func TestForetoldVerdictsRepeatARun(t *testing.T) {
	var told []Verdict
	recorded := newRig(t, hurried, func(c *Config) { c.Verdict = func(v Verdict) { told = append(told, v) } })
	recorded.perAsk, recorded.perCPU = 100*time.Microsecond, 400*time.Microsecond
	want := playVerdicts(recorded)
	first := map[VerdictKind]int{}
	for i, v := range slices.Backward(told) {
		first[v.Kind] = i
	}
	require.Len(t, first, int(VerdictLarge), "%v", first)

	play := func(told []Verdict, change func(*Config)) (*rig, []string) {
		r := newRig(t, hurried, func(c *Config) { c.Thread, c.Heap, c.Foretold = nil, nil, true }, change)
		r.perAsk = time.Second
		for _, v := range told {
			r.Foretell(v)
		}
		return r, playVerdicts(r)
	}
	repeat := func(told []Verdict) ([]string, []Verdict) {
		r, got := play(told, func(c *Config) { c.Clock = nil })
		return got, r.Untold()
	}
	got, untold := repeat(told)
	assert.Equal(t, want, got)
	assert.Empty(t, untold)
	slow, got := play(told, func(*Config) {})
	assert.Equal(t, want, got)
	assert.Empty(t, slow.Untold())
	assert.Positive(t, slow.Mods[0].Usage.Time)
	for kind, i := range first {
		got, untold := repeat(slices.Delete(slices.Clone(told), i, i+1))
		assert.True(t, len(untold) > 0 || !slices.Equal(want, got), "without verdict %d of kind %d", i, kind)
	}
}
