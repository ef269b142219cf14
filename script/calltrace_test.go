package script

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	_ "github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/vm"
)

// rig is a runtime with the mods ctf and base and a trace. The function ask of ctf calls base.
type rig struct {
	*vm.Runtime
	t         testing.TB
	trace     *callTrace
	ctf, base *vm.Mod
	now       time.Duration
	wall      time.Duration
	printed   []string
}

func newRig(t testing.TB) *rig {
	r := &rig{t: t}
	r.Runtime = vm.New(vm.Config{
		Side: vm.Server, Now: func() time.Duration { return r.now },
		Clock: func() time.Duration { return r.wall },
	})
	r.Install(vm.Lib{Name: "Test", Funcs: []vm.Func{
		{Name: "ask", Params: "...: any -> any", Fn: func(a vm.Args) int {
			r.wall += 1500 * time.Microsecond
			out, err := r.EnterCallback("answer", r.base, r.function(r.base, `return ... and (...) * 2`), []lua.LValue{a.Get(1)})
			if err != nil {
				a.Raise(err)
			}
			return a.Return(out...)
		}},
	}})
	r.ctf, r.base = r.NewMod("ctf", nil), r.NewMod("base", nil)
	r.trace = newTrace(r.Runtime, func(line string) { r.printed = append(r.printed, line) }, func(v any) string { return fmt.Sprint(v) })
	return r
}

func (r *rig) function(m *vm.Mod, source string) *lua.LFunction {
	fn, err := m.Compile("test.lua", source, false)
	require.NoError(r.t, err)
	return fn
}

func (r *rig) command(words string) string {
	c := r.trace.Command(func() []string { return []string{"base", "ctf"} })
	out, err := c.Run(strings.Fields(words))
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

// lines returns the output since the last call.
func (r *rig) lines() []string {
	lines := r.printed
	r.printed = nil
	return lines
}

func TestCallsInAndOut(t *testing.T) {
	r := newRig(t)
	call := r.function(r.ctf, `return "x", ask(21)`)
	for _, c := range []struct {
		mod  string
		want []string
	}{
		{"ctf", []string{
			`trace -> ctf onTick(7, {a = 1})`, `trace   -> ctf > base answer(21)`,
			`trace   <- ctf > base answer = 42 (6 steps)`, `trace <- ctf onTick = "x", 42 (16 steps, 1.50 ms)`}},
		{"base", []string{`trace   -> ctf > base answer(21)`, `trace   <- ctf > base answer = 42 (6 steps)`}},
	} {
		require.Empty(t, r.command("on "+c.mod))
		args := r.ctf.State.Lua().NewTable()
		args.RawSetString("a", lua.LNumber(1))
		_, err := r.EnterCallback("onTick", r.ctf, call, []lua.LValue{lua.LNumber(7), args})
		require.NoError(t, err)
		got := r.lines()
		assert.Equal(t, c.want, got)
		require.Empty(t, r.command("off "+c.mod))
	}
	_, _ = r.Enter(r.ctf, call)
	assert.Empty(t, r.lines(), "after trace off")
	assert.Nil(t, r.Tracer())
}

func TestErrorsAndLongValuesAreOneLine(t *testing.T) {
	r := newRig(t)
	r.command("on ctf")
	_, err := r.Enter(r.ctf, r.function(r.ctf, `error("a\n\27[31m" .. ("x"):rep(1e4))`), lua.LString(strings.Repeat("y", 1e5)), lua.LString("\x1b\n"))
	require.Error(t, err)
	got := r.lines()
	require.Len(t, got, 2)
	assert.Contains(t, got[1], `trace <- ctf a call: test.lua:1: a\n\x1b[31mxxx`)
	for _, line := range got {
		assert.Less(t, len(line), 500)
		assert.NotContains(t, line, "\n")
		assert.NotContains(t, line, "\x1b")
	}
}

// TestABusyModDoesNotFlood checks that a second of simulation time has at most 40 lines, and that
// the lines left out are counted.
func TestABusyModDoesNotFlood(t *testing.T) {
	r := newRig(t)
	r.command("on ctf")
	call := r.function(r.ctf, `return 1`)
	busy := func(n int) {
		for range n {
			_, err := r.Enter(r.ctf, call)
			require.NoError(t, err)
		}
	}
	r.now = time.Second
	r.BeginTick()
	busy(1000)
	assert.Len(t, r.lines(), 40)
	r.BeginTick()
	assert.Empty(t, r.lines(), "the same second")
	r.now += time.Second
	r.BeginTick()
	assert.Equal(t, []string{"trace: 1960 lines left out"}, r.lines())
	r.trace.Sent("ctf", "commandToClient", []lua.LValue{lua.LNumber(1)})
	r.trace.Sent("base", "commandToClient", nil)
	assert.Equal(t, []string{"trace ctf sends commandToClient(1)"}, r.lines())
	busy(30)
	assert.Len(t, r.lines(), 39)
	require.Empty(t, r.command("off"))
	assert.Equal(t, []string{"trace: 21 lines left out"}, r.lines())
}

func TestCommand(t *testing.T) {
	r := newRig(t)
	for _, c := range [][2]string{
		{"", "no mod is traced"}, {"on", "error: usage: trace [on MOD|off [MOD]]"}, {"on nothing", `error: mod "nothing" is not loaded (mods lists the loaded mods)`},
		{"off ctf", `error: mod "ctf" is not traced (trace lists the traced mods)`}, {"on ctf", ""}, {"on base", ""}, {"", "base\nctf"}, {"off ctf", ""}, {"", "base"}, {"off", ""}, {"", "no mod is traced"},
	} {
		assert.Equal(t, c[1], r.command(c[0]), c[0])
	}
}

// TestNoTraceCostsNothing checks that a call allocates the same before a trace, after it, and while
// another mod is traced; only the record of the call is added then.
func TestNoTraceCostsNothing(t *testing.T) {
	r := newRig(t)
	call := r.function(r.ctf, `return`)
	allocations := func() float64 {
		return testing.AllocsPerRun(100, func() { _, _ = r.Enter(r.ctf, call) })
	}
	before := allocations()
	r.command("on base")
	assert.LessOrEqual(t, allocations(), before+1)
	r.command("off")
	assert.Equal(t, before, allocations())
	assert.Empty(t, r.lines())
}

func BenchmarkCall(b *testing.B) {
	for _, words := range []string{"off", "on base", "on ctf"} {
		b.Run(words, func(b *testing.B) {
			r := newRig(b)
			r.command(words)
			call := r.function(r.ctf, `return`)
			b.ReportAllocs()
			for b.Loop() {
				_, _ = r.Enter(r.ctf, call)
			}
		})
	}
}
