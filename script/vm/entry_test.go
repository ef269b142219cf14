package vm

import (
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
			`function g() while true do end end`, "error: the budget of 1000000 instructions is used up"},
		{"A>B>A loops; the outer A is cut too",
			`function main() pcall(call,"b","f"); while true do end end function spin() while true do end end`,
			`function f() pcall(call,"a","spin"); return 1 end`, "",
			"error: the budget of 1000000 instructions is used up"},
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
				r.BeginTick()
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
	assert.InDelta(t, 1_000_000, b.Usage.Instructions-before, 1000)
	assert.Less(t, a.Usage.Instructions, int64(1000))
}

// TestExhaustedRootSparesTheInnocent: the budget of a calls breaks in a short function of b. Text,
// fault and counters name a.
func TestExhaustedRootSparesTheInnocent(t *testing.T) {
	r := newRig(t)
	r.Install(bridge)
	a := r.mod("a", `function main() for i=1,980000 do end call("b","f") end`)
	b := r.mod("b", `function f() for i=1,50000 do end end`)
	_, err := r.call(a, "main")
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Same(t, a, e.Mod)
	assert.Equal(t, "mods/b/server/init.lua:1: the budget of 1000000 instructions is used up, mostly by a", e.Text)
	f := r.Fail(a, "onTick", err)
	assert.Equal(t, []string{"a", "mods/b/server/init.lua"}, []string{f.Mod, f.File})
	assert.Equal(t, []int64{1, 0}, []int64{errorsOf(a), errorsOf(b)})
}

// errorsOf sums the errors of all events of a mod.
func errorsOf(m *Mod) (n int64) {
	for _, r := range m.handlers { // any order: a sum
		n += r.Errors
	}
	return n
}

func TestBudgetsAreExactAndRepeat(t *testing.T) {
	count := func() int64 {
		r := newRig(t)
		m := r.mod("a", `n = 0 function spin() while true do n = n + 1 end end`)
		_, err := r.call(m, "spin")
		require.ErrorContains(t, err, "mods/a/server/init.lua:1: the budget of 1000000 instructions is used up")
		return int64(m.Global("n").(lua.LNumber))
	}
	first := count()
	assert.Equal(t, first, count())
	assert.Greater(t, first, int64(150_000))
}

// TestElapsedTimeEndsNothing checks that a callback runs to its end, however late the wall clock
// says it is. Only the work that follows is postponed.
func TestElapsedTimeEndsNothing(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `done = 0 function work() for i = 1, 100000 do end done = done + 1 end`)
	r.perAsk = 500 * time.Millisecond
	r.LimitsVar().Ticking = 600_000
	for n := range 5 {
		require.True(t, r.dispatch(m, "work"))
		assert.Equal(t, lua.LNumber(n+1), m.Global("done"))
		assert.True(t, r.Busy())
	}
	assert.Greater(t, m.Usage.Time, 20*time.Millisecond)
	r.BeginTick()
	assert.False(t, r.Busy())
	assert.Zero(t, r.pinned)
}

// TestLateTicksDoAnEighth checks that elapsed time postpones nothing before a tick has used an
// eighth of its instructions.
func TestLateTicksDoAnEighth(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function work() for i = 1, 10000 do end end`)
	r.perAsk = 500 * time.Millisecond
	for n := 0; !r.Busy(); n++ {
		require.Less(t, n, 26)
		require.True(t, r.dispatch(m, "work"))
	}
	assert.Greater(t, r.meter.tickCount, r.Limits().Ticking/8)
}

// TestSlowInstructionsCountAsSeveral checks that CPU time beyond 32 ns for an instruction is
// charged as instructions.
func TestSlowInstructionsCountAsSeveral(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `n = 0 function spin() while true do n = n + 1 end end`)
	r.perAsk, r.perCPU = maxInterval, time.Millisecond // 31,250 instructions for each check
	_, err := r.call(m, "spin")
	require.ErrorContains(t, err, "the budget of 1000000 instructions is used up")
	assert.Less(t, float64(m.Global("n").(lua.LNumber)), 40.0*maxStep)
	assert.Zero(t, r.pinned, "the thread is released")

	r.BeginTick()
	r.perCPU = 0 // the machine was busy with another process
	_, err = r.call(m, "spin")
	require.ErrorContains(t, err, "the budget of 1000000 instructions is used up")
	assert.Greater(t, float64(m.Global("n").(lua.LNumber)), 150_000.0)
}

// TestShortEntriesAreNotPinned checks that an entry is pinned only after pinAfter.
func TestShortEntriesAreNotPinned(t *testing.T) {
	r := newRig(t)
	pinned := -1
	r.Install(Lib{"Test", []Func{{"look", "", Both, "", func(Args) int { pinned = r.pinned; return 0 }}}})
	m := r.mod("a", `function f(n) for i = 1, n do end look() end`)
	r.perAsk = 100 * time.Microsecond
	_, err := r.call(m, "f", lua.LNumber(1000))
	require.NoError(t, err)
	assert.Equal(t, 0, pinned)
	_, err = r.call(m, "f", lua.LNumber(20_000))
	require.NoError(t, err)
	assert.Equal(t, 1, pinned)
	assert.Zero(t, r.pinned)
}

func TestCPUTimeIsTheLastResort(t *testing.T) {
	r := newRig(t, func(c *Config) { c.Limits.Callback = Limit{unlimited / 2, DefaultLimits.Callback.Time, 0} })
	m := r.mod("a", `function spin() while true do end end`)
	r.perAsk, r.perCPU = maxInterval, time.Millisecond
	before := r.cpu
	_, err := r.call(m, "spin")
	require.ErrorContains(t, err, "the budget of 640ms is used up")
	assert.InDelta(t, 640, float64((r.cpu-before)/time.Millisecond), 3)
	assert.Zero(t, r.pinned)
}

// TestTicksHaveInstructions checks that a mod can begin no callback when the instructions of the
// tick are used up, and that a callback that has begun keeps its budget.
func TestTicksHaveInstructions(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function spin() while true do end end function quick() return 1 end function most() for i = 1, 900000 do end end`)
	for range 2 {
		_, err := r.call(m, "most")
		require.NoError(t, err)
	}
	_, err := r.call(m, "spin")
	require.ErrorContains(t, err, "the budget of 1000000 instructions is used up", "not of the 200,000 that are left")
	_, err = r.call(m, "quick")
	require.ErrorIs(t, err, ErrTick)
	r.BeginTick()
	out, err := r.call(m, "quick")
	require.NoError(t, err)
	assert.Equal(t, "1", show(out))
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

// TestCalleesHaveNoMoreThanTheirCaller checks that a call with a limit of its own ends with the
// budget of its caller, if that is less.
func TestCalleesHaveNoMoreThanTheirCaller(t *testing.T) {
	r := newRig(t)
	r.Install(bridge)
	a := r.mod("a", `function main() small("b", "f") end`) // 1,000 instructions
	r.mod("b", `function f() while true do end end`)
	before := r.meter.n
	_, err := r.EnterWith(Limit{Instructions: 500}, a, a.Global("main").(*lua.LFunction))
	assert.ErrorContains(t, err, "the budget of 500 instructions is used up")
	assert.LessOrEqual(t, r.meter.n-before, int64(600))
}

// TestMemoryOfTheProcessIsLimited checks that scripts end when the process has too much memory,
// although the callback has room left.
func TestMemoryOfTheProcessIsLimited(t *testing.T) {
	r := newRig(t)
	r.Install(Lib{"Test", []Func{{"grow", "", Both, "", func(a Args) int { r.heap += 1 << 20; return 0 }}}})
	r.LimitsVar().Heap = r.heap + 8<<20
	m := r.mod("a", `function leak() for i = 1, 16 do grow() for k = 1, 100000 do end end end`)
	require.False(t, r.dispatch(m, "leak"))
	require.Len(t, r.faults, 1)
	assert.Equal(t, Heap, r.faults[0].Resource)
	assert.Contains(t, r.faults[0].Text, "the memory budget of 8 MiB is used up")
}

// TestGarbageIsNoMemoryInUse checks that garbage ends no script although the process has too much
// memory with it: a collection is requested, once a second. The memory that it finds in use counts.
func TestGarbageIsNoMemoryInUse(t *testing.T) {
	live, asked := uint64(0), 0
	r := newRig(t, func(c *Config) {
		c.Live, c.Collect = func() uint64 { return live }, func() { asked++ }
	})
	r.Install(Lib{"Test", []Func{
		{"grow", "", Both, "", func(a Args) int { r.heap += 1 << 20; return 0 }},
		{"fits", "", Both, "", func(a Args) int { return a.Return(lua.LBool(r.FitsHeap(1 << 20))) }},
	}})
	r.LimitsVar().Heap = 8 << 20
	m := r.mod("a", `function leak() for i = 1, 8 do grow() grow() for k = 1, 100000 do end end return fits() end`)
	out, err := r.call(m, "leak")
	require.NoError(t, err)
	assert.Equal(t, "true", show(out))
	assert.Equal(t, 1, asked)
	r.wall += time.Second
	live = 7<<20 + 1
	r.BeginTick()
	out, err = r.call(m, "leak")
	require.NoError(t, err)
	assert.Equal(t, "false", show(out), "less than a megabyte is left")
	assert.Equal(t, 2, asked)
	live = 8<<20 + 1
	r.BeginTick()
	require.False(t, r.dispatch(m, "leak"))
	require.Len(t, r.faults, 1)
	assert.Contains(t, r.faults[0].Text, "the memory budget of 8 MiB is used up")
	assert.Equal(t, "it exceeded its memory budget in leak", m.Suspended())
	assert.Equal(t, 2, asked, "there is no garbage to wait for")
}

// TestPeersHaveAShareOfATick checks that a peer that has used more than its share waits until the
// next ticks have paid for it, and others do not.
func TestPeersHaveAShareOfATick(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function work() for i = 1, 30000 do end end`)
	defer r.SetPeer(r.SetPeer(1))
	r.BeginTick()
	for n := 0; !r.OverShare(1); n++ {
		require.Less(t, n, 100)
		require.True(t, r.dispatch(m, "work"))
	}
	for range 3 {
		require.True(t, r.dispatch(m, "work"))
	}
	assert.False(t, r.OverShare(2))
	debt, share, ticks := r.accounts[1].debt, r.Limits().PeerShare(), 0
	require.Greater(t, debt, share)
	for ; r.OverShare(1); ticks++ {
		require.Less(t, ticks, 100)
		r.BeginTick()
	}
	assert.Equal(t, int(debt/share), ticks)
}
