package script_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// hoard is a mod that breaks its memory budget when it is told to. It has one of all that must
// refuse while it is suspended.
const hoard = `
count = 0
Crate = class "Crate" { fields = { hits = int(0, 10) } }
function Crate:onDamageRequest(amount) return true end
function GameConnection.onConnectRequest() return nil end
function onChat(client, text) end
function onReload(old) count = old.count end
new "SimSet" { name = "Kept" }
export("count", function() count = count + 1 return count end)
export("arm", function() schedule(1, function() for i = 1, 300000 do local t = {} end end) end)
export("keep", function(o, n) o.own.score = 7 o.own.text = ("x"):rep(n) end)
export("score", function(o) return o.own.score end)`

// loadHoard makes a server with the mod, and an object with values of the mod.
func loadHoard(t *testing.T, change func(*script.Setup)) *half {
	h := newHalfWith(t, 1, true, probes, change, files(map[string]string{"m/server/init.lua": hoard})).load("m")
	require.Equal(t, "1", h.line(`import("m").count()`))
	require.Empty(t, h.line(`new "SimSet" { name = "Box" } new "Crate" { name = "Target" }`))
	return h
}

// breakMemory makes the mod exceed its memory budget: each read of the heap says that it has grown.
func (h *half) breakMemory() {
	size := uint64(0)
	h.heap = func() uint64 { size += 64 << 20; return size }
	h.line(`import("m").arm()`)
	h.ticks(2)
	h.heap = nil
}

// TestMemoryOfSuspendedModsIsFreed checks that a mod suspended for its memory loses its Lua state
// at once, that its checks still refuse, and that it is loaded anew after the pause. Objects and
// small own tables stay.
func TestMemoryOfSuspendedModsIsFreed(t *testing.T) {
	collected := 0
	h := loadHoard(t, func(s *script.Setup) { s.Collect = func() { collected++ } })
	require.Empty(t, h.line(`import("m").keep(Box, 1000)`))
	was := weak.Make(h.scripts.Runtime.Mod("m"))
	kept := h.line(`Kept`)
	h.breakMemory()
	h.ticks(1)
	m := h.scripts.Runtime.Mod("m")
	require.Contains(t, m.Suspended(), "it exceeded its memory budget in schedule")
	assert.Equal(t, 1, collected)
	runtime.GC()
	assert.Nil(t, was.Value(), "the old state is garbage")
	target := h.host.World().FindName("Target")
	assert.True(t, h.scripts.Hooks().Checks(target, "onDamageRequest"))
	verdict, told := h.scripts.Hooks().Check(target, "onDamageRequest", []sim.Value{sim.Number(1)})
	assert.True(t, told)
	assert.Equal(t, sim.Bool(false), verdict)
	assert.Contains(t, h.line(`import("m").count()`), "mod m is suspended: it exceeded its memory budget")
	assert.Equal(t, kept, h.line(`Kept`))

	h.ticks(320)
	m = h.scripts.Runtime.Mod("m")
	require.Empty(t, m.Suspended())
	assert.Equal(t, "1\t7", h.line(`import("m").count(), import("m").score(Box)`), "without onReload")
	assert.Contains(t, h.log, "m is resumed, on probation")
	verdict, _ = h.scripts.Hooks().Check(target, "onDamageRequest", []sim.Value{sim.Number(1)})
	assert.Equal(t, sim.Nil(), verdict)
	h.breakMemory()
	assert.Contains(t, strings.Join(h.log, "\n"), "m is suspended for 20s", "it was on probation")
	assert.Equal(t, "m 1.0.0 is on", say(t, h, "mod.enable m"))
	assert.Equal(t, "1", h.line(`import("m").count()`), "loaded anew at once")
}

// TestLargeOwnTablesAreFreed checks that the own tables of objects do not keep the memory.
func TestLargeOwnTablesAreFreed(t *testing.T) {
	h := loadHoard(t, func(*script.Setup) {})
	for i := range 20 {
		require.Empty(t, h.line(fmt.Sprintf(`import("m").keep(new "SimSet" { name = "B%d" }, 1000000 + %[1]d)`, i)))
	}
	h.breakMemory()
	h.ticks(1)
	assert.Contains(t, h.log, "m loses the own tables of objects: more than 200000 table entries cannot be handed over")
}

// TestEmptiedModsRefuseJoins checks the gate of connect requests.
func TestEmptiedModsRefuseJoins(t *testing.T) {
	p := apart(t, map[string]string{"m/server/init.lua": hoard}, "m")
	p.server.breakMemory()
	assert.Contains(t, p.knock(), "try again later")
	require.True(t, p.server.scripts.Runtime.Mod("m").Emptied())
	p.run(10 * time.Second)
	assert.Equal(t, "in", p.knock())
}

// TestEmptiedModsThatFailStaySuspended checks that a mod stays suspended until its trial is over,
// also when the suspension of another mod ends, and that a failed trial makes the pause longer.
func TestEmptiedModsThatFailStaySuspended(t *testing.T) {
	var tried []func(*vm.Protos, error)
	h := loadHoard(t, func(s *script.Setup) {
		s.RunTests = func(_ string, _ []fs.FS, untested bool, done func(*vm.Protos, error)) {
			require.True(t, untested)
			tried = append(tried, done)
		}
	})
	h.breakMemory()
	h.scripts.Runtime.NewMod("other", nil).Suspend("the test says so")
	h.ticks(640)
	require.Empty(t, h.scripts.Runtime.Mod("other").Suspended())
	require.Len(t, tried, 1, "one trial at a time")
	require.NotEmpty(t, h.scripts.Runtime.Mod("m").Suspended())
	tried[0](nil, fmt.Errorf("it is broken"))
	assert.Equal(t, "it cannot be loaded anew: m is not reloaded: it is broken", h.scripts.Runtime.Mod("m").Suspended())
	h.ticks(320)
	assert.Len(t, tried, 1, "the second pause is twice as long")
	h.ticks(320)
	require.Len(t, tried, 2)
	tried[1](nil, nil)
	assert.Empty(t, h.scripts.Runtime.Mod("m").Suspended())
}

// TestEmptiedModsAreReplayed checks that a repetition that is told the verdicts does the same.
func TestEmptiedModsAreReplayed(t *testing.T) {
	var told []vm.Verdict
	play := func(change func(*script.Setup)) (seen []string, h *half) {
		h = loadHoard(t, change)
		for _, v := range told {
			h.scripts.Runtime.Foretell(v)
		}
		h.breakMemory()
		for range 330 {
			h.ticks(1)
			seen = append(seen, fmt.Sprint(h.scripts.Runtime.InstructionCount(), h.scripts.Runtime.Fingerprint(), h.log))
		}
		return seen, h
	}
	var report []vm.Verdict
	seen, _ := play(func(s *script.Setup) { s.Verdict = func(v vm.Verdict) { report = append(report, v) } })
	require.NotEmpty(t, report)
	told = report
	again, h := play(func(s *script.Setup) { s.Clock, s.Thread, s.Heap, s.Foretold = nil, nil, nil, true })
	assert.Equal(t, seen, again)
	assert.Empty(t, h.scripts.Runtime.Untold())
}
