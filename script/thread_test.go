package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// threadMod says what its threads do, with the simulation time since the last call of begin.
const threadMod = `
local start
local function say(...) echo(now() - start, ...) end
export("begin", function()
	start = now()
	spawn(function(name)
		say(name)
		for i = 1, 2 do wait(64) say(name, i) end
	end, "a")
	spawn(function() wait(0) error "broken" end)
	spawn(function() wait(32) while true do end end)
	spawn(function() coroutine.yield() end)
	spawn(function() pcall(function() wait(1) end) say "the pcall has failed" end)
	spawn(function() say(coroutine.resume(coroutine.create(function() wait(1) end)) and "wrong" or "not in a coroutine") end)
	say "begun"
end)
export("owned", function()
	start = now()
	local o = new "SimSet" {}
	o:spawn(function(self, x) say(self == o, x) wait(64) say "never" end, "owned")
	schedule(40, function() o:delete() end)
end)
export("rest", function() start = now() spawn(function() wait(100) say "never" end) end)
export("repeats", function()
	start = now()
	local n, id = 0, nil
	id = every(64, function(word)
		n = n + 1
		say(word, n, getEventTimeLeft(id))
		if n == 2 then cancel(id) end
	end, "again")
	local once = schedule(100, function() end)
	schedule(32, function() say("once", getEventTimeLeft(once), getScheduleDuration(once), getTimeSinceStart(once)) end)
	schedule(64, function() cancel(once) say("gone", getEventTimeLeft(once)) end)
end)`

// TestThreads checks that threads wait in simulation time, that an error or an endless loop ends only
// one thread, and that threads end with their object and their mod.
func TestThreads(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": threadMod})).load("m")
	runs := func(export string) []string {
		h.line(`import("m").` + export + `()`)
		h.ticks(8)
		return h.out
	}
	assert.Equal(t, []string{"0\tbegun", "32\ta", "32\tthe pcall has failed", "32\tnot in a coroutine", "96\ta\t1", "160\ta\t2"}, runs("begin"))
	faults := strings.Join(h.log, "\n")
	assert.Contains(t, faults, "mods/m/server/init.lua:10: broken")
	assert.Contains(t, faults, "instructions")
	assert.Contains(t, faults, "must call wait, not coroutine.yield")
	assert.Equal(t, []string{"32\ttrue\towned"}, runs("owned"))
	assert.Contains(t, h.line(`wait(1)`), "only a function that spawn has started can wait")

	h.line(`import("m").rest()`)
	h.ticks(1)
	h.line(`mod.disable m`)
	h.ticks(8)
	assert.NotContains(t, strings.Join(h.out, "\n"), "never")
	assert.Zero(t, h.host.Schedule().OfMod("m"))
}

// TestTimersWaitForASuspension checks that timers and threads go on after others have suspended their handler.
func TestTimersWaitForASuspension(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		local beats, rounds, ticks = 0, 0, 0
		local function beat() beats = beats + 1 schedule(500, beat) end
		export("begin", function()
			beat()
			spawn(function() while true do wait(500) rounds = rounds + 1 end end)
			every(500, function() ticks = ticks + 1 end)
		end)
		export("fail", function()
			for _ = 1, 5 do
				schedule(0, error, "broken")
				spawn(error, "broken")
			end
		end)
		export("count", function() return beats, rounds, ticks end)`})).load("m")
	count := func() string { return h.line(`= import("m").count()`) }
	h.line(`import("m").begin()`)
	h.ticks(64)
	assert.Equal(t, "5\t3\t4", count())
	h.line(`import("m").fail()`)
	h.ticks(150) // 4.8 s
	assert.Contains(t, h.line("mods"), "2 handlers")
	assert.Equal(t, "5\t3\t13", count())
	h.ticks(313) // until 10 s later
	assert.Equal(t, "15\t12\t33", count())
}

func TestRepeatedTimers(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": threadMod})).load("m")
	h.line(`import("m").repeats()`)
	h.ticks(8)
	assert.Equal(t, []string{"32\tonce\t68\t100\t32", "64\tagain\t1\t64", "64\tgone\tnil", "128\tagain\t2\t64"}, h.out)
}
