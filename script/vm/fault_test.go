package vm

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

func (r *rig) dispatch(m *Mod, event string) bool {
	_, ok := r.Dispatch(m, event, m.Global(event).(*lua.LFunction))
	return ok
}

func TestFaultSaysWhoWhereAndWhy(t *testing.T) {
	r := newRig(t)
	m := r.mod("ctf", "function onTick()\n  local flag = nil\n  flag.owner = 1\nend")
	require.False(t, r.dispatch(m, "onTick"))
	require.Len(t, r.faults, 1)
	f := r.faults[0]
	assert.Equal(t, "ctf", f.Mod)
	assert.Equal(t, "onTick", f.Handler)
	assert.Equal(t, "mods/ctf/server/init.lua", f.File)
	assert.Equal(t, 3, f.Line)
	assert.Contains(t, f.Text, "mods/ctf/server/init.lua:3: attempt to index")
	assert.Contains(t, f.Traceback, "mods/ctf/server/init.lua:3 in")
	assert.Contains(t, f.String(), "ctf: onTick: mods/ctf/server/init.lua:3: ")
	assert.Equal(t, 1, m.Faults())
}

// TestFaultNamesTheFileOnTheDisk checks that faults, warnings and tracebacks name the file in the
// folder of the mod. The path can have spaces.
func TestFaultNamesTheFileOnTheDisk(t *testing.T) {
	var logged []any
	r := newRig(t, func(c *Config) {
		c.Log = func(_ slog.Level, msg string, args ...any) { logged = append(append(logged, msg), args...) }
	})
	m := r.NewMod("ctf", files("server/init.lua", "function onTick()\n  qqqqq()\nend function other() return require 'server.nosuch' end"))
	m.Folder = "/srv/my mods/ctf"
	require.NoError(t, m.RunFile("server/init.lua"))
	require.False(t, r.dispatch(m, "onTick"))
	const file = "/srv/my mods/ctf/server/init.lua"
	f := r.faults[0]
	assert.Equal(t, file, f.File)
	assert.Equal(t, 2, f.Line)
	assert.Contains(t, f.Text, file+":2: attempt to call global 'qqqqq'")
	assert.Contains(t, f.Traceback, file+":2 in the function of line 1")
	assert.Equal(t, []any{"ctf: " + file + ":2: the global 'qqqqq' was never assigned and is nil", "mod", "ctf", "file", file, "line", 2}, logged[:7])
	require.False(t, r.dispatch(m, "other"))
	assert.Equal(t, file+":3: require: there is no file /srv/my mods/ctf/server/nosuch.lua", r.faults[1].Text)
	assert.Equal(t, "mods/ctf (eval):1: x", r.runIn(m, `local _, why = pcall(eval, "error 'x'") return why`))
}

func TestFiveFaultsInTenSecondsSuspendTheHandler(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `n = 0 function bad() n = n + 1 error("x") end function good() n = n + 100 end`)
	for range 4 {
		require.False(t, r.dispatch(m, "bad"))
	}
	r.sim += 10 * time.Second // the meter forgets these four
	for range 5 {
		require.False(t, r.dispatch(m, "bad"))
	}
	require.False(t, r.dispatch(m, "bad"))
	assert.Equal(t, lua.LNumber(9), m.Global("n"), "the tenth call must not have run")
	assert.True(t, r.dispatch(m, "good"), "other handlers go on")
	assert.Empty(t, m.Suspended())
	m.Enable()
	r.dispatch(m, "bad")
	assert.Equal(t, lua.LNumber(110), m.Global("n"))
}

func TestThreeSuspendedHandlersSuspendTheMod(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function b1() error("x") end b2 = b1 b3 = b1 function good() end`)
	other := r.mod("b", `function good() end`)
	for i, event := range []string{"b1", "b2", "b3"} {
		assert.Empty(t, m.Suspended(), i)
		for range 5 {
			r.dispatch(m, event)
		}
	}
	assert.Equal(t, "3 of its handlers are suspended", m.Suspended())
	assert.False(t, r.dispatch(m, "good"))
	assert.True(t, r.dispatch(other, "good"))
	m.Enable()
	assert.True(t, r.dispatch(m, "good"))
}

func TestReportsAreLimited(t *testing.T) {
	lines := 0
	r := newRig(t, func(c *Config) {
		c.Log = func(level slog.Level, _ string, _ ...any) {
			if level == slog.LevelError {
				lines++
			}
		}
	})
	m := r.mod("a", `function bad() error("x") end`)
	for range 100 {
		r.Fail(m, "load", assert.AnError)
	}
	assert.Len(t, r.faults, 1)
	assert.Equal(t, 1, lines)
	r.sim += 11 * time.Second
	m.Enable()
	r.Fail(m, "load", assert.AnError)
	require.Len(t, r.faults, 2)
	assert.Equal(t, 99, r.faults[1].Repeated)
	assert.Contains(t, r.faults[1].String(), "(repeated 99 times since)")
	r.dispatch(m, "bad")
	assert.Len(t, r.faults, 3, "another place is another report")
}

// TestTickOveruseBlamesTheBusiestMod checks that a mod's share is a quarter of a tick. A mod that
// uses more takes no instructions from the others.
func TestTickOveruseBlamesTheBusiestMod(t *testing.T) {
	r := newRig(t)
	greedy := r.mod("greedy", `function onTick() for i = 1, 990000 do end end onLate = onTick`)
	quick := r.mod("quick", `function onTick() for i = 1, 100000 do end end function onLate() while true do end end`)
	for range 2 {
		require.True(t, r.dispatch(greedy, "onTick"))
	}
	assert.True(t, r.Busy())
	assert.True(t, r.BusyFor(greedy))
	assert.False(t, r.BusyFor(quick))
	assert.False(t, r.BusyFor(nil))
	for range 6 {
		require.True(t, r.dispatch(quick, "onTick"))
	}
	require.False(t, r.dispatch(greedy, "onLate"), "it has used up the tick")
	require.False(t, r.dispatch(quick, "onTick"), "the tick and a quarter are over")
	require.Len(t, r.faults, 2)
	for i, skipped := range []string{"greedy", "quick"} {
		assert.Equal(t, []any{"greedy", Tick}, []any{r.faults[i].Mod, r.faults[i].Resource})
		assert.Equal(t, "the tick budget of scripts is used up, mostly by greedy; event skipped for "+skipped, r.faults[i].Text)
	}
	assert.Zero(t, quick.Faults(), "it has no fault")
	r.BeginTick()
	assert.False(t, r.Busy())
	assert.True(t, r.dispatch(quick, "onTick"))
}

func TestChainIsPrinted(t *testing.T) {
	r := newRig(t)
	r.Install(bridge)
	a := r.mod("a", `function onTick() call("b", "f") end`)
	r.mod("b", `function f() error("no") end`)
	require.False(t, r.dispatch(a, "onTick"))
	assert.Equal(t, "b", r.faults[0].Mod)
	assert.Equal(t, "mods/b/server/init.lua", r.faults[0].File)
}

func TestFaultsAreKeptByTheirPlace(t *testing.T) {
	r := newRig(t)
	m := r.mod("ctf", "function score()\n  error('no')\nend\nfunction onHit()\n  score()\nend")
	for i := range 3 {
		r.sim = time.Duration(i) * time.Minute
		m.Enable()
		require.False(t, r.dispatch(m, "onHit"))
	}
	r.Fail(m, "other", assert.AnError)
	faults := r.FaultsOf("ctf")
	require.Len(t, faults, 2)
	f := faults[0]
	assert.Equal(t, 3, f.Count)
	assert.Equal(t, time.Duration(0), f.First)
	assert.Equal(t, 2*time.Minute, f.Last)
	assert.Equal(t, "score", f.Function)
	assert.Equal(t, 2, f.Line)
	assert.Contains(t, f.String(), "(in score)")
	assert.Contains(t, f.History(), "3x, first at 0:00:00, last at 0:02:00: ctf: onHit: mods/ctf/server/init.lua:2: no (in score)\n\t[Go] in error\n\tmods/ctf/server/init.lua:2 in score\n\tmods/ctf/server/init.lua:5 in the function of line 4")
	assert.Empty(t, r.FaultsOf("nobody"))
}

func TestFaultsKeptAreBounded(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", "")
	for i := range 3 * maxKept {
		r.sim = time.Duration(i) * time.Second
		r.Fail(m, "event "+NumberText(float64(i)), assert.AnError)
	}
	faults := r.FaultsOf("a")
	require.Len(t, faults, maxKept)
	assert.Equal(t, "event 383", faults[maxKept-1].Handler)
}

func TestASuspendedHandlerSaysWhy(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function onTick() error("x") end`)
	for range 5 {
		r.dispatch(m, "onTick")
	}
	assert.Equal(t, []string{"onTick: 5 faults in 10s, last: mods/a/server/init.lua:1: x"}, m.SuspendedHandlers())
	m.Enable()
	assert.Empty(t, m.SuspendedHandlers())
}
