package script_test

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script/vm"
)

// The hostile scripts are in testdata/hostile. Each file has a family, each section a script:
//
//	=== NAME | STOP | part of the error
//	code that runs as an event of the mod evil
//	--- evil/circle.lua
//	a file that the code needs
//
// STOP is a budget (instructions, time, heap), a cap (string, depth), the compiler, or refused: an
// ordinary error. A script with STOP `ends` returns. The following ticks then stop its remaining
// callbacks.

// An attack is one script of the collection.
type attack struct {
	family, name, stop, says, source string
	files                            map[string]string
}

// stops maps the limit that stops an attack to words of the error.
var stops = map[string]string{
	"instructions": "instructions is used up", "time": "instructions is used up", "heap": "memory budget", "string": "", "depth": "", "compile": "", "refused": "",
}

// garbage has the limits that an attack may reach after the memory budget, because when garbage is
// collected depends on the process.
var garbage = map[string]bool{"instructions": true, "time": true, "string": true, "depth": true}

// collection reads testdata/hostile.
func collection(t testing.TB) []attack {
	names, err := filepath.Glob("testdata/hostile/*.lua")
	require.NoError(t, err)
	var all []attack
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, section := range strings.Split("\n"+string(text), "\n=== ")[1:] {
			head, body, _ := strings.Cut(section, "\n")
			parts := append(strings.Split(head, " | "), "")
			a := attack{family: strings.TrimSuffix(filepath.Base(name), ".lua"), name: parts[0], stop: parts[1], says: strings.TrimSpace(parts[2]), files: map[string]string{}}
			pieces := strings.Split("\n"+body, "\n--- ")
			a.source = strings.TrimPrefix(pieces[0], "\n")
			for _, piece := range pieces[1:] {
				file, content, _ := strings.Cut(piece, "\n")
				a.files[file] = content
			}
			all = append(all, a)
		}
	}
	return all
}

// witness is a mod that counts its own work. Its state must be the same whatever other mods do.
const witness = `
ticks, calls = 0, 0
local kept = { deep = { 1, 2, 3 }, text = "mine" }
local object = new "ScriptObject" { name = "WitnessObject" }
object.own.secret = 42
datablock "ItemData" "WitnessDisc" { mass = 2 }
function onTick() ticks = ticks + 1 end
function serverCmdWitness() end
local mine = setmetatable({}, { __index = function(_, k) return k end })
local line = coroutine.wrap(function() local n = 0 while true do n = n + 1 coroutine.yield(n) end end)
expected = 0
function check()
	expected = expected + 1
	assert(line() == expected)
	assert(kept.deep[1] + kept.deep[2] + kept.deep[3] == 6 and #kept.deep == 3 and kept.text == "mine" and mine.x == "x")
	assert(("x"):rep(3):upper() == "XXX" and ("%d"):format(7) == "7" and table.concat({1, 2}, "-") == "1-2" and "a" .. 1 == "a1")
	assert(math.floor(1.5) == 1 and tostring(nil) == "nil" and select("#", 1, 2) == 2 and type(pairs) == "function")
	assert(isObject(object) and object.own.secret == 42 and not object.own.stolen)
	return ticks
end
export("count", function() calls = calls + 1 return calls end)
export("apply", function(n) for i = 1, n do end end)
export("keep", function(v) return v end)
export("fail", function() error("not my fault") end)
export("callBack", function() coroutine.yield() end)
`

// A attackedServer is a server with the witness and the attacker on it.
type attackedServer struct {
	*half
	peak  uint64 // heap size, read by the meter
	heap  []metrics.Sample
	ticks int
}

// attackServer makes a server with an attack's files. If slow steps do not stop the attack, the CPU
// clock stands still: then all results are exact. Attacks that instructions stop have a twentieth
// of the usual budget, so that tests are quick.
func attackServer(t testing.TB, a attack) *attackedServer {
	wall := time.Duration(0)
	clock := func() time.Duration { wall += time.Millisecond; return wall }
	limits := vm.Limits{Callback: vm.DefaultLimits.Callback, Tick: 1 << 50, Ticking: 1 << 50}
	if a.stop != "time" {
		limits.Callback.Instructions *= 2
	}
	limits.Load = vm.Limit{Instructions: limits.Callback.Instructions, Heap: limits.Callback.Heap}
	limits.Callback.Time = 0
	switch {
	case a.stop == "time":
		limits.Callback.Time, clock = vm.DefaultLimits.Callback.Time, realTime
	case a.family == "sources" && a.stop != "instructions":
		limits.Callback.Instructions *= 100 // most of the longest sources
	case a.stop == "ends":
		limits.Callback.Instructions /= 4
	case a.stop == "instructions":
		limits.Callback.Instructions /= 20
	}
	mods := map[string]string{"witness/server/init.lua": witness, "evil/server/init.lua": "",
		"evil/mod.toml": "name = \"evil\"\nversion = \"1.0.0\"\npermissions = [\"mod.delete\", \"mod.override\", \"mod.settings\"]\n"}
	names := []string{"evil", "witness"} // in each tick the witness gets the time that the attack leaves
	for file, text := range a.files {
		mods[file] = text
		if mod, _, _ := strings.Cut(file, "/"); mod != "evil" {
			names = append(names, mod)
		}
	}
	server := newHalf(t, 1, true, files(mods))
	f := &attackedServer{half: server, heap: []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}}
	for _, err := range f.scripts.LoadMods(names...) {
		require.NoError(t, err)
	}
	f.setMeter(limits, clock, f.sample)
	if a.stop == "time" {
		f.cpu = threadTime
	}
	return f
}

// sample returns the heap size for the meter.
func (f *attackedServer) sample() uint64 {
	metrics.Read(f.heap)
	n := f.heap[0].Value.Uint64()
	f.peak = max(f.peak, n)
	return n
}

// An outcome is the result of an attack.
type outcome struct {
	err    error
	took   time.Duration // duration of the event
	tick   time.Duration // slowest of the ticks after it
	growth uint64        // of the heap during the event
}

// runAttack runs an attack as an event of evil, then some ticks.
func (f *attackedServer) runAttack(a attack) (o outcome) {
	m := f.scripts.Runtime.Mod("evil")
	base := f.sample()
	f.peak = base
	fn, err := m.Compile("mods/evil/attack.lua", a.source, false)
	start := spentTime()
	if err == nil {
		_, err = f.scripts.Runtime.Enter(m, fn)
		if err != nil {
			f.scripts.Runtime.Fail(m, "attack", err)
		}
	}
	o.err, o.took = err, spentTime()-start
	f.sample()
	o.growth = f.peak - base
	for range 4 {
		start = spentTime()
		f.ticks++
		f.host.Tick(netcore.Time(f.ticks) * netcore.Time(32*time.Millisecond))
		o.tick = max(o.tick, spentTime()-start)
	}
	return o
}

// served returns the number of ticks that the witness has run.
func (f *attackedServer) served(t testing.TB) int {
	t.Helper()
	w := f.scripts.Runtime.Mod("witness")
	require.Empty(t, w.Suspended())
	check, ok := w.Global("check").(*lua.LFunction)
	require.True(t, ok)
	f.scripts.Hooks().BeginTick()
	out, err := f.scripts.Runtime.EnterWith(vm.Limit{Instructions: 1e6}, w, check)
	require.NoError(t, err)
	n, ok := out[0].(lua.LNumber)
	require.True(t, ok)
	return int(n)
}

// unharmed fails if the host or the witness was affected.
func (f *attackedServer) unharmed(t testing.TB) {
	t.Helper()
	require.Zero(t, f.scripts.Runtime.Depth())
	require.Zero(t, f.scripts.Runtime.Guards())
	require.Equal(t, f.ticks, f.served(t), "ticks of the witness")
	for _, line := range f.log {
		for _, bug := range []string{"internal error", "nil pointer", "BUG", "out of range", "runtime error"} {
			require.NotContains(t, line, bug)
		}
		require.Less(t, len(line), 10_000)
	}
}

var began = time.Now()

func realTime() time.Duration { return time.Since(began) }

// ceiling is the most CPU time that an attack may take, with its budget, garbage collection and
// the race detector. The log has the time without the race detector.
const ceiling = time.Second

const most = 64 << 20 // bytes by which an attack may make the heap grow

func TestHostileCollection(t *testing.T) {
	all := collection(t)
	require.GreaterOrEqual(t, len(all), 200)
	names := map[string]bool{}
	goroutines := runtime.NumGoroutine()
	for i, a := range all {
		name := a.family + "/" + a.name
		require.False(t, names[name], name)
		names[name] = true
		if i%testenv.Length(24, 1) != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for attempt := range attempts {
				f := attackServer(t, a)
				o := f.runAttack(a)
				t.Logf("%-12s event %6.1f ms, tick %6.1f ms, heap %4d MiB, %s", a.stop, ms(o.took), ms(o.tick), o.growth>>20, name)
				a.judge(t, o, f)
				f.unharmed(t)
				if o.took < ceiling && o.growth <= most {
					break
				}
				require.Less(t, attempt, attempts-1, "never in time and memory")
			}
		})
	}
	for limit := testenv.Limit(t); runtime.NumGoroutine() > goroutines && !testenv.Expired(limit); {
		testenv.Pause() // finished goroutines are counted until they are gone
	}
	var stacks strings.Builder
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&stacks, 1))
	assert.LessOrEqual(t, runtime.NumGoroutine(), goroutines, stacks.String())
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// judge compares an outcome with the expectation of the collection.
func (a attack) judge(t *testing.T, o outcome, f *attackedServer) {
	t.Helper()
	if a.stop == "ends" {
		require.NoError(t, o.err)
		require.Contains(t, strings.Join(f.log, "\n"), a.says)
		return
	}
	words, known := stops[a.stop]
	require.True(t, known, a.stop)
	if garbage[a.stop] && o.err != nil && strings.Contains(o.err.Error(), stops["heap"]) {
		return
	}
	require.ErrorContains(t, o.err, words)
	require.ErrorContains(t, o.err, a.says)
	require.Less(t, len(o.err.Error()), 5000)
}
