package vm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// rig is a runtime with clocks and a heap that the test sets.
type rig struct {
	*Runtime
	t      *testing.T
	sim    time.Duration
	wall   time.Duration
	heap   uint64
	perAsk time.Duration // advance of the wall clock on each read
	cpu    time.Duration
	perCPU time.Duration // advance of the CPU clock on each read
	pinned int           // entries that are pinned to the thread
	faults []*Fault
}

func newRig(t *testing.T, change ...func(*Config)) *rig {
	r := &rig{t: t}
	cfg := Config{
		Side:  Server,
		Seed:  1,
		Now:   func() time.Duration { return r.sim },
		Clock: func() time.Duration { r.wall += r.perAsk; return r.wall },
		Heap:  func() uint64 { return r.heap },
		Thread: func() (func() time.Duration, func()) {
			r.pinned++
			return func() time.Duration { r.cpu += r.perCPU; return r.cpu }, func() { r.pinned-- }
		},
		Fault: func(f *Fault) { r.faults = append(r.faults, f) },
	}
	for _, c := range change {
		c(&cfg)
	}
	r.Runtime = New(cfg)
	return r
}

// mod makes a mod with one file, source, and runs it.
func (r *rig) mod(name, source string) *Mod {
	r.t.Helper()
	m := r.NewMod(name, files("server/init.lua", source))
	require.NoError(r.t, m.RunFile("server/init.lua"))
	return m
}

// run runs a chunk in a fresh mod and returns its result, or "error: …".
func (r *rig) run(source string) string {
	r.t.Helper()
	m := r.NewMod("x", nil)
	defer r.Remove(m)
	return r.runIn(m, source)
}

func (r *rig) runIn(m *Mod, source string) string {
	r.t.Helper()
	fn, err := m.Compile("mods/x/init.lua", source, false)
	if err != nil {
		return "error: " + err.Error()
	}
	out, err := r.EnterWith(r.Limits().Line, m, fn)
	if err != nil {
		return "error: " + err.Error()
	}
	return show(out)
}

func (r *rig) call(m *Mod, name string, args ...lua.LValue) ([]lua.LValue, error) {
	fn, ok := m.Global(name).(*lua.LFunction)
	require.True(r.t, ok, "%s has no function %s", m.Name, name)
	return r.Enter(m, fn, args...)
}

func show(values []lua.LValue) string {
	texts := make([]string, len(values))
	for i, v := range values {
		if s, ok := v.(lua.LString); ok {
			texts[i] = string(s)
		} else if n, ok := v.(lua.LNumber); ok {
			texts[i] = NumberText(float64(n))
		} else {
			texts[i] = v.String()
		}
	}
	return strings.Join(texts, " ")
}

// row is a script and its result. For "error: …" want can be a part of the error.
type row struct{ source, want string }

func (r *rig) rows(rows []row) {
	r.t.Helper()
	for _, c := range rows {
		got := r.run(c.source)
		if strings.HasPrefix(c.want, "error: ") {
			require.Contains(r.t, got, strings.TrimPrefix(c.want, "error: "), c.source)
			require.True(r.t, strings.HasPrefix(got, "error: "), "%s\n%s", c.source, got)
			continue
		}
		require.Equal(r.t, c.want, got, c.source)
	}
	require.Zero(r.t, r.Depth())
	require.Zero(r.t, r.guards)
}

// bridge lets mods call each other's globals: call("b", "f", …).
var bridge = Lib{"Test", []Func{
	{"call", "mod, fn, ...", Both, "Calls a global function of another mod.", func(a Args) int {
		to := a.Runtime().Mod(a.String(1))
		var args []lua.LValue
		for i := 3; i <= a.N(); i++ {
			args = append(args, a.Get(i))
		}
		out, err := a.Runtime().Enter(to, to.Global(a.String(2)).(*lua.LFunction), args...)
		if err != nil {
			a.Raise(err)
		}
		return a.Return(out...)
	}},
	{"small", "mod, fn", Both, "The same within 1,000 instructions.", func(a Args) int {
		to := a.Runtime().Mod(a.String(1))
		out, err := a.Runtime().EnterWith(Limit{Instructions: 1000}, to, to.Global(a.String(2)).(*lua.LFunction))
		if err != nil {
			a.Raise(err)
		}
		return a.Return(out...)
	}},
	{"onlyClient", "", Client, "Is for the client.", func(Args) int { return 0 }},
	{"crash", "", Both, "Panics.", func(Args) int { panic(fmt.Errorf("a bug")) }},
}}
