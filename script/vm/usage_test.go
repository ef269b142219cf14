package vm

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// events returns the usage of a mod's events by name.
func events(m *Mod) map[string]EventUsage {
	by := map[string]EventUsage{}
	for _, e := range m.Events() {
		by[e.Event] = e
	}
	return by
}

func TestEachEventIsCounted(t *testing.T) {
	r := newRig(t)
	r.Install(bridge)
	a := r.mod("a", `function onTick() for i = 1, 100 do end end function onBad() error("x") end function onCall() call("b", "f") end`)
	b := r.mod("b", `function f() for i = 1, 1000 do end end`)
	before := a.Usage
	for range 3 {
		require.True(t, r.dispatch(a, "onTick"))
	}
	require.False(t, r.dispatch(a, "onBad"))
	require.True(t, r.dispatch(a, "onCall"))
	got := events(a)
	assert.EqualValues(t, 1, got[LoadEvent].Calls)
	assert.EqualValues(t, 3, got["onTick"].Calls)
	assert.Zero(t, got["onTick"].Errors)
	assert.EqualValues(t, 1, got["onBad"].Errors)
	assert.InDelta(t, 300, got["onTick"].Instructions, 60)
	assert.Less(t, got["onCall"].Instructions, int64(50), "what it called in b is b's")
	assert.Greater(t, events(b)[callEvent].Instructions, int64(1000))
	sum := int64(0)
	for _, e := range got {
		sum += e.Instructions
	}
	assert.Equal(t, a.Usage.Instructions, sum)
	assert.Greater(t, a.Usage.Instructions, before.Instructions)
}

// instructionClock returns a clock that advances one microsecond per instruction.
func instructionClock(r *rig) func() time.Duration {
	return func() time.Duration { return time.Duration(r.meter.n) * time.Microsecond }
}

// TestShortEntriesAreTimedTogether checks entries that end before the meter reads the clock. They
// are charged with the typical time of their event, and the sum equals the time of the clock.
func TestShortEntriesAreTimedTogether(t *testing.T) {
	var r *rig
	r = newRig(t, func(c *Config) { c.Clock = func() time.Duration { return instructionClock(r)() } })
	m := r.mod("a", `function short(n) local x = 0 for i = 1, 5 do x = x + i end end function long() for i = 1, 3000 do end end`)
	for range 1000 {
		r.BeginTick()
		require.True(t, r.dispatch(m, "short"))
		require.True(t, r.dispatch(m, "long"))
	}
	for name, e := range map[string]EventUsage{"short": events(m)["short"], "long": events(m)["long"]} {
		assert.InEpsilon(t, float64(e.Instructions), float64(e.Time/time.Microsecond), 0.02, name)
	}
	assert.InEpsilon(t, float64(m.Usage.Instructions), float64(m.Usage.Time/time.Microsecond), 0.02)
	assert.Equal(t, "long", m.Events()[0].Event)
	assert.InDelta(t, 3005, float64(events(m)["long"].Max/time.Microsecond), 20)
}

// TestDelayedCallChangesLittle checks that one call delayed by the machine does not make all
// others look slow.
func TestDelayedCallChangesLittle(t *testing.T) {
	var r *rig
	stall := time.Duration(0)
	r = newRig(t, func(c *Config) {
		c.Clock = func() time.Duration { stall += r.perAsk; return instructionClock(r)() + stall }
	})
	m := r.mod("a", `function short() local x = 0 for i = 1, 5 do x = x + i end end`)
	for i := range 320 {
		r.BeginTick()
		r.perAsk = 0
		if i == 15 {
			r.perAsk = time.Second
		}
		require.True(t, r.dispatch(m, "short"))
	}
	e := events(m)["short"]
	assert.Less(t, e.Time, 2*time.Duration(e.Instructions)*time.Microsecond)
}

// TestTimeIsSharedByInstructions checks that the time of two mods between two clock reads is
// divided by their instructions.
func TestTimeIsSharedByInstructions(t *testing.T) {
	var r *rig
	r = newRig(t, func(c *Config) { c.Clock = func() time.Duration { return instructionClock(r)() } })
	r.Install(bridge)
	a := r.mod("a", `function onTick() for i = 1, 50 do call("b", "f") end end`)
	b := r.mod("b", `function f() for i = 1, 30 do end end`)
	require.True(t, r.dispatch(a, "onTick"))
	for _, m := range []*Mod{a, b} {
		assert.InEpsilon(t, float64(m.Usage.Instructions), float64(m.Usage.Time/time.Microsecond), 0.1, m.Name)
	}
}

func TestEventsAreBounded(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function f() end`)
	fn := m.Global("f").(*lua.LFunction)
	for i := range 2 * maxEvents {
		_, ok := r.Dispatch(m, "event "+NumberText(float64(i)), fn)
		require.True(t, ok)
	}
	assert.LessOrEqual(t, len(m.Events()), maxEvents+1)
	assert.Greater(t, events(m)[otherEvents].Calls, int64(maxEvents/2))
}

// TestAnEventAllocatesNothing checks that an event allocates nothing: neither for its arguments,
// numbers and handles, nor for entering and leaving Lua.
func TestAnEventAllocatesNothing(t *testing.T) {
	h := benchHost()
	m := h.NewMod("a", nil)
	u := lua.LValue(m.State.Lua().NewUserData())
	fn := function(t, m, "function(x, y) end")
	var b Boxes
	tick := 0.
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		h.BeginTick()
		tick = float64(int(tick+1) % 200)
		h.Dispatch(m, "onTick", fn, u, b.Number(tick+0.5))
	}))
}

func TestBoxesReturnTheNumber(t *testing.T) {
	var b Boxes
	for i := range 5000 {
		for _, n := range []float64{float64(i), float64(i) / 7, -float64(i)} {
			require.Equal(t, lua.LNumber(n), b.Number(n))
		}
	}
}
