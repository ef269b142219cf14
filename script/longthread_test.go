package script_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
)

// longMod starts threads that work without wait, and counts ticks.
const longMod = `
ticks, done, beats = 0, {}, 0
function onTick() ticks = ticks + 1 end
function work(rounds)
	local n = 0
	for i = 1, rounds do n = n + 1 end
	return n
end
function heavy(name, rounds)
	done[name] = 0
	for i = 1, rounds do
		work(100)
		done[name] = i
	end
end
function start(...) spawn(heavy, ...) end
function beat()
	wait(32)
	beats = beats + 1
	return beat()
end`

// shortTicks gives a tick 200,000 instructions, and a slice of a thread 25,000.
func (h *half) shortTicks() {
	l := h.scripts.Runtime.LimitsVar()
	l.Ticking, l.Callback.Instructions = 200_000, 100_000
}

// long makes a server with the mod m, which is longMod and more.
func long(t *testing.T, more string) *half {
	t.Helper()
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": longMod + "\nexport('run', function(source) return assert(loadstring(source))() end)\n" + more})).load("m")
	h.shortTicks()
	return h
}

// do runs code in the mod m, and returns its results as text.
func (h *half) do(code string) string { return h.line(fmt.Sprintf(`= import("m").run(%q)`, code)) }

// instructions returns what the mod m has used so far.
func (h *half) instructions() int64 { return h.scripts.Runtime.Mod("m").Usage.Instructions }

// TestALongThreadStopsUntilTheNextTick checks that long work in spawn finishes without wait. In
// each tick it takes the instructions of the threads, and everything else runs.
func TestALongThreadStopsUntilTheNextTick(t *testing.T) {
	h := long(t, "")
	h.do(`spawn(function() sum = work(200000) echo("done at", tick()) end)`)
	require.Equal(t, "0", h.do("return ticks"))
	before := h.instructions()
	for range 9 {
		h.ticks(1)
		assert.Less(t, h.instructions()-before, int64(25_400), "one thread has one slice in a tick")
		before = h.instructions()
	}
	h.ticks(18)
	assert.Regexp(t, `done at\t\d+\]$`, fmt.Sprint(h.out))
	assert.Equal(t, "200000\t27", h.do("return sum, ticks"))
	assert.Empty(t, h.log)
}

// TestAShortPartIsOnePiece checks that nothing else runs in a part of a thread that is shorter than
// a slice.
func TestAShortPartIsOnePiece(t *testing.T) {
	h := long(t, "inside, ended = nil")
	h.do(`for i = 1, 4 do spawn(function()
		for _ = 1, 5 do
			assert(not inside, "another thread ran")
			inside = i
			work(4000)
			inside = nil
			wait(32)
		end
		ended = (ended or 0) + 1
	end) end`)
	h.ticks(40)
	assert.Equal(t, "4", h.do("return ended"))
	assert.Empty(t, h.log)
}

// TestThreadsOfAModHaveAQuarter checks that all threads of a mod together use a quarter of the
// instructions of a tick, and that each of them gets an equal part. Threads that work little run in
// each tick.
func TestThreadsOfAModHaveAQuarter(t *testing.T) {
	for _, threads := range testenv.Length([]int{1, 8}, []int{1, 8, 32}) {
		t.Run(fmt.Sprint(threads), func(t *testing.T) {
			h := long(t, "")
			h.do(fmt.Sprintf(`for i = 1, %d do start(i, 1e9) end`, threads))
			h.ticks(2 + threads/2)
			h.do(`spawn(beat) ticks = 0`)
			began := h.instructions()
			const ticks = 80
			h.ticks(ticks)
			perTick := (h.instructions() - began) / ticks
			if threads == 1 {
				assert.InDelta(t, 25_000, perTick, 1_000)
			} else {
				assert.InDelta(t, 50_000, perTick, 2_000, "a quarter")
			}
			assert.Equal(t, fmt.Sprint(ticks), h.do("return ticks"))
			assert.Regexp(t, `^7[5-9]$`, h.do("return beats"), "short work is not delayed")
			var counts []int
			for i := range threads {
				var n int
				_, err := fmt.Sscan(h.do(fmt.Sprintf("return done[%d]", i+1)), &n)
				require.NoError(t, err)
				counts = append(counts, n)
			}
			assert.Less(t, slices.Max(counts)-slices.Min(counts), 170, counts) // three slices
			assert.Positive(t, slices.Min(counts), counts)
			assert.Empty(t, h.log)
		})
	}
}

// TestThreadsThatWaitOftenLeaveTheOthersTheirPart checks that threads which work much and wait a
// little do not keep those from running that have stopped.
func TestThreadsThatWaitOftenLeaveTheOthersTheirPart(t *testing.T) {
	h := long(t, "")
	h.do(`for i = 1, 4 do spawn(function() while true do work(5500) wait(0) end end) end start("a", 1e9)`)
	h.ticks(100)
	var n int
	_, err := fmt.Sscan(h.do("return done.a"), &n)
	require.NoError(t, err)
	assert.Greater(t, n, 100*50_000/5/420*2/3, "a fifth of a quarter")
}

// TestALoopWithoutWaitEnds checks that an endless loop ends after mod.threadInstructions, with file
// and line, and that the thread beside it goes on.
func TestALoopWithoutWaitEnds(t *testing.T) {
	h := long(t, "")
	assert.Equal(t, "200000000", say(t, h, "mod.threadInstructions"))
	say(t, h, "mod.threadInstructions 300000")
	h.do("\nspawn(function()\nlocal n = 0\nwhile true do n = n + 1 end end)\nspawn(function() while true do work(20000) rounds = (rounds or 0) + 1 wait(0) end end)")
	began := h.instructions()
	h.ticks(30)
	log := strings.Join(h.log, "\n")
	assert.Regexp(t, `:4: the budget of 300000 instructions is used up`, log)
	assert.Equal(t, 1, strings.Count(log, "is used up"))
	assert.Greater(t, h.instructions()-began, int64(600_000))
	assert.Equal(t, "true", h.do("return rounds > 8"), "a thread that waits never uses it up")
}

// TestAThreadOfAClientUsesItsShare checks that a thread which a client has started uses the share
// of this client, a tenth of a tick. The threads of the mod and of other clients go on, also beside
// several such clients.
func TestAThreadOfAClientUsesItsShare(t *testing.T) {
	for _, clients := range []int{1, 6} {
		t.Run(fmt.Sprint(clients), func(t *testing.T) {
			p := join(t, map[string]string{"m/server/init.lua": longMod + `
				served = {}
				function serverCmd.Heavy(client) for i = 1, 3 do start(client.name .. i, 1e9) end end
				function serverCmd.Light(client) spawn(function() served[#served + 1] = tick() end) end
				function consecutive(n)
					assert(#served >= n, #served)
					for i = 2, #served do assert(served[i] - served[i - 1] <= 3, served[i] - served[i - 1]) end
				end`}, nil, "m")
			p.server.shortTicks()
			heavy := []*half{p.client}
			for i := 1; i < clients; i++ {
				h := newHalf(t, uint16(10+i), false).load()
				p.addNamed(h, uint16(10+i), fmt.Sprint("Heavy", i))
				heavy = append(heavy, h)
			}
			honest := newHalf(t, 3, false).load()
			p.addNamed(honest, 3, "Honest")
			require.Empty(t, honest.line(`function onTick() commandToServer("Light") end`))
			for _, h := range heavy {
				h.line(`commandToServer("Heavy")`)
			}
			p.run(time.Second)
			began := p.server.instructions()
			p.run(time.Second)
			perTick := float64(p.server.instructions()-began) / float64(time.Second/engine.TickTime)
			if clients == 1 {
				assert.InDelta(t, 20_000, perTick, 3_000, "a tenth")
			}
			assert.Less(t, perTick, 55_000.0)
			p.in(t, "m", "served = {}")
			p.run(time.Second)
			p.in(t, "m", "consecutive(25)")
			p.in(t, "m", `start("own", 1e9)`)
			p.run(time.Second)
			p.in(t, "m", `assert(done.own > 30, done.own)`)
			p.server.withoutSuspensions(t)
			assert.NotContains(t, strings.Join(p.server.log, "\n"), "used up")
		})
	}
}

// TestNoStopAcrossADoor checks that a thread does not stop in a function of another mod, an
// override or a callback of a datablock. The budget of a callback ends it there.
func TestNoStopAcrossADoor(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"other/server/init.lua": `
			local function work(n) for i = 1, n do end return n end
			export("work", work)
			export("plain", function(n) return n end)
			Stone = datablock "ItemData" "Stone" {}
			function Stone:onAdd(o) work(tonumber(o.name:match "%d+")) end`,
		"m/server/init.lua": `
			local other = import "other"
			override(other, "plain", function(parent, n) for i = 1, n do end return parent(n) end)
			doors = {
				import = function(n) other.work(n) end,
				override = function(n) other.plain(n) end,
				datablock = function(n) new "Item" { dataBlock = find "Stone", name = "n" .. n } end,
			}
			export("run", function(door, n) spawn(function() doors[door](n) echo("done", door) end) end)`,
	})).load("other", "m")
	h.shortTicks()
	for _, door := range []string{"import", "override", "datablock"} {
		h.out, h.log = nil, nil
		h.line(fmt.Sprintf(`import("m").run(%q, 60000)`, door))
		h.ticks(2)
		assert.Equal(t, []string{"done\t" + door}, h.out, h.log)
		h.line(fmt.Sprintf(`import("m").run(%q, 200000)`, door))
		h.ticks(8)
		assert.Contains(t, strings.Join(h.log, "\n"), "the budget of 100000 instructions is used up", door)
		assert.Empty(t, h.out, door)
	}
}

// TestAStoppedThreadIsATimer checks what others see of a thread that has stopped: the list of
// timers, cancelAll, its object, its mod and a reload.
func TestAStoppedThreadIsATimer(t *testing.T) {
	const body = "\nlocal n = 0\nfor i = 1, 1e9 do\nn = n + 1\nreached = i\nend"
	h := long(t, "function onReload() wasReloaded = true end")
	h.do("spawn(function()" + body + " end)")
	h.ticks(3)
	assert.Regexp(t, `(?m)^m +\d+ +0\.0\d\ds +- +- +thread .+:[345]$`, h.line("mod.timers m"))
	assert.Equal(t, "1\t0", h.do("return cancelAll(), cancelAll()"))
	stands := func(why string) {
		t.Helper()
		reached := h.do("return reached")
		h.ticks(4)
		assert.Equal(t, reached, h.do("return reached"), why)
		assert.Empty(t, h.log, why)
	}
	stands("cancelled")

	h.do("box = new 'SimSet' {} box:spawn(function(self)" + body + " end)")
	h.ticks(3)
	h.do("box:delete()")
	stands("its object is deleted")

	h.do("spawn(function()" + body + " end)")
	h.ticks(3)
	assert.Regexp(t, `(?m)^spawn +[2-9] +0 `, say(t, h, "mod.top m"))
	h.line("mod.reload m")
	h.ticks(2)
	assert.Equal(t, "nil\ttrue", h.do("return reached, wasReloaded"))
	h.ticks(4)
	assert.Equal(t, "nil", h.do("return reached"))

	h.do("spawn(function()" + body + " end)")
	h.ticks(3)
	h.line("mod.disable m")
	h.ticks(3)
	assert.Zero(t, h.host.Schedule().OfMod("m"))
}

// TestAStoppedThreadWaitsForASuspension checks that a thread which has stopped goes on when the
// suspension of threads is over.
func TestAStoppedThreadWaitsForASuspension(t *testing.T) {
	h := long(t, "")
	h.do(`start("a", 3000) for _ = 1, 5 do spawn(error, "broken") end`)
	h.ticks(4)
	require.Contains(t, h.line("mods"), "1 handler")
	reached := h.do("return done.a")
	h.ticks(100)
	assert.Equal(t, reached, h.do("return done.a"))
	h.ticks(350)
	assert.Equal(t, "3000", h.do("return done.a"))
}

// TestAnErrorOfALongThreadNamesItsLine checks the message and the traceback of an error after
// stops.
func TestAnErrorOfALongThreadNamesItsLine(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{"m/server/init.lua": `
local function inner()
	for i = 1, 50000 do end
	error "late"
end
local function outer()
	for i = 1, 50000 do end
	inner()
	return 1
end
export("start", function() spawn(outer) end)`})).load("m")
	h.shortTicks()
	h.line(`import("m").start()`)
	h.ticks(8)
	assert.Contains(t, strings.Join(h.log, "\n"), "mods/m/server/init.lua:4: late")
	assert.Contains(t, h.line("mod.faults m"), "mods/m/server/init.lua:4: late")
}

// star finds a path around walls on a grid of size × size, by A* with a binary heap.
const star = `
function star(size)
	local function wall(x, y) return x % 8 == 4 and (x % 16 == 4 and y > 2 or x % 16 == 12 and y < size - 1) and true or false end
	local open, cost, from, at = {}, {}, {}, {}
	local function swap(a, b) open[a], open[b] = open[b], open[a] at[open[a].id] = a at[open[b].id] = b end
	local function up(i)
		while i > 1 and open[i].f < open[math.floor(i / 2)].f do
			local parent = math.floor(i / 2)
			swap(i, parent)
			i = parent
		end
	end
	local function pop()
		local top = open[1]
		swap(1, #open)
		open[#open] = nil
		at[top.id] = nil
		local i = 1
		while true do
			local least = i
			for child = 2 * i, 2 * i + 1 do
				if open[child] and open[child].f < open[least].f then least = child end
			end
			if least == i then return top end
			swap(i, least)
			i = least
		end
	end
	local function push(x, y, g, parent)
		local id = y * size + x
		if x < 1 or y < 1 or x > size or y > size or wall(x, y) or cost[id] and cost[id] <= g then return end
		cost[id], from[id] = g, parent
		local node = { id = id, x = x, y = y, f = g + size - x + size - y }
		local i = at[id] or #open + 1
		open[i], at[id] = node, i
		up(i)
	end
	push(1, 1, 0)
	while #open > 0 do
		local node = pop()
		if node.x == size and node.y == size then
			local steps, id = 0, node.id
			while from[id] do steps, id = steps + 1, from[id] end
			return steps
		end
		local g = cost[node.id] + 1
		push(node.x + 1, node.y, g, node.id)
		push(node.x - 1, node.y, g, node.id)
		push(node.x, node.y + 1, g, node.id)
		push(node.x, node.y - 1, g, node.id)
	end
end`
