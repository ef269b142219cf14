package script_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestThreads checks that threads wait in simulation time, that an error or an endless loop ends
// only one thread, and that threads end with their object and their mod.
func TestThreads(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": threadMod})).load("m")
	h.scripts.Runtime.LimitsVar().Thread = 100_000
	runs := func(export string) []string {
		h.line(`import("m").` + export + `()`)
		h.ticks(8)
		return h.out
	}
	assert.Equal(t, []string{"0\tbegun", "32\ta", "32\tthe pcall has failed", "32\tnot in a coroutine", "96\ta\t1", "160\ta\t2"}, runs("begin"))
	faults := strings.Join(h.log, "\n")
	assert.Contains(t, faults, "mods/m/server/init.lua:10: broken")
	assert.Contains(t, faults, "mods/m/server/init.lua:11: the budget of 100000 instructions is used up")
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

// TestTimersWaitForASuspension checks that timers and threads go on after others have suspended
// their handler.
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

// TestListOfTimers checks `mod timers`: what runs when, for which object, and where it comes from.
func TestListOfTimers(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		export("begin", function()
			local o = new "SimSet" { name = "Box" }
			schedule(5000, function() end)
			every(1000, echo)
			o:schedule(40, "open")
			o:spawn(function()
				wait(64)
				wait(2000)
			end)
			spawn(function()
			end)
		end)
		export("spare", function(n) for _ = 1, n do schedule(9000, echo) end end)`, "other/server/init.lua": ``})).load("m", "other")
	assert.Equal(t, "no timers", h.line("mod.timers m"))
	h.line(`import("m").begin()`)
	assert.Contains(t, h.line("mod.timers m"), "thread mods/m/server/init.lua:11")
	h.ticks(1)
	rows := strings.Split(h.line("mod.timers m"), "\n")
	require.Len(t, rows, 5)
	for i, want := range []string{
		`^mod  id  due in  every   object +runs$`,
		`^m    \d+   0\.008s  -       SimSet "Box"  method open$`,
		`^m    \d+   0\.064s  -       SimSet "Box"  thread mods/m/server/init.lua:8$`,
		`^m    \d+   0\.968s  1\.000s  - +function \[Go\]$`,
		`^m    \d+   4\.968s  -       - +function mods/m/server/init.lua:4$`,
	} {
		assert.Regexp(t, want, rows[i])
	}
	h.ticks(3)
	assert.Contains(t, h.line("mod.timers m"), "thread mods/m/server/init.lua:9")
	assert.Equal(t, "no timers", h.line("mod.timers other"))
	assert.Contains(t, h.line("mod.timers nobody"), `mod "nobody" is not loaded`)
	h.line(`import("m").spare(200)`)
	assert.Contains(t, h.line("mod.timers m"), "\nand 103 more")
}

// TestCancelAll checks that it cancels the timers and threads of its own mod and object alone, also
// the one that runs.
func TestCancelAll(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
		export("begin", function()
			local o = new "SimSet" { name = "Box" }
			schedule(40, echo, "scheduled")
			every(32, echo, "again")
			o:schedule(40, "open")
			o:spawn(function() wait(40) echo "waited" end)
			spawn(function() wait(40) echo "waited alone" end)
		end)
		export("box", function() return cancelAll(find "Box") end)
		export("all", function() return cancelAll() end)
		export("inside", function() every(32, function() echo(cancelAll()) end) end)`})).load("m")
	h.line(`schedule(40, echo, "console")`)
	h.line(`import("m").begin()`)
	assert.Equal(t, "2", h.line(`= import("m").box()`))
	assert.Equal(t, "0", h.line(`= cancelAll(find "Box")`), "the timers of another mod")
	assert.Equal(t, "3", h.line(`= import("m").all()`))
	h.out = nil
	h.ticks(4)
	assert.Equal(t, []string{"console"}, h.out)

	h.out = nil
	h.line(`import("m").inside()`)
	h.ticks(4)
	assert.Equal(t, []string{"1"}, h.out)
}
