package vm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// benchHost returns a runtime on the real clock.
func benchHost() *Runtime {
	start := time.Now()
	return New(Config{Side: Server, Clock: func() time.Duration { return time.Since(start) }, Heap: func() uint64 { return 0 }})
}

// function compiles an expression in a fresh mod.
func function(t testing.TB, m *Mod, source string) *lua.LFunction {
	fn, err := m.Compile("mods/"+m.Name+"/init.lua", "return "+source, false)
	require.NoError(t, err)
	out, err := m.Runtime.Enter(m, fn)
	require.NoError(t, err)
	return out[0].(*lua.LFunction)
}

// BenchmarkDispatch measures an event with two arguments through the entry of the engine.
func BenchmarkDispatch(b *testing.B) {
	h := benchHost()
	m := h.NewMod("a", nil)
	u := m.State.Lua().NewUserData()
	for name, c := range map[string]struct {
		source string
		args   []lua.LValue
	}{
		"numbers": {"function(x, y) end", []lua.LValue{lua.LNumber(1), lua.LNumber(2.5)}},
		"handles": {"function(x, y) end", []lua.LValue{u, u}},
		"result":  {"function(x, y) return x end", []lua.LValue{u, u}},
	} {
		fn := function(b, m, c.source)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%1000 == 0 {
					h.BeginTick()
				}
				h.Dispatch(m, "onTick", fn, c.args[0], c.args[1])
			}
		})
	}
}

// BenchmarkThousandHandlers measures 1,000 handlers of ten mods in a tick.
func BenchmarkThousandHandlers(b *testing.B) {
	h := benchHost()
	var fns []*lua.LFunction
	for range 10 {
		m := h.NewMod("m"+string(rune('a'+len(fns))), nil)
		fns = append(fns, function(b, m, "(function() local n = 0 return function(x, y) n = n + x end end)()"))
	}
	x := lua.LValue(lua.LNumber(1))
	b.ReportAllocs()
	for b.Loop() {
		h.BeginTick()
		for i := range 1000 {
			h.Dispatch(h.Mods[i%10], "onTick", fns[i%10], x, x)
		}
	}
}

const fib = "local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end"

// BenchmarkFib27 measures the cost of the meter: the same program with the meter and in a bare
// state.
func BenchmarkFib27(b *testing.B) {
	b.Run("metered", func(b *testing.B) {
		h := benchHost()
		m := h.NewMod("a", nil)
		fn := function(b, m, "(function() "+fib+" return function() fib(27) end end)()")
		for b.Loop() {
			_, err := h.EnterWith(Limit{}, m, fn)
			require.NoError(b, err)
		}
	})
	b.Run("bare", func(b *testing.B) {
		l := lua.NewState()
		require.NoError(b, l.DoString(fib+" return function() fib(27) end"))
		fn := l.Get(-1)
		for b.Loop() {
			l.Push(fn)
			l.Call(0, 0)
		}
	})
}

// BenchmarkMetering measures the cost of reading the time and the heap in addition to counting
// instructions, with handlers of about 250 instructions.
func BenchmarkMetering(b *testing.B) {
	for name, h := range map[string]*Runtime{"clock": benchHost(), "none": New(Config{Side: Server})} {
		m := h.NewMod("a", nil)
		fn := function(b, m, "function(x) local n = 0 for i = 1, 80 do n = n + i * x end return n end")
		x := lua.LValue(lua.LNumber(2))
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if i%100 == 0 {
					h.BeginTick()
				}
				h.Dispatch(m, "onTick", fn, x)
			}
		})
	}
}
