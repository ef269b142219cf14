package vm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// TestReentry checks mods that call each other, and the result of main of mod a.
func TestReentry(t *testing.T) {
	cases := []struct {
		name, a, b, c, want string
	}{
		{"A>B>A, variables of the outer frame of A survive an error caught in B",
			`function main() local x=1; local function inc() x=x+1 end; call("b","f"); inc(); return x end
			 function bad() local y=5; error("inner") end`,
			`function f() local z=1; local function up() z=z+1 end; local ok=pcall(call,"a","bad"); up(); return ok, z end`,
			"", "2"},
		{"A in a coroutine >B>A, then the coroutine goes on",
			`function main() local co=coroutine.create(function() local a=call("b","f",10); coroutine.yield(a); return a*2 end)
			   local _,v=coroutine.resume(co); local _,w=coroutine.resume(co); return v, w end
			 function twice(n) return n*2 end`,
			`function f(n) return call("a","twice",n)+1 end`, "", "21 42"},
		{"an error three states deep reaches A's pcall with its place",
			`function main() local s=0; local function add(n) s=s+n end; add(1); local ok, e = pcall(call,"b","f"); add(1); return ok, s, e end`,
			`function f() return call("c","g") end`,
			`function g() error("deep") end`, "false 2 mods/c/server/init.lua:1: deep"},
		{"endless recursion through two states",
			`function main() return call("b","f") end`, `function f() return call("a","main") end`, "",
			"error: nest deeper than 16: a > b > a > b > a > b > a > b > a > b > a > b > a > b > a > b"},
		{"C loops for ever; B and A catch and go on",
			`function main() while true do pcall(call,"b","f") end end`,
			`function f() pcall(call,"c","g"); return 1 end`,
			`function g() while true do end end`, "error: the budget of 2000000 instructions is used up"},
		{"A>B>A loops; the outer A is cut too",
			`function main() pcall(call,"b","f"); while true do end end function spin() while true do end end`,
			`function f() pcall(call,"a","spin"); return 1 end`, "",
			"error: the budget of 2000000 instructions is used up"},
		{"a yield does not cross a door",
			`function main() local co=coroutine.wrap(function() return call("b","f") end); return pcall(co) end`,
			`function f() return coroutine.yield(1) end`, "",
			"false mods/b/server/init.lua:1: coroutine.yield: no coroutine to suspend here: yield cannot cross a pcall, or a call from the engine or another mod"},
		{"a callee's own smaller limit is an ordinary error",
			`function main() local ok, e = pcall(small,"b","f"); local n=0; for i=1,5000 do n=n+1 end; return ok, n, e end`,
			`function f() while true do end end`, "",
			"false 5000 mods/b/server/init.lua:1: the budget of 1000 instructions is used up"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.Install(bridge)
			a := r.mod("a", c.a)
			r.mod("b", c.b)
			r.mod("c", c.c)
			for range 3 { // pooled threads work as well the second time
				out, err := r.call(a, "main")
				if want, bad := strings.CutPrefix(c.want, "error: "); bad {
					require.ErrorContains(t, err, want)
				} else {
					require.NoError(t, err)
					require.Equal(t, c.want, show(out))
				}
				require.Zero(t, r.Depth())
				require.Zero(t, r.guards)
				require.Empty(t, a.State.running)
			}
		})
	}
}

func TestExhaustedRootBlamesTheLargestShare(t *testing.T) {
	r := newRig(t)
	r.Install(bridge)
	a := r.mod("a", `function main() for i=1,10 do pcall(call,"b","f") end end`)
	b := r.mod("b", `function f() for i=1,300000 do end end`)
	before := b.Usage.Instructions
	_, err := r.call(a, "main")
	var e *Error
	require.ErrorAs(t, err, &e)
	require.NotNil(t, e.Spent)
	assert.True(t, e.Spent.Root)
	assert.Equal(t, Instructions, e.Spent.Resource)
	assert.Same(t, b, e.Mod)
	assert.InDelta(t, 2_000_000, b.Usage.Instructions-before, 1000)
	assert.Less(t, a.Usage.Instructions, int64(1000))
}

func TestBudgetsAreExactAndRepeat(t *testing.T) {
	count := func() int64 {
		r := newRig(t)
		m := r.mod("a", `n = 0 function spin() while true do n = n + 1 end end`)
		_, err := r.call(m, "spin")
		require.ErrorContains(t, err, "mods/a/server/init.lua:1: the budget of 2000000 instructions is used up")
		return int64(m.Global("n").(lua.LNumber))
	}
	first := count()
	assert.Equal(t, first, count())
	assert.Greater(t, first, int64(300_000))
}

func TestTimeIsMeasuredOnTheInjectedClock(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function spin() while true do end end function quick() return 1 end`)
	r.perAsk = 100 * time.Microsecond
	_, err := r.call(m, "spin")
	require.ErrorContains(t, err, "the budget of 10ms is used up")

	// The second callback of the tick has the rest of 20 ms, the next one nothing. A new tick has
	// the full time.
	_, err = r.call(m, "spin")
	require.ErrorContains(t, err, "the budget of")
	_, err = r.call(m, "spin")
	if !errors.Is(err, ErrTick) {
		_, err = r.call(m, "spin")
	}
	require.ErrorIs(t, err, ErrTick)
	r.BeginTick()
	out, err := r.call(m, "quick")
	require.NoError(t, err)
	assert.Equal(t, "1", show(out))
	assert.Greater(t, m.Usage.Time, 19*time.Millisecond)
}

// TestWaitingEventsHaveFullTime checks that an event delayed by a busy tick has the full time of a
// callback when it runs.
func TestWaitingEventsHaveFullTime(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function work() for i = 1, 200 do end end`)
	r.perAsk = 100 * time.Microsecond
	n := 0
	for ; !r.Busy(); n++ {
		require.GreaterOrEqual(t, r.Limits().Tick-r.meter.tickUsed, r.Limits().Callback.Time)
		_, err := r.call(m, "work")
		require.NoError(t, err)
	}
	assert.Greater(t, n, 3)
	assert.Less(t, r.meter.tickUsed, r.Limits().Tick)
	r.BeginTick()
	assert.False(t, r.Busy())
}

// TestACallbackAsLongAsATick checks that delayed events still run if a callback may take as long
// as a whole tick.
func TestACallbackAsLongAsATick(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.Callback.Time, c.Limits.Tick = time.Second, time.Second })
	m := r.mod("a", `function work() for i = 1, 200 do end end`)
	r.perAsk = 100 * time.Microsecond
	for r.meter.tickUsed <= 500*time.Millisecond {
		require.False(t, r.Busy())
		_, err := r.call(m, "work")
		require.NoError(t, err)
	}
	assert.True(t, r.Busy())
}

func TestSlowInstructionsAreSeenSoon(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `n = 0 function spin() while true do n = n + 1 end end`)
	r.perAsk = maxInterval // as if 16 instructions took half a millisecond
	_, err := r.call(m, "spin")
	require.ErrorContains(t, err, "10ms")
	assert.Less(t, float64(m.Global("n").(lua.LNumber)), 100.0)
}

// TestPausedProcessIsNotCharged checks that a process that pauses during a callback, longer than
// the callback may take, does not end the callback. A mod that continues too long after the pause
// is still stopped.
func TestPausedProcessIsNotCharged(t *testing.T) {
	r := newRig(t)
	stalls := 1
	r.Install(Lib{"Test", []Func{{"stall", "", Both, "", func(a Args) int {
		if stalls--; stalls >= 0 {
			r.wall += time.Second
		}
		return 0
	}}}})
	m := r.mod("a", `function work() for i = 1, 2000 do stall() end end`)
	require.True(t, r.dispatch(m, "work"))
	assert.Less(t, m.Usage.Time, 3*time.Millisecond)
	assert.False(t, r.Busy())
	stalls = 1000
	assert.False(t, r.dispatch(m, "work"))
}

func TestMemoryIsMeasuredByTheInjectedSampler(t *testing.T) {
	r := newRig(t)
	r.Install(Lib{"Test", []Func{{"grow", "", Both, "", func(a Args) int { r.heap += 1 << 20; return 0 }}}})
	m := r.mod("a", `function leak() while true do grow() end end`)
	_, ok := r.Dispatch(m, "onTick", m.Global("leak").(*lua.LFunction))
	require.False(t, ok)
	require.Len(t, r.faults, 1)
	assert.Contains(t, r.faults[0].Text, "the memory budget of 32 MiB is used up")
	assert.Equal(t, Heap, r.faults[0].Resource)
	assert.Equal(t, "it exceeded its memory budget in onTick", m.Suspended())
	assert.Greater(t, m.Usage.Heap, uint64(30<<20))
}

func TestArgumentsAndResults(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function f(...) return select("#", ...), ... end function none() end`)
	out, err := r.call(m, "f", lua.LNumber(1), lua.LNil, lua.LString("x"))
	require.NoError(t, err)
	assert.Equal(t, "3 1 nil x", show(out))
	out, err = r.call(m, "none")
	require.NoError(t, err)
	assert.Nil(t, out)
}

func TestTracebackCrossesDoorsAndCoroutines(t *testing.T) {
	r := newRig(t)
	r.Install(bridge)
	a := r.mod("a", "function main()\n  coroutine.wrap(function()\n    call('b', 'f')\n  end)()\nend")
	r.mod("b", "function f()\n  local t = nil\n  return t.x\nend")
	_, err := r.call(a, "main")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "b", e.Mod.Name)
	assert.Contains(t, e.Text, "mods/b/server/init.lua:3: ")
	for _, place := range []string{"mods/b/server/init.lua:3 ", "mods/a/server/init.lua:3 ", "mods/a/server/init.lua:2 "} {
		assert.Contains(t, e.Traceback, "\t"+place)
	}
}

func TestTracebackIsShort(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function deep(n) if n == 0 then error("x") end local v = deep(n-1) return v end
	  function tail(n) if n == 0 then error("x") end return tail(n-1) end
	  function main(n) deep(n) end`)
	_, err := r.call(m, "main", lua.LNumber(100))
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.LessOrEqual(t, strings.Count(e.Traceback, "\n"), maxTrace)
	_, err = r.call(m, "tail", lua.LNumber(100_000))
	require.ErrorAs(t, err, &e)
	assert.LessOrEqual(t, strings.Count(e.Traceback, "\n"), 3)
}

func TestEnterAllocatesLittle(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function f(x) return end`)
	fn := m.Global("f").(*lua.LFunction)
	arg := lua.LValue(lua.LNumber(1.5))
	allocs := testing.AllocsPerRun(200, func() {
		if _, err := r.Enter(m, fn, arg); err != nil {
			t.Fatal(err)
		}
	})
	assert.LessOrEqual(t, allocs, 1.0)
}

func BenchmarkEnter(b *testing.B) {
	start := time.Now()
	h := New(Config{Side: Server, Clock: func() time.Duration { return time.Since(start) }})
	m := h.NewMod("a", nil)
	fn, err := m.Compile("a", "return function(x, y) return x end", false)
	require.NoError(b, err)
	out, err := h.Enter(m, fn)
	require.NoError(b, err)
	f := out[0].(*lua.LFunction)
	x := lua.LValue(lua.LNumber(1))
	b.ReportAllocs()
	for b.Loop() {
		h.BeginTick()
		if _, err := h.Enter(m, f, x, x); err != nil {
			b.Fatal(err)
		}
	}
}
