package modtrial

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
)

// folder makes a folder of mods from pairs of "mod/path" and text. It adds a mod.toml where none is
// given.
func folder(pairs ...string) fs.FS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		mod, _, _ := strings.Cut(pairs[i], "/")
		if manifest := mod + "/mod.toml"; all[manifest] == nil {
			all[manifest] = &fstest.MapFile{Data: []byte("name = \"" + mod + "\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\n")}
		}
	}
	return all
}

// run runs the tests of a mod m with these files.
func run(t *testing.T, o Options, pairs ...string) []Result {
	t.Helper()
	o.Mod, o.Folders = "m", []fs.FS{mods.FS(), folder(pairs...)}
	results, err := Run(o)
	require.NoError(t, err)
	return results
}

// one runs one test whose code begins on line 2.
func one(t *testing.T, code string) Result {
	t.Helper()
	results := run(t, Options{}, "m/test/x_test.lua", "test('x', function()\n"+code+"\nend)")
	require.Len(t, results, 1)
	return results[0]
}

// TestEmbeddedModsPassTheirTests runs the tests of every mod that comes with torc.
func TestEmbeddedModsPassTheirTests(t *testing.T) {
	list, err := fs.ReadDir(mods.FS(), ".")
	require.NoError(t, err)
	for _, mod := range list {
		t.Run(mod.Name(), func(t *testing.T) {
			results, err := Run(Options{Folders: []fs.FS{mods.FS()}, Mod: mod.Name()})
			require.NoError(t, err)
			assert.NotEmpty(t, results)
			for _, r := range results {
				assert.NoError(t, r.Err, "%s: %s\n%s\n%s", r.File, r.Name, r.Trace, strings.Join(r.Log, "\n"))
			}
		})
	}
}

// TestAssertions checks the message of each failed assertion, and that a true assertion passes.
func TestAssertions(t *testing.T) {
	const at = "mods/m/test/x_test.lua:2: "
	for code, want := range map[string]string{
		`equal(1, 1)`:                                     "",
		`equal("1", 1)`:                                   at + `got "1", want 1`,
		`equal(nil, false, "what")`:                       at + `what: got nil, want false`,
		`equal(0/0, 0/0)`:                                 at + `got nan, want nan`,
		`equal({1, {x = 2}}, {1, {x = 2}})`:               "",
		`equal({1, {x = 2}}, {1, {x = 3}})`:               at + `[2].x: got 2, want 3`,
		`equal({a = 1, b = 2}, {b = 2, c = 3})`:           at + `.a: got 1, want nil; .c: got nil, want 3`,
		`equal({1, 2, 3, 4, 5, 6, 7}, {})`:                at + `[1]: got 1, want nil; [2]: got 2, want nil; [3]: got 3, want nil; [4]: got 4, want nil; [5]: got 5, want nil; and 2 more`,
		`equal({{1, 2}, n = "x"}, 3)`:                     at + `got {{1, 2}, n = "x"}, want 3`,
		`equal({["a b"] = 1}, {})`:                        at + `["a b"]: got 1, want nil`,
		`equal(vec(1, 2, 3), vec(1, 2, 3))`:               "",
		`equal(vec(1, 2, 3), vec(1, 2, 4))`:               at + `got vec(1, 2, 3), want vec(1, 2, 4)`,
		`equal(tag "x", tag "x")`:                         "",
		`equal(tag "x", "x")`:                             at + `got tag "x", want "x"`,
		`local t = {} t.t = t equal(t, t)`:                "",
		`local a, b = {}, {} a.t, b.t = a, b equal(a, b)`: at + strings.Repeat(".t", 16) + `: got {t = <cycle>}, want {t = <cycle>}`,
		`equal(1)`:                            at + `equal: argument 2 (want) is missing`,
		`near(1, 1.0005)`:                     "",
		`near(1, 2, 0.5, "speed")`:            at + `speed: got 1, want 2 within 0.5, the distance is 1`,
		`near(vec(0, 0, 0), vec(0, 3, 4), 5)`: "",
		`near(vec(0, 0, 0), vec(0, 3, 4), 4)`: at + `got vec(0, 0, 0), want vec(0, 3, 4) within 4, the distance is 5`,
		`near(0/0, 1)`:                        at + `got nan, want 1 within 0.001, the distance is NaN`,
		`equal(truthy(0), 0)`:                 "",
		`truthy(false, "the flag is home")`:   at + `the flag is home: got false, want a value other than nil and false`,
		`equal(fails(function() error("oh no", 0) end), "oh no")`:        "",
		`fails(function() error "oh no" end, "no")`:                      "",
		`fails(function() error "oh no" end, "yes")`:                     at + `fails: the error is "mods/m/test/x_test.lua:2: oh no", want one that contains "yes"`,
		`fails(function() end)`:                                          at + `fails: the function raised no error`,
		`error "by hand"`:                                                at + `by hand`,
		`assert(false, "by assert")`:                                     `by assert`,
		`nosuch()`:                                                       at + `attempt to call global 'nosuch' (a nil value)`,
		`pcall(function() wait(1) end) equal(now() > 0, true)`:           "",
		`assert(pcall(function() wait(1) end))`:                          at + `wait: only the test function itself can wait, not a pcall, coroutine, callback, handler`,
		`waitFor(function() wait(1) end)`:                                at + `wait: only the test function itself can wait, not a pcall, coroutine, callback, handler or the function of waitFor`,
		`coroutine.wrap(function() ticks(1) end)()`:                      at + `ticks: only the test function itself can wait, not a pcall, coroutine, callback, handler`,
		`table.sort({2, 1}, function() ticks(1) end)`:                    at + `ticks: yield cannot cross a metamethod, iterator or callback`,
		`coroutine.yield()`:                                              `mods/m/test/x_test.lua:1: a test cannot yield; use wait, ticks, waitFor or client`,
		`wait(-1)`:                                                       at + `wait: ms must be 0 or more, not -1`,
		`waitFor(function() return false end, 100)`:                      at + `the condition was not met (within 100 ms)`,
		`waitFor(function() return false end, 100, "no flag")`:           at + `no flag (within 100 ms)`,
		`waitFor(function() error "x" end)`:                              at + `x`,
		`equal(waitFor(function() return tick() % 5 == 0 and 7 end), 7)`: "",
		`local a = now() wait(320) equal(now() - a, 320)`:                "",
		`local a = tick() ticks(7) ticks() wait(0) equal(tick() - a, 9)`: "",
		`test("another", function() end)`:                                at + `test: a test cannot declare another test`,
		`logError "broken"`:                                              `the server has logged an error: mods/m/test/x_test.lua:2: broken`,
		`logError "broken" truthy(log()[1]:find "broken")`:               "",
		`schedule(0, function() error "later" end) ticks(2)`:             `the server has logged an error: m: schedule: mods/m/test/x_test.lua:2: later`,
		`client { halfs = true }`:                                        at + `client: unknown option "halfs"`,
		`equal(console "1 + 1", "2") equal(console "echo(3)", "3")`:      "",
		`console "nonsense("`:                                            at,
		`network(3, {})`:                                                 at + `network: argument 1 (client) must be a test client, not a number`,
		`network(client(), { delay = -1 })`:                              at + `network: delay must be 0…60000`,
		`client().nosuch()`:                                              at + `a test client has no "nosuch"`,
	} {
		r := one(t, code)
		if want == "" {
			assert.NoError(t, r.Err, code)
		} else if assert.Error(t, r.Err, code) {
			assert.True(t, strings.HasPrefix(r.Err.Error(), want), "%s\n%s\n%s", code, r.Err, want)
		}
	}
}

// TestWaits checks the length of waits, in ticks of 32 ms.
func TestWaits(t *testing.T) {
	for code, ticks := range map[string]int{
		"": 0, "wait(0)": 1, "wait(1)": 1, "wait(32)": 1, "wait(33)": 2, "wait(320)": 10, "ticks()": 1, "ticks(7)": 7, "wait(64) ticks(2)": 4,
		"waitFor(function() return true end)": 1, "waitFor(function() return false end, 100)": 4, "waitFor(function() return false end)": 157,
	} {
		assert.Equal(t, ticks, one(t, code).Ticks, code)
	}
}

func TestClientPlaysAndLeaves(t *testing.T) {
	results := run(t, Options{}, "m/test/x_test.lua", `
test("joins", function()
  local ann = client { name = "Ann" }
  equal({ ann.joined, ann.name, ann.client.name, #clientGroup }, { true, "Ann", "Ann", 1 })
  ann:say("hello")
  wait(200)
  equal(ann:lines(), { "Ann: hello" })
  equal(ann:lines(), {}, "they are taken")
  equal({ ann:lua("return 1 + ..., 'x', { a = vec(1, 2, 3) }", 2) }, { 3, "x", { a = vec(1, 2, 3) } })
  fails(function() ann:lua "error 'there'" end, "client Ann:1: there")
  fails(function() ann:lua "((" end, "client Ann:1:")
end)
test("leaves with the test", function() equal(#clientGroup, 0) end)
test("leaves when it likes", function()
  local ann = client()
  ann:leave "tea"
  wait(200)
  equal({ ann.joined, #clientGroup }, { false, 0 })
  fails(function() ann:say "x" end, "is not in the game: ")
end)
test("objects cross as ghosts and back", function()
  local ann = client()
  local thing = new "Marker" { position = vec(1, 2, 3), name = "thing" }
  thing:setScopeAlways()
  waitFor(function() return ann:lua("return (...) ~= nil", thing) end)
  near(ann:lua("return (...).position", thing), vec(1, 2, 3))
  equal(ann:lua("return ...", thing), thing)
  equal(ann:lua("return server"), ann.client)
  equal(ann:lua("return ... == server", ann.client), true)
  equal(ann:lua("return new 'Marker' {}"), nil, "what is its own is nothing here")
  thing:delete()
end)
`)
	for _, r := range results {
		assert.NoError(t, r.Err, "%s %v", r.Name, r.Log)
	}
	require.Len(t, results, 4)
}

func TestClientsAreRefused(t *testing.T) {
	r := run(t, Options{}, "m/server/init.lua", `
function GameConnection.onConnectRequest(client, address, word)
  if word ~= "please" then return "say please" end
end`, "m/test/x_test.lua", `
test("x", function()
  local rude = client { name = "Rude" }
  equal({ rude.joined, rude.reason }, { false, "say please" })
  fails(function() rude:command("X") end, "the client Rude is not in the game: say please")
  equal(client { args = { "please" } }.joined, true)
end)`)[0]
	assert.NoError(t, r.Err)
}

// TestClientLoadsClientFiles checks that a client loads the client files of all mods, unless the
// test asks for a client with only base.
func TestClientLoadsClientFiles(t *testing.T) {
	r := run(t, Options{}, "m/client/init.lua", `echo "the client's half of m"`, "m/test/x_test.lua", `
test("x", function()
  equal(client():lines(), { "the client's half of m" })
  equal(client { halves = false }:lines(), {})
end)`)[0]
	assert.NoError(t, r.Err)
}

func TestRolesAndPermissions(t *testing.T) {
	r := run(t, Options{}, "m/mod.toml", "name = \"m\"\nversion = \"1.0.0\"\npermissions = [\"console.kick\"]\n", "m/server/init.lua", `
addCommand { name = "m.open", role = "mapper", chat = true, run = function(caller) return "opened" end }
addCommand { name = "m.out", chat = true, run = function(caller) kick(caller.name, "as you wish") end }
`, "m/test/x_test.lua", `
test("roles", function()
  local ann, bob = client { roles = { "mapper" } }, client()
  wait(100)
  ann:lines() bob:lines()
  ann:say "/m.open" bob:say "/m.open"
  wait(200)
  equal(ann:lines(), { "opened" })
  truthy(bob:lines()[1] ~= "opened")
end)
test("what the manifest asks for is granted", function()
  local ann = client()
  ann:say "/m.out"
  waitFor(function() return not ann.joined end)
  truthy(ann.reason:find("as you wish", 1, true), ann.reason)
end)`)
	for _, r := range r {
		assert.NoError(t, r.Err, r.Name)
	}
}

// TestBans checks that a banned client gets the same message as after an operator's ban.
func TestBans(t *testing.T) {
	r := one(t, `local ann = client { name = "Ann" }
local key = ann.client.key
console("ban ann 2h mind your words")
waitFor(function() return not ann.joined end)
equal(ann.reason, "kicked: banned: mind your words (for 2h0m0s)")
equal(console "bans", key .. " for 2h0m0s Ann mind your words")
console("unban " .. key)
equal(console "bans", "")
fails(function() console "ban nobody" end, "no player has the id or name")
local bob = addBot "Bob"
fails(function() console "ban Bob" end, "is a bot and has no key")`)
	assert.NoError(t, r.Err)
}

func TestSimulatedNetwork(t *testing.T) {
	r := one(t, `local ann = client() wait(3000) local good = ann.client.ping
network(ann, { delay = 200 })
truthy(good < 100, good)
waitFor(function() ann:say "x" return ann.client.ping > 350 end, 60000)
network(ann, { loss = 1 }) waitFor(function() return not ann.joined end, 60000)`)
	assert.NoError(t, r.Err)
}

// TestTestsShareModState checks that tests share the state of server/init.lua, and that the mod
// does not see the globals of the tests.
func TestTestsShareModState(t *testing.T) {
	results := run(t, Options{}, "m/server/init.lua", `
wait = "mine"
points = 0
function add(n) points = points + n return rawget(_G, "equal") end
function serverCmd.Add(client, n) add(n) end
`, "m/test/a_test.lua", `
local help = require "test.help"
equal(points, 0)
test("one", function()
  equal(add(3), nil, "mods see nothing of tests")
  equal(points, 3)
  equal(help(4), 8)
  client():command("Add", 2)
  wait(100)
  equal(points, 5)
  function add(n) points = -n end
  client():command("Add", 2)
  wait(100)
  equal(points, -2, "what a test defines counts")
end)
test("two", function() equal(points, -2, "the tests of a file share a server") end)`,
		"m/test/b_test.lua", `test("three", function() equal(points, 0, "every file has its own") end)`,
		"m/test/help.lua", `return function(n) equal(n, 4) return n * 2 end`)
	require.Len(t, results, 3)
	for _, r := range results {
		assert.NoError(t, r.Err, r.Name)
	}
}

// TestFailureReport checks that a failure names its line, with the stack trace and the surrounding
// log.
func TestFailureReport(t *testing.T) {
	r := one(t, "warn 'careful'\nlocal function deep()\n  wait(64)\n  equal(1, 2, 'one')\nend\ndeep()")
	require.EqualError(t, r.Err, "mods/m/test/x_test.lua:5: one: got 1, want 2")
	assert.Equal(t, "mods/m/test/x_test.lua", r.File)
	assert.Equal(t, "x", r.Name)
	assert.Equal(t, 2, r.Ticks)
	assert.Contains(t, r.Trace, "mods/m/test/x_test.lua:5 in deep")
	assert.Contains(t, r.Trace, "mods/m/test/x_test.lua:7 in ")
	assert.Equal(t, []string{"mods/m/test/x_test.lua:2: careful"}, r.Log)
}

// TestAFailedWaitSaysWhoWaits checks that a failed waitFor has the calls that led to it: a helper
// that waits is called from many lines.
func TestAFailedWaitSaysWhoWaits(t *testing.T) {
	r := one(t, `local function flag(n)
  waitFor(function() return n > 5 end, 100, "flag " .. n)
end
flag(7)
flag(3)`)
	assert.EqualError(t, r.Err, "mods/m/test/x_test.lua:3: flag 3 (within 100 ms)")
	assert.Equal(t, "\tmods/m/test/x_test.lua:3 in flag\n\tmods/m/test/x_test.lua:6 in f", r.Trace)
}

// TestLogs checks that log lines have their position and their fields. An error of the mod has a
// stack trace.
func TestLogs(t *testing.T) {
	results := run(t, Options{}, "m/server/init.lua", `
allowCommand("Go", { args = { "int" } })
function serverCmd.Go(client, n) end
`, "m/test/x_test.lua", `
test("a refused call", function()
  local ann = client()
  ann:command("Go", "far")
  wait(100)
  equal(#log(), 1)
  truthy(log()[1]:find('^command refused command=Go connection=%d+ why="command argument 1 is'), log()[1])
end)
test("where", function()
  schedule(0, warn, "from nowhere")
  client():lua "logError 'there'"
  wait(100)
  equal(log(), { "m: from nowhere", "Player 1: client Player 1:1: there" })
end)
test("a mistake", function()
  schedule(0, function() local function deep() error "oh" end deep() end)
  ticks(2)
end)`)
	require.Len(t, results, 3)
	assert.NoError(t, results[0].Err)
	assert.NoError(t, results[1].Err)
	assert.EqualError(t, results[2].Err, "the server has logged an error: m: schedule: mods/m/test/x_test.lua:16: oh (in deep)")
	assert.Contains(t, results[2].Trace, "x_test.lua:16 in deep")
}

// TestLogsBelongToTheirTest: an error of a test, also of one that fails by itself or of its clients
// that leave, does not fail the next test.
func TestLogsBelongToTheirTest(t *testing.T) {
	results := run(t, Options{}, "m/server/init.lua", `
addCommand { name = "buy", description = "buys", chat = true, run = function() error "sold out" end }
function GameConnection.onDrop() if leaves then error "stays" end end
`, "m/test/x_test.lua", `
test("fails twice", function() client():say "/buy" wait(200) equal(1, 2) end)
test("only waits", function() wait(100) equal(log(), {}) end)
test("fails as its client leaves", function() leaves = true client() end)
test("waits again", function() leaves = false wait(100) equal(log(), {}) end)`)
	var errs []string
	for _, r := range results {
		errs = append(errs, fmt.Sprint(r.Err))
	}
	assert.Equal(t, []string{
		"mods/m/test/x_test.lua:2: got 1, want 2", "<nil>",
		"the server has logged an error: m: onDrop: mods/m/server/init.lua:3: stays (in the function of line 3)", "<nil>",
	}, errs)
	assert.Equal(t, []string{"m: /buy: mods/m/server/init.lua:2: sold out (in the function of line 2) (base > m)"}, results[0].Log)
}

// TestHostileTests checks that the next test runs after any failure.
func TestHostileTests(t *testing.T) {
	results := run(t, Options{}, "m/test/x_test.lua", `
test("spins where it cannot be caught", function() while true do pcall(function() while true do end end) end end)
test("waits for ever", function() while true do wait(1e9) end end)
test("asks for ever", function() waitFor(function() return false end, 1e9) end)
test("recurses", function() local function f() return 1 + f() end f() end)
test("hoards", function() local s = ("x"):rep(1024) while true do s = s .. s end end)
test("has a handler that spins", function() function onTick() while true do end end ticks(2) end)
test("is not impressed", function() onTick = nil ticks(2) equal(1, 1) end)`)
	require.Len(t, results, 7)
	for i, want := range []string{
		"budget of 20000000 instructions", "has not ended after 10m0s of its time", "has not ended after 10m0s of its time", "stack overflow",
		"", "budget of 1000000 instructions",
	} {
		require.Error(t, results[i].Err, results[i].Name)
		assert.Contains(t, results[i].Err.Error(), want, results[i].Name)
	}
	assert.NoError(t, results[6].Err)
	assert.Equal(t, maxTicks, results[1].Ticks)
	assert.True(t, strings.HasPrefix(results[1].Err.Error(), "mods/m/test/x_test.lua:3: wait(1000000000)"), results[1].Err)
}

func TestTimeout(t *testing.T) {
	results := run(t, Options{Timeout: time.Nanosecond}, "m/test/x_test.lua", `test("x", function() wait(100) end)`)
	require.Len(t, results, 1)
	assert.ErrorContains(t, results[0].Err, "the tests have not ended after 1ns")
}

func TestFilesThatFail(t *testing.T) {
	for text, want := range map[string]string{
		"test('x', function()":                  "mods/m/test/x_test.lua:1:",
		"\nerror 'x'":                           "mods/m/test/x_test.lua:2: x",
		"wait(1)":                               "mods/m/test/x_test.lua:1: wait: this works only inside a test",
		"client()":                              "mods/m/test/x_test.lua:1: client: this works only inside a test",
		"test('x')":                             "mods/m/test/x_test.lua:1: test: argument 2 (fn) must be a function, not nil",
		"for i = 1, 2 do test('x', print) end":  `mods/m/test/x_test.lua:1: test: duplicate test "x", first declared at mods/m/test/x_test.lua:1`,
		"for i = 1, 2000 do test(i, print) end": "mods/m/test/x_test.lua:1: test: a file can have at most 1000 tests",
		"while true do end":                     "the budget of 20000000 instructions is used up",
		"require 'test.nosuch'":                 "mods/m/test/x_test.lua:1: there is no file mods/m/test/nosuch.lua",
		"require 'test.x_test'":                 `mods/m/test/x_test.lua:1:`,
	} {
		results := run(t, Options{}, "m/test/x_test.lua", text, "m/test/y_test.lua", "test('y', function() end)")
		require.Len(t, results, 2, text)
		assert.ErrorContains(t, results[0].Err, want)
		assert.Equal(t, Result{File: "mods/m/test/x_test.lua", Err: results[0].Err, Trace: results[0].Trace, Log: results[0].Log, Took: results[0].Took}, results[0])
		assert.NoError(t, results[1].Err, "the next file is not concerned")
	}
}

func TestModsThatDoNotLoad(t *testing.T) {
	for _, c := range []struct{ mod, says string }{
		{"broken", "mod broken is not loaded: mods/broken/server/init.lua:1: oh"},
		{"nosuch", "unknown mod nosuch; installed are: base, "},
		{"lonely", "mod lonely needs friend, which is not installed"},
		{"untested", "mod untested needs base ^9, but version "},
		{"naked", "mod naked is not loaded: mods/naked/server/init.lua:1: oh"},
	} {
		_, err := Run(Options{Mod: c.mod, Folders: []fs.FS{mods.FS(), folder(
			"broken/server/init.lua", "error 'oh'", "broken/test/x_test.lua", "test('x', function() end)",
			"lonely/mod.toml", "name = 'lonely'\nversion = '1.0.0'\ndepends = ['friend']", "lonely/test/x_test.lua", "",
			"untested/mod.toml", "name = 'untested'\nversion = '1.0.0'\ndepends = ['base ^9']", "naked/server/init.lua", "error 'oh'",
			"good/test/x_test.lua", "test('x', function() end)",
		)}})
		require.ErrorContains(t, err, c.says)
	}
	results, err := Run(Options{Mod: "good", Folders: []fs.FS{mods.FS(), folder(
		"good/test/x_test.lua", "test('x', function() end)", "awry/mod.toml", "name = 3",
	)}})
	require.NoError(t, err, "a mod beside it that is broken does not matter")
	assert.Len(t, results, 1)
}

func TestOnly(t *testing.T) {
	files := []string{"m/test/x_test.lua", "test('flag home', function() end) test('flag away', function() end) test('vote', function() end)"}
	for pattern, want := range map[string]int{"flag": 2, "^flag home$": 1, "nothing": 0, "": 3} {
		assert.Len(t, run(t, Options{Only: regexp.MustCompile(pattern)}, files...), want, pattern)
	}
	assert.Empty(t, run(t, Options{}, "m/server/init.lua", ""), "no tests are no error")
}

// TestStorage checks that stored values last for one test file only.
func TestStorage(t *testing.T) {
	const text = `
local safe
test("put", function() equal(store:get("x"), nil) store:put("x", { 1 }, function(ok) safe = ok end) wait(100) equal(safe, true) end)
test("get", function() equal(store:get("x"), { 1 }) end)`
	for _, r := range run(t, Options{}, "m/test/a_test.lua", text, "m/test/b_test.lua", text) {
		assert.NoError(t, r.Err, r.Name)
	}
}

// TestAPlayerComesBack: clients with the same key are one player, whatever their names are, and
// others are not.
func TestAPlayerComesBack(t *testing.T) {
	r := one(t, `
local ann = client { name = "Ann", key = "ann" }
store:put("coins/" .. ann.client.key, 7)
ann:leave()
waitFor(function() return not ann.joined and #players() == 0 end)
local again, bob = client { name = "Anna", key = "ann" }, client { name = "Ann" }
equal({ store:get("coins/" .. again.client.key), store:get("coins/" .. bob.client.key) }, { 7 })
local third = client { name = "Ann", key = "ann" }
waitFor(function() return not again.joined end)
truthy(third.joined and again.reason:find "your key", again.reason)`)
	assert.NoError(t, r.Err)
}

// TestAWriteFails: the changes of a tick fail together, once.
func TestAWriteFails(t *testing.T) {
	r := one(t, `
local got = {}
local function done(ok, why) got[#got + 1] = ok and "kept" or why end
store:put("coins", 1, done) wait(100)
failStore() store:put("coins", 2, done) store:put("gems", 3, done) equal(store:get "coins", 2) wait(100)
equal({ store:get "coins", store:get "gems" }, { 1 })
failStore "no power" store:delete("coins", done) wait(100)
store:put("coins", 4, done) wait(100)
equal(got, { "kept", "the disk is full", "the disk is full", "no power", "kept" })
equal(store:get "coins", 4)`)
	assert.NoError(t, r.Err)
}

// TestModsBesideTheTestedOne: a mod for any game is tested with one.
func TestModsBesideTheTestedOne(t *testing.T) {
	files := []string{"m/test/x_test.lua", `test("game", function() equal(import "game" ~= nil, true) equal(import("game").name, "the game") end)`,
		"m/mod.toml", "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\noptional = [\"game\"]\n",
		"game/server/init.lua", `export("name", "the game")`}
	for _, with := range [][]string{nil, {"game"}} {
		results := run(t, Options{With: with}, files...)
		require.Len(t, results, 1)
		assert.Equal(t, with != nil, results[0].Err == nil, "%v", results[0].Err)
	}
	_, err := Run(Options{Mod: "m", With: []string{"gaem"}, Folders: []fs.FS{mods.FS(), folder(files...)}})
	assert.ErrorContains(t, err, "gaem")
}

// TestRunsAreTheSameForASeed checks that the same seed gives the same results after the same ticks,
// and that another seed gives another run.
func TestRunsAreTheSameForASeed(t *testing.T) {
	const files = `
test("bots", function()
  for i = 1, 4 do addBot("Bot " .. i) end
  local ann = client()
  network(ann, { loss = 0.2, jitter = 40 })
  wait(5000)
  local sum = 0
  for p in objects "Player" do sum = sum + p.position.x * 1000 + p.position.y end
  error(("%.6f %d %d %s"):format(sum, tick(), math.random(1e6), ann.client.ping), 0)
end)
test("waits", function() waitFor(function() return math.random(40) == 1 end, 60000) end)`
	seen := map[string]bool{}
	seeds := testenv.Length(2, 4)
	for seed := range uint64(seeds) {
		again := ""
		for range 2 {
			text := ""
			results, err := Run(Options{Mod: "m", Seed: 1 + seed, Folders: []fs.FS{mods.FS(), folder(
				"m/mod.toml", "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"deathmatch\"]\n", "m/test/x_test.lua", files)}})
			require.NoError(t, err)
			for _, r := range results {
				text += fmt.Sprintln(r.Name, r.Err, r.Ticks, r.Log)
			}
			if again != "" {
				require.Equal(t, again, text, "seed %d", seed)
			}
			again = text
		}
		seen[again] = true
	}
	assert.Len(t, seen, seeds)
}
