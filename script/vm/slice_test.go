package vm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
)

// A slicer runs a function of a mod as a sliced coroutine, one slice in each root entry.
type slicer struct {
	*Sliced
	r      *rig
	m      *Mod
	resume *lua.LFunction
	length int64 // instructions of a slice; 0: the usual number
	out    []lua.LValue
	stops  []string // the places of its stops
}

func (r *rig) slicer(m *Mod, fn *lua.LFunction) *slicer {
	t := &slicer{Sliced: &Sliced{Thread: m.State.NewCoroutine(fn), state: m.State}, r: r, m: m}
	t.resume = m.State.Lua().NewFunction(func(l *lua.LState) int {
		l.Insert(t.Thread, 1)
		limit := &r.LimitsVar().Callback
		before := *limit
		if t.length > 0 {
			limit.Instructions = 4 * t.length
		}
		defer func() { *limit = before }()
		n := t.Sliced.Resume(l)
		if n > 0 && lua.LVIsFalse(l.Get(-n)) {
			v := l.Get(-1)
			m.State.CarryTraceback()
			l.Error(v, 0)
		}
		return max(0, n-1)
	})
	return t
}

// slice runs the coroutine until it stops, yields or ends.
func (t *slicer) slice(args ...lua.LValue) (err error) {
	t.r.BeginTick()
	t.out, err = t.r.Enter(t.m, t.resume, args...)
	if t.Stopped {
		t.stops = append(t.stops, strings.TrimSuffix(CallerPosition(t.Thread, 0), ": "))
	}
	return err
}

// finish runs the coroutine until it yields or ends.
func (t *slicer) finish(args ...lua.LValue) error {
	err := t.slice(args...)
	for err == nil && t.Stopped {
		err = t.slice()
	}
	return err
}

// sliced makes a slicer of a source.
func (r *rig) sliced(m *Mod, source string) *slicer {
	fn, err := m.Compile("mods/x/init.lua", source, false)
	require.NoError(r.t, err)
	return r.slicer(m, fn)
}

// TestStopsChangeNoResult checks that programs do the same with a stop before each of their
// instructions that can have one: loops, closures, metamethods, errors, variable arguments.
func TestStopsChangeNoResult(t *testing.T) {
	stops := 0
	for seed := range testenv.Seeds(t, 1, 20) {
		d := &drawer{rand.New(rand.NewPCG(seed, 97))}
		for i := range testenv.Length(30, 300) {
			source := d.flow()
			if i%2 > 0 {
				source = d.closures()
			}
			source = strings.Replace(source, "local ok = pcall(main, 3, nil, 8, false)", "local ok = true main(3, nil, 8, false)", 1)
			want := newRig(t).run(source)
			r := newRig(t)
			s := r.sliced(r.NewMod("x", nil), source)
			s.length = 1 + int64(i%5)*int64(i%7)
			err := s.finish()
			got := show(s.out)
			if err != nil {
				got = "error: " + err.Error()
			}
			require.Equal(t, want, got, "seed %d, slices of %d\n%s", seed, s.length, source)
			stops += len(s.stops)
		}
	}
	assert.Greater(t, stops, 1000)
}

// TestStopsAreExact checks that a coroutine stops at the same instructions on machines of any
// speed, and that its own count is that of a run in one piece.
func TestStopsAreExact(t *testing.T) {
	const source = `local n = 0 for i = 1, 100000 do n = n + i % 7 end`
	used := map[int64]bool{}
	for _, length := range []int64{97, 1000, 10_007} {
		r := newRig(t)
		s := r.sliced(r.NewMod("x", nil), source)
		s.length = length
		require.NoError(t, s.finish())
		used[s.Used] = true
		assert.Len(t, s.stops, int(s.Used/length))
	}
	assert.Len(t, used, 1, "the count of stops does not change that of the instructions")
	for _, slow := range []time.Duration{0, 100 * time.Microsecond} {
		r := newRig(t)
		r.perAsk, r.perCPU = slow, slow/10
		s := r.sliced(r.NewMod("x", nil), source)
		require.NoError(t, s.slice())
		for s.Stopped {
			assert.Equal(t, int64(250_000), s.Last)
			require.NoError(t, s.slice())
		}
		assert.True(t, used[s.Used])
		assert.Len(t, s.stops, int(s.Used/250_000))
	}
}

// TestAThreadHasABudget checks that an endless loop ends after Limits.Thread instructions, in
// whatever place, and that no pcall catches the error.
func TestAThreadHasABudget(t *testing.T) {
	for _, source := range []string{
		"while true do end", "pcall(function() while true do end end)", "for i = 1, 20 do pcall(step) end while true do pcall(step) end",
		"local function f() return f() end f()", "repeat local x = {} until x[1]", "::a:: goto a", "while true do work(1000) end",
	} {
		place := "mods/x/init.lua:1"
		if strings.HasSuffix(source, "pcall(step) end") {
			place = "mods/x/server/init.lua:1"
		}
		r := newRig(t)
		r.LimitsVar().Thread = 700_000
		r.Install(piecewise(nil))
		m := r.mod("x", "function step() for i = 1, 100 do end end")
		s := r.sliced(m, source)
		err := s.finish()
		require.ErrorContains(t, err, place+": the budget of 700000 instructions is used up", source)
		assert.True(t, err.(*Error).Spent.Root, source)
		assert.InDelta(t, 700_001, s.Used, 1001, source)
		assert.Contains(t, err.(*Error).Traceback, "mods/x/init.lua:1 in the file", source)
	}
}

// TestYieldsGiveTheBudgetAgain checks that the budget counts from the last yield.
func TestYieldsGiveTheBudgetAgain(t *testing.T) {
	r := newRig(t)
	r.LimitsVar().Thread = 700_000
	s := r.sliced(r.NewMod("x", nil), "for i = 1, 5 do for i = 1, 400000 do end coroutine.yield() end")
	for range 5 {
		require.NoError(t, s.finish())
	}
	require.NoError(t, s.finish())
	assert.True(t, s.Thread.Dead)
}

// TestNoStopWhereLuaCannotYield checks that a coroutine does not stop inside a call of Go or of the
// VM: the budget of a callback ends it there. It stops right after such a call.
func TestNoStopWhereLuaCannotYield(t *testing.T) {
	const work = "local function work(n) for i = 1, n do end return 1 end "
	for name, part := range map[string]string{
		"pcall":      "pcall(work, N)",
		"sort":       "table.sort({2, 1}, function(a, b) work(N) return a < b end)",
		"gsub":       "('x'):gsub('x', function() work(N) end)",
		"metamethod": "local x = setmetatable({}, {__index = function(o, k) return work(N) end}).x",
		"operator":   "local x = setmetatable({}, {__add = function(o, k) return work(N) end}) + 1",
		"concat":     "local x = setmetatable({}, {__concat = function(o, k) return work(N) end}) .. 'x'",
		"iterator":   "for _ in function(s, i) if not i then return work(N) end end do end",
		"coroutine":  "coroutine.wrap(function() work(N) end)()",
		"other mod":  "call('door', 'work', N)",
	} {
		t.Run(name, func(t *testing.T) {
			for n, fails := range map[int]bool{40_000: false, 110_000: true} {
				r := newRig(t)
				r.LimitsVar().Callback.Instructions = 100_000
				r.Install(bridge)
				r.mod("door", work+"_G.work = work")
				m := r.NewMod("x", nil)
				s := r.sliced(m, work+strings.ReplaceAll(part, "N", fmt.Sprint(n))+" return 'done'")
				err := s.finish()
				if fails {
					require.ErrorContains(t, err, "the budget of 100000 instructions is used up")
					assert.Empty(t, s.stops)
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, "done", show(s.out))
				assert.LessOrEqual(t, len(s.stops), 1)
				assert.Zero(t, r.guards)
				assert.Zero(t, r.Depth())
			}
		})
	}
}

// TestAStopComesSoonAfterACallThatHasNone checks that a loop cannot hide for ever in calls without
// stops.
func TestAStopComesSoonAfterACallThatHasNone(t *testing.T) {
	for n := 0; n < 70; n += 5 {
		r := newRig(t)
		s := r.sliced(r.NewMod("x", nil), fmt.Sprintf("local function f() for i = 1, %d do end end while true do pcall(f) end", n))
		require.NoError(t, s.slice())
		require.True(t, s.Stopped, n)
		assert.Less(t, s.Last, int64(350_000), n)
	}
}

// TestAStoppedCoroutineIsOneToLua checks what Lua sees of a coroutine that has stopped: its status,
// a resume by others, its place, its traceback and its variables.
func TestAStoppedCoroutineIsOneToLua(t *testing.T) {
	r := newRig(t)
	m := r.mod("x", "function count() n = (n or 0) + 1 end")
	s := r.sliced(m, `
		local function deep(x)
			local up = x
			function read() return up end
			for i = 1, 200000 do
				up = up + 1
			end
			error("late")
		end
		thread = coroutine.running()
		deep(1)
		return 1`)
	require.NoError(t, s.slice())
	require.True(t, s.Stopped)
	assert.Equal(t, "suspended", r.runIn(m, "return coroutine.status(thread)"))
	assert.Equal(t, "false cannot resume a thread of spawn that has stopped until the next tick", r.runIn(m, "return coroutine.resume(thread, 5)"))
	assert.Regexp(t, "^mods/x/init.lua:[56]$", s.stops[0])
	assert.Regexp(t, "^12[0-9]{4}$", r.runIn(m, "return read()"), "the variable is shared with the stopped call")
	err := s.finish()
	require.ErrorContains(t, err, "mods/x/init.lua:8: late")
	assert.Contains(t, err.(*Error).Traceback, "mods/x/init.lua:8 in deep\n\tmods/x/init.lua:11 in the file")
	assert.Equal(t, "200001", r.runIn(m, "return read()"))
	assert.True(t, s.Thread.Dead)
}

// TestTheDebuggerStandsStillInASlice checks that an entry of a debugger, in the middle of a slice,
// neither stops nor counts.
func TestTheDebuggerStandsStillInASlice(t *testing.T) {
	r := newRig(t)
	m := r.NewMod("x", nil)
	r.Install(Lib{"Test", []Func{{"aside", "", Both, "Runs Lua aside.", func(a Args) int {
		r.Aside(func() { assert.Equal(t, "300000", r.runIn(m, "local n = 0 for i = 1, 300000 do n = i end return n")) })
		return 0
	}}}})
	s := r.sliced(m, "aside() for i = 1, 100000 do end aside() return 5")
	require.NoError(t, s.finish())
	assert.Equal(t, "5", show(s.out))
	assert.Empty(t, s.stops)
	assert.Less(t, s.Used, int64(110_000))
}

// piecewise has a row that works n times 1,000 instructions in pieces, and notes each.
func piecewise(note func(piece int)) Lib {
	return Lib{"Pieces", []Func{{"work", "n: integer -> integer, string", Both, "Works.", func(a Args) int {
		i, n := 0, a.Int(1)
		return a.InPieces(func() bool {
			i++
			if a.Mod.State.Book(1000); note != nil {
				note(i)
			}
			return i >= n
		}, func(l *lua.LState) int {
			l.Push(lua.LNumber(i))
			l.Push(lua.LString("worked"))
			return 2
		})
	}}}}
}

// TestRowsWorkInPieces checks that a row of Go stops between two pieces in a sliced coroutine, and
// that its caller gets the results. Elsewhere it does all at once.
func TestRowsWorkInPieces(t *testing.T) {
	r := newRig(t)
	pieces := 0
	r.Install(piecewise(func(i int) { pieces = i }))
	m := r.NewMod("x", nil)
	s := r.sliced(m, "local function f() return work(600) end local a, b = f() local c = 1 + (work(2)) return a, b, c, pcall(work, 3)")
	require.NoError(t, s.slice())
	assert.Equal(t, 250, pieces)
	assert.True(t, s.Stopped)
	assert.Equal(t, []string{"mods/x/init.lua:1"}, s.stops)
	require.NoError(t, s.slice())
	assert.Equal(t, 500, pieces)
	require.NoError(t, s.slice())
	assert.False(t, s.Stopped)
	assert.Equal(t, "600 worked 3 true 3 worked", show(s.out))

	assert.Equal(t, "500 worked", r.runIn(m, "return work(500)"))
	fn, err := m.Compile("mods/x/init.lua", "\nwork(2000)", false)
	require.NoError(t, err)
	_, err = r.Enter(m, fn)
	assert.ErrorContains(t, err, "mods/x/init.lua:2: the budget of 1000000 instructions is used up")
	assert.Less(t, pieces, 1002)
	r.BeginTick()
	require.NoError(t, r.sliced(m, "pcall(work, 400)").finish(), "inside a pcall it does all at once")
}

// BenchmarkStop measures a stop and the resume after it.
func BenchmarkStop(b *testing.B) {
	h := benchHost()
	m := h.NewMod("a", nil)
	fn := function(b, m, "function() while true do end end")
	t := &Sliced{Thread: m.State.NewCoroutine(fn), state: m.State}
	resume := m.State.Lua().NewFunction(func(l *lua.LState) int {
		l.Insert(t.Thread, 1)
		t.Used = 0
		return t.Resume(l)
	})
	h.LimitsVar().Callback.Instructions = 400 // so a slice has 100
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%1000 == 0 {
			h.BeginTick()
		}
		if _, err := h.Enter(m, resume); err != nil || !t.Stopped {
			b.Fatal(err, t.Stopped)
		}
	}
}
