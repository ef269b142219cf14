package debug

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

const program = `
local total = 0                      -- 1
local function add(n)                -- 2
  total = total + n                  -- 3
  return total                       -- 4
end                                  -- 5
function sum(list)                   -- 6
  local count = 0                    -- 7
  for i, n in ipairs(list or { 5, 6, 7 }) do -- 8
    count = i                        -- 9
    add(n) add(n)                    -- 10
  end                                -- 11
  note(count)                        -- 12
end                                  -- 13
function again() return sum() end    -- 14
`

// at is a plain breakpoint.
func at(line int) dap.SourceBreakpoint { return dap.SourceBreakpoint{Line: line} }

func TestBreakpoint(t *testing.T) {
	r := debug(t, program)
	for _, b := range r.breakAt(at(9)) {
		assert.True(t, b.Verified)
		assert.Equal(t, 9, b.Line)
	}
	r.plans = []func(){func() {
		assert.Equal(t, "the function of line 6:9", r.stack())
		assert.Equal(t, "list=nil count=0 i=1 n=5", r.scope(1, "Locals"))
		assert.Equal(t, "add=function mods/m/server/init.lua:2", r.scope(1, "Upvalues"))
		assert.Equal(t, "again=function mods/m/server/init.lua:14 sum=function mods/m/server/init.lua:6", r.scope(1, "Globals"))
		r.ask("continue", nil)
	}}
	r.goes("continue", "continue")
	r.run("sum")
	assert.Equal(t, "breakpoint 9, breakpoint 9, breakpoint 9", r.stops())
	assert.Equal(t, []string{"3"}, r.printed)
}

func TestBreakpointInACalledFunction(t *testing.T) {
	r := debug(t, program)
	r.breakAt(at(3))
	r.plans = []func(){func() {
		assert.Equal(t, "add:3 the function of line 6:10", r.stack())
		assert.Equal(t, "n=5", r.scope(1, "Locals"))
		assert.Equal(t, "total=0", r.scope(1, "Upvalues"))
		assert.Equal(t, "list=nil count=1 i=1 n=5", r.scope(2, "Locals"))
	}}
	r.run("sum")
	assert.Equal(t, 6, strings.Count(r.stops(), "breakpoint"))
}

// TestLineOfCallsStopsOnce checks that a breakpoint stops once in a line with two calls.
func TestLineOfCallsStopsOnce(t *testing.T) {
	r := debug(t, program)
	r.breakAt(at(10))
	r.goes("continue", "continue", "continue")
	r.run("sum")
	assert.Equal(t, "breakpoint 10, breakpoint 10, breakpoint 10", r.stops())
}

func TestBreakpointMovesToCode(t *testing.T) {
	r := debug(t, "function f()\n\n  -- nothing\n  note(1)\nend")
	set := r.breakAt(at(2), at(9), dap.SourceBreakpoint{Line: 4, HitCondition: "x"})
	assert.Equal(t, 4, set[0].Line)
	assert.Equal(t, []bool{true, false, false}, []bool{set[0].Verified, set[1].Verified, set[2].Verified})
	assert.Equal(t, "no code from this line on", set[1].Message)
	assert.Equal(t, `hit count "x": must be a number as in 5, > 5 or % 5`, set[2].Message)
	r.goes("continue")
	r.run("f")
	assert.Equal(t, "breakpoint 4", r.stops())
	r.breakAt()
	r.run("f")
	assert.Empty(t, r.stops())
}

func TestBreakpointOfAChangedFile(t *testing.T) {
	r := debug(t, "function f() note(1) end")
	r.files["server/init.lua"].Data = []byte("-- new\nfunction f() note(1) end")
	assert.Equal(t, "the file has changed since the mod loaded it: reload the mod", r.breakAt(at(1))[0].Message)
	a := r.ask("setBreakpoints", dap.SetBreakpointsArguments{Source: dap.Source{Path: `C:\mods\other\server\init.lua`}})
	assert.Equal(t, `C:\mods\other\server\init.lua is not a file of the mod m`, a.(*dap.ErrorResponse).Message)
}

func TestConditions(t *testing.T) {
	for _, c := range []struct {
		condition, hit string
		want           int
	}{
		{"n == 6", "", 1}, {"n > 5 and count == i", "", 2}, {"false", "", 0}, {"nothing.x", "", 3},
		{"", "2", 2}, {"", "= 2", 1}, {"", "% 2", 1}, {"", "> 2", 1}, {"", "<= 2", 2}, {"n > 5", "2", 1},
	} {
		r := debug(t, program)
		r.breakAt(dap.SourceBreakpoint{Line: 10, Condition: c.condition, HitCondition: c.hit})
		r.run("sum")
		assert.Equal(t, c.want, strings.Count(r.stops(), "breakpoint"), "%+v", c)
	}
}

func TestLogPoint(t *testing.T) {
	r := debug(t, program)
	r.breakAt(dap.SourceBreakpoint{Line: 10, LogMessage: "number {i} is {n}, {x.y}", Condition: "n == 6"})
	r.run("sum")
	said := r.outputs()
	require.Len(t, said, 1)
	assert.Contains(t, said[0], "number 2 is 6, <debug:1: attempt to index")
	assert.Empty(t, r.stops())
}

const loop = "function f(last)\n  for i = 1, last do\n    note(i)\n  end\nend"

// TestConditionsEndInAStop checks that a condition in a long loop cannot delay the server without a
// stop.
func TestConditionsEndInAStop(t *testing.T) {
	r := debug(t, loop)
	r.breakAt(dap.SourceBreakpoint{Line: 3, Condition: "i < 0"})
	r.run("f", lua.LNumber(maxConditions))
	r.run("f", lua.LNumber(maxConditions))
	assert.Empty(t, r.stops(), "each entry has its own count")
	r.plans = []func(){func() {
		assert.Equal(t, fmt.Sprint(maxConditions+1), r.eval(1, "i"))
		r.ask("continue", nil)
	}}
	r.run("f", lua.LNumber(2*maxConditions))
	require.Len(t, r.outputs(), 1)
	assert.Contains(t, r.outputs()[0], "stopped in line 3: this handler has checked 10000 conditions")
	assert.Equal(t, "breakpoint", r.stops())
}

// TestConditionIsCompiledOnce checks that a condition keeps its function, but not over a reload.
func TestConditionIsCompiledOnce(t *testing.T) {
	r := debug(t, loop)
	r.breakAt(dap.SourceBreakpoint{Line: 3, Condition: "i == 2"})
	b := r.session.files["server/init.lua"].breakpoints[3]
	r.run("f", lua.LNumber(1))
	fn := b.condition.fn
	require.NotNil(t, fn)
	r.run("f", lua.LNumber(2))
	assert.Same(t, fn, b.condition.fn)
	r.runtime.Remove(r.mod)
	r.mod = r.runtime.NewMod("m", r.files)
	require.NoError(t, r.mod.RunFile("server/init.lua"))
	r.run("f", lua.LNumber(2))
	assert.NotSame(t, fn, b.condition.fn)
	assert.Equal(t, "breakpoint, breakpoint", r.stops())
}

func TestLogPointsOfATickAreLimited(t *testing.T) {
	r := debug(t, loop)
	r.breakAt(dap.SourceBreakpoint{Line: 3, LogMessage: "{i}"})
	r.run("f", lua.LNumber(maxMessages-1))
	r.run("f", lua.LNumber(8))
	assert.Len(t, r.outputs(), maxMessages)
	r.now += 32 * time.Millisecond
	r.run("f", lua.LNumber(1))
	assert.Equal(t, []string{"7 messages left out: a tick has at most 100\n", "1\n"}, r.outputs()[maxMessages:])
}

// TestLongKeys checks that a long key is cut, in its name and in the paths below it.
func TestLongKeys(t *testing.T) {
	r := debug(t, "function f()\n  local t = { [('k'):rep(301)] = { 1 }, [('k'):rep(300)] = 1 }\n  note(t)\nend")
	r.breakAt(at(3))
	r.plans = []func(){func() {
		locals := r.ask("scopes", dap.ScopesArguments{FrameId: 1}).(*dap.ScopesResponse).Body.Scopes[0]
		vars := r.variables(r.variables(locals.VariablesReference)[0].VariablesReference)
		require.Len(t, vars, 2)
		short, long := vars[0], vars[1]
		assert.Equal(t, "t."+strings.Repeat("k", maxText), short.EvaluateName)
		assert.Equal(t, `["`+strings.Repeat("k", maxText)+`"…]`, long.Name)
		assert.Empty(t, long.EvaluateName)
		assert.Empty(t, r.variables(long.VariablesReference)[0].EvaluateName)
	}}
	r.run("f")
}

func TestSteps(t *testing.T) {
	for _, c := range []struct{ at, goes, want string }{
		{"over", "next next next continue", "breakpoint 9, step 10, step 8, step 9"},
		{"in", "next stepIn stepIn next next continue", "breakpoint 9, step 10, step 3, step 4, step 10, step 8"},
		{"out", "next stepIn stepOut continue", "breakpoint 9, step 10, step 3, step 10"},
	} {
		r := debug(t, program)
		r.breakAt(dap.SourceBreakpoint{Line: 9, HitCondition: "= 1"})
		r.goes(strings.Fields(c.goes)...)
		r.run("sum")
		assert.Equal(t, c.want, r.stops(), c.at)
	}
}

// TestStepEndsWithItsHandler checks that a step out of a handler does not stop in the next one.
func TestStepEndsWithItsHandler(t *testing.T) {
	r := debug(t, program)
	r.breakAt(dap.SourceBreakpoint{Line: 12, HitCondition: "= 1"})
	r.goes("next", "next")
	r.run("sum")
	r.run("sum")
	assert.Equal(t, "breakpoint 12, step 13", r.stops())
}

func TestCoroutines(t *testing.T) {
	r := debug(t, `
local co = coroutine.create(function(a)
  local b = coroutine.yield(a)
  note(a + b)
end)
function start()
  coroutine.resume(co, 1)
  note "started"
end
function finish()
  local ok = coroutine.resume(co, 2)
  note(ok)
end`)
	r.breakAt(at(2))
	r.plans = []func(){func() {
		assert.Equal(t, "f:2 the function of line 5:6", r.stack())
		r.ask("next", nil)
	}}
	r.goes("continue")
	r.run("start")
	assert.Equal(t, "breakpoint, step 7", strings.Replace(r.stops(), "breakpoint 2", "breakpoint", 1))
	r.breakAt(at(3))
	r.plans = []func(){func() {
		assert.Equal(t, "a=1 b=2", r.scope(1, "Locals"))
		assert.Equal(t, "f:3 the function of line 9:10", r.stack())
		r.ask("stepOut", nil)
	}}
	r.goes("continue")
	r.run("finish")
	assert.Equal(t, "breakpoint, step 11", strings.Replace(r.stops(), "breakpoint 3", "breakpoint", 1))
	assert.Equal(t, []string{"started", "3", "true"}, r.printed)
}

// TestLinesOfAStoppedThread checks that a thread comes to each of its lines as often as if it did
// not stop in the middle.
func TestLinesOfAStoppedThread(t *testing.T) {
	r := load(t, "function f()\n  for i = 1, 300 do\n    note(i)\n  end\nend")
	var thread *vm.Sliced
	r.runtime.Install(vm.Lib{Name: "Slices", Funcs: []vm.Func{
		{Name: "begin", Params: "fn: function", Realm: vm.Both, Doc: "Makes a thread.", Fn: func(a vm.Args) int { thread = a.NewSliced(a.Function(1)); return 0 }},
		{Name: "go", Realm: vm.Both, Doc: "Runs a slice of it.", Fn: func(a vm.Args) int { a.L.Insert(thread.Thread, 1); return thread.Resume(a.L) }},
	}})
	r.attach()
	_, err := r.runtime.Enter(r.mod, r.mod.Global("begin").(*lua.LFunction), r.mod.Global("f"))
	require.NoError(t, err)
	r.breakAt(dap.SourceBreakpoint{Line: 3, LogMessage: "{i}"})
	resume := r.mod.Global("go").(*lua.LFunction)
	for slices := 0; !thread.Thread.Dead; slices++ {
		require.Less(t, slices, 2000)
		r.now += time.Millisecond
		limit := &r.runtime.LimitsVar().Callback
		limit.Instructions = 120 + int64(slices%7) // a slice has a quarter
		_, err := r.runtime.EnterCallback("f", r.mod, resume, nil)
		require.NoError(t, err)
	}
	assert.Len(t, r.printed, 300)
	assert.Len(t, r.outputs(), 300)
}

// TestStepOverPcall checks that a step over a protected call does not stop inside it.
func TestStepOverPcall(t *testing.T) {
	r := debug(t, "function f()\n  pcall(function()\n    note(1)\n    error 'x'\n  end)\n  note(2)\nend")
	r.breakAt(at(2))
	r.goes("next", "continue")
	r.run("f")
	assert.Equal(t, "breakpoint 2, step 6", r.stops())
}

func TestErrors(t *testing.T) {
	source := `
local function bad(t) return t.x end   -- 1
function caught() pcall(bad) end       -- 2
function loose() bad() end             -- 3
function resumed() coroutine.resume(coroutine.create(bad)) end -- 4
function wrapped() coroutine.wrap(bad)() end -- 5
function spent() while true do end end -- 6
`
	for _, c := range []struct{ filter, call, want string }{
		{"uncaught", "caught", ""}, {"uncaught", "loose", "exception 1"}, {"uncaught", "resumed", ""},
		{"uncaught", "wrapped", "exception 1"}, {"uncaught", "spent", "exception 6"},
		{"all", "caught", "exception 1"}, {"all", "resumed", "exception 1"}, {"all", "loose", "exception 1"},
	} {
		r := debug(t, source)
		r.ask("setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{Filters: []string{c.filter}})
		r.plans = []func(){func() {
			r.ask("stackTrace", nil)
			if c.call != "spent" {
				assert.Equal(t, "t=nil", r.scope(1, "Locals"))
				assert.Equal(t, "nil", r.eval(1, "t"))
				info := r.ask("exceptionInfo", nil).(*dap.ExceptionInfoResponse)
				assert.Contains(t, info.Body.Description, "mods/m/server/init.lua:1: attempt to index")
			} else {
				assert.Equal(t, "3", r.eval(1, "1 + 2"), "a mod without a budget")
			}
			r.ask("continue", nil)
		}}
		_, err := r.call(c.call)
		assert.Equal(t, c.call == "loose" || c.call == "wrapped" || c.call == "spent", err != nil, c.call)
		assert.Equal(t, c.want, r.stops(), "%+v", c)
	}
}

func TestPause(t *testing.T) {
	r := debug(t, program)
	r.ask("pause", nil)
	r.goes("continue")
	r.run("sum")
	assert.Equal(t, "pause 7", r.stops())
	assert.Equal(t, errRunning.Error(), r.ask("stackTrace", nil).(*dap.ErrorResponse).Message)
	assert.Equal(t, errRunning.Error(), r.ask("continue", nil).(*dap.ErrorResponse).Message)
}

func TestEvaluate(t *testing.T) {
	r := debug(t, program)
	r.breakAt(dap.SourceBreakpoint{Line: 10, HitCondition: "= 1"})
	r.plans = []func(){func() {
		for _, c := range []struct{ expression, want string }{
			{"n", "5"}, {"n + count", "6"}, {"list", "nil"}, {"add", "function mods/m/server/init.lua:2"}, {"nothing", "nil"},
			{"n, 'a\\nb'", `5, "a\nb"`}, {"count = 40", ""}, {"count", "40"}, {"type(sum)", `"function"`},
			{"extra = { 1, b = 2 }", ""}, {"extra.b", "2"}, {"extra", "table (2)"}, {"add(100)", "100"},
			{"nothing.x", "error: debug:1: attempt to index global 'nothing' (a nil value)"},
			{"sum(", "error: debug:1: syntax error near <eof>"},
		} {
			got := r.eval(1, c.expression)
			if !strings.HasPrefix(c.want, "error") {
				assert.Equal(t, c.want, got, c.expression)
			} else {
				assert.Contains(t, got, "error: debug:1: ", c.expression)
			}
		}
		r.runtime.LimitsVar().Line.Instructions = 1_000_000 // of a hundred times that
		assert.Contains(t, r.eval(1, "(function() while true do end end)()"), "the budget of 1000000 instructions is used up")
		assert.Equal(t, "error: "+errFrame.Error(), r.eval(9, "n"))
	}}
	r.run("sum")
	assert.Equal(t, []string{"3"}, r.printed, "the next pass of the loop sets count")
	assert.Equal(t, "136", r.eval(0, "again and 136"), "without a frame, while the mod runs")
	assert.Equal(t, "error: "+errRunning.Error(), r.eval(1, "n"))
}

func TestTables(t *testing.T) {
	r := debug(t, `
function f()
  local t = setmetatable({ 10, 20, name = "x", ["a b"] = { deep = true }, [true] = 1 }, { __index = {} })
  local long = {}
  for i = 1, 700 do long[i] = i end
  note(t)
end`)
	r.breakAt(at(5))
	r.plans = []func(){func() {
		locals := r.ask("scopes", dap.ScopesArguments{FrameId: 1}).(*dap.ScopesResponse).Body.Scopes[0]
		vars := r.variables(locals.VariablesReference)
		require.Len(t, vars, 2)
		assert.Equal(t, `[1]=10 [2]=20 ["a b"]=table (1) name="x" [true]=1 (metatable)=table (1)`, r.expand(vars[0].VariablesReference))
		inner := r.variables(vars[0].VariablesReference)[2]
		assert.Equal(t, `t["a b"]`, inner.EvaluateName)
		assert.Equal(t, "deep=true", r.expand(inner.VariablesReference))
		long := r.variables(vars[1].VariablesReference)
		require.Len(t, long, maxVariables+1)
		assert.Equal(t, "200 more", long[maxVariables].Value)
		part := r.ask("variables", dap.VariablesArguments{VariablesReference: vars[1].VariablesReference, Start: 690, Count: 5}).(*dap.VariablesResponse)
		require.Len(t, part.Body.Variables, 5)
		assert.Equal(t, "691", part.Body.Variables[0].Value)
	}}
	r.run("f")
}

// TestNothingIsCharged checks that a stop costs the mod neither time nor instructions.
func TestNothingIsCharged(t *testing.T) {
	count := func(debugged bool) int64 {
		r := load(t, program)
		if debugged {
			r.attach()
			r.breakAt(at(10))
			r.plans = []func(){func() { r.eval(1, "(function() for i = 1, 1e5 do end end)()") }}
		}
		before := r.runtime.InstructionCount()
		r.run("sum")
		return r.runtime.InstructionCount() - before
	}
	assert.Equal(t, count(false), count(true))
}

// TestOtherModsAreNotFollowed checks that only threads of the debugged mod have a watch, and that
// the frames of other mods are on the stack.
func TestOtherModsAreNotFollowed(t *testing.T) {
	r := debug(t, program)
	other := r.runtime.NewMod("other", nil)
	fn, err := other.Compile("mods/other/server/init.lua", "function f()\n  call()\nend", true)
	require.NoError(t, err)
	_, err = r.runtime.Enter(other, fn)
	require.NoError(t, err)
	other.SetGlobal("call", other.State.Lua().NewFunction(func(l *lua.LState) int {
		_, watched := l.Context().(*watch)
		assert.False(t, watched)
		r.run("sum")
		return 0
	}))
	r.breakAt(dap.SourceBreakpoint{Line: 12})
	r.plans = []func(){func() {
		frames := r.ask("stackTrace", nil).(*dap.StackTraceResponse).Body.StackFrames
		require.Len(t, frames, 2)
		assert.Equal(t, "subtle", frames[1].PresentationHint)
		assert.Equal(t, 2, frames[1].Line)
		assert.Equal(t, "nil", r.eval(2, "count"))
		r.ask("next", nil)
	}}
	_, err = r.runtime.EnterCallback("f", other, other.Global("f").(*lua.LFunction), nil)
	require.NoError(t, err)
	assert.Equal(t, "breakpoint", strings.Fields(r.stops())[0])
}

func TestEndRemovesEverything(t *testing.T) {
	r := debug(t, program)
	r.breakAt(at(9))
	r.plans = []func(){func() { r.ask("disconnect", nil) }}
	r.run("sum")
	assert.True(t, r.session.Over())
	assert.Equal(t, "breakpoint", r.stops())
	r.run("sum")
	assert.Empty(t, r.stops())
	watched := true
	r.mod.SetGlobal("note", r.mod.State.Lua().NewFunction(func(l *lua.LState) int {
		_, watched = l.Context().(*watch)
		return 0
	}))
	r.run("sum")
	assert.False(t, watched, "the thread has the meter again")
	r.attach()
	r.breakAt(at(9))
	r.goes("continue")
	r.run("sum")
	assert.Contains(t, r.stops(), "breakpoint 9")
}

func TestReloadedModIsFollowed(t *testing.T) {
	r := debug(t, program)
	r.breakAt(at(12))
	r.runtime.Remove(r.mod)
	r.mod = r.runtime.NewMod("m", r.files)
	require.NoError(t, r.mod.RunFile("server/init.lua"))
	r.goes("continue")
	r.run("sum")
	assert.Equal(t, "breakpoint 12", r.stops())
}

func TestSources(t *testing.T) {
	r := debug(t, program)
	r.ask("setExceptionBreakpoints", dap.SetExceptionBreakpointsArguments{})
	r.ask("pause", nil)
	r.plans = []func(){func() {
		f := r.ask("stackTrace", nil).(*dap.StackTraceResponse).Body.StackFrames[0]
		assert.Equal(t, 1, f.Source.SourceReference, "of a mod on no disk")
		text := r.ask("source", dap.SourceArguments{SourceReference: 1}).(*dap.SourceResponse)
		assert.Equal(t, strings.TrimPrefix(program, "\n"), text.Body.Content)
		r.breakAt(at(12))
		f = r.ask("stackTrace", nil).(*dap.StackTraceResponse).Body.StackFrames[0]
		assert.Equal(t, "/home/ann/mods/m/server/init.lua", f.Source.Path, "as the editor named it")
	}}
	r.run("sum")
}

func TestRequestsThatTorcDoesNotHave(t *testing.T) {
	r := debug(t, program)
	assert.Equal(t, errRunning.Error(), r.ask("stepBack", map[string]int{"threadId": 1}).(*dap.ErrorResponse).Message)
	assert.Equal(t, "torc has no request dance", r.ask("dance", nil).(*dap.ErrorResponse).Message)
	assert.Error(t, r.session.Handle([]byte("{")))
	assert.NoError(t, r.session.Handle([]byte(`{"seq":1,"type":"event","event":"initialized"}`)))
	_, err := Attach(Config{Runtime: r.runtime, Mod: "none"})
	assert.EqualError(t, err, "the mod none is not loaded")
	var e *vm.Error
	assert.False(t, errors.As(err, &e))
}
