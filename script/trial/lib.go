package trial

import (
	"fmt"
	"math"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/vm"
)

// API returns the functions for test files, in addition to the API of their mod. `torc mod
// test` runs the files test/*_test.lua.
func API() vm.Lib {
	lib := bind.Chapter("Tests", append([]bind.Row{
		bind.Def("test", "name: string, fn: fun()", vm.Server, "Declares a test. The tests of a file run in order on their own server, in simulated time.", declareTest),
		bind.Def("wait", "ms: number", vm.Server, "Runs the game for ms, at least until the next tick. It cannot run inside a pcall.", waitMs),
		bind.Def("ticks", "[n: integer]", vm.Server, "Runs the game for n ticks (default 1).", waitTicks),
		bind.Def("waitFor", "fn: fun(): any, [ms: number, [what: string]] -> any", vm.Server, "Calls fn after each tick until it returns a value other than nil and false, and returns that value. Fails after ms (default 5000).", waitFor),
		bind.Def("client", "[options: {name: string?, password: string?, args: string[]?, roles: string[]?, language: string?, key: string?, halves: boolean?}] -> TestClient", vm.Server, "Connects a client and waits until it is in the game or refused. Each client is another player, but clients with the same key option are one player: client.key is the same for them, so a player can leave and come back. The client has the server's mods and runs their client files; with halves = false it runs none. It leaves at the end of the test.", enterClient),
		bind.Def("network", "client: TestClient, line: {loss: number?, duplicate: number?, reorder: number?, delay: number?, jitter: number?}", vm.Server, "Simulates a bad link for a client, in both directions. loss, duplicate and reorder are probabilities, 0…1; delay and jitter are milliseconds.", changeLink),
		bind.Def("equal", "got: any, want: any, [what: string]", vm.Server, "Fails unless both values are equal. Tables are compared by content.", assertEqual),
		bind.Def("near", "got: number|vec, want: number|vec, [distance: number, [what: string]]", vm.Server, "Fails unless two numbers or vecs differ by at most distance (default 0.001).", assertNear),
		bind.Def("truthy", "value: any, [what: string] -> any", vm.Server, "Fails if the value is nil or false. Returns the value.", assertTruthy),
		bind.Def("fails", "fn: function, [text: string] -> string", vm.Server, "Fails unless fn raises an error that contains text. Returns the error.", assertFails),
		bind.Def("log", "-> string[]", vm.Server, "Returns the server's log lines since the start of the test. A logged error fails the test unless the test has read it.", readLog),
		bind.Def("lines", "-> string[]", vm.Server, "Returns the lines that the server has printed since the last call.", func(a bind.Call) int { return a.Return(takeLines(a, testsOf(a).stage.Server())) }),
		bind.Def("console", "line: string -> string", vm.Server, "Runs a line in the server's console with the operator's rights. Returns its output.", runConsole),
		bind.Def("failStore", "[why: string]", vm.Server, "Makes the next write of the store fail: the changes of that tick. Their done gets false and why, and the store has the values of before.", func(a bind.Call) int {
			testsOf(a).stage.FailStore(a.OptString(1, "the disk is full"))
			return 0
		}),
		bind.Def("TestClient.name", ": string", vm.Server, "The name that it requested.", nil),
		bind.Def("TestClient.client", ": Client", vm.Server, "The client's connection on the server.", nil),
		bind.Def("TestClient.joined", ": boolean", vm.Server, "Whether it is in the game.", nil),
		bind.Def("TestClient.reason", ": string?", vm.Server, "The reason for its refusal or disconnect.", nil),
		bind.Def("TestClient:lua", "code: string, ...: any -> ...: any", vm.Server, "Runs Lua in the client's console with ... as its arguments and returns the results. Objects become their ghosts there, and ghosts in results become objects.", actorLua),
		bind.Def("TestClient:console", "line: string -> string", vm.Server, "Runs a line in the client's console. Returns its output.", actorConsole),
		bind.Def("TestClient:command", "cmd: string|tag, ...: any", vm.Server, "Calls serverCmd.CMD, like commandToServer.", actorCommand),
		bind.Def("TestClient:say", "text: string", vm.Server, "Sends a chat line.", actorSay),
		bind.Def("TestClient:lines", "-> string[]", vm.Server, "Returns the lines that the client has printed since the last call.", actorLines),
		bind.Def("TestClient:hud", "line: integer -> string", vm.Server, "Returns the text of a line of the client's HUD.", actorHud),
		bind.Def("TestClient:leave", "[reason: string]", vm.Server, "Disconnects.", actorLeave),
	}, fleetRows()...))
	lib.Funcs = append(lib.Funcs, sockets.TestRows()...)
	return lib
}

func declareTest(a bind.Call) int {
	name, fn, t := a.String(1), a.Function(2), testsOf(a)
	if t.running != nil {
		a.Fail("a test cannot declare another test")
	}
	if len(t.tests) >= maxTests {
		a.Fail("a file can have at most %d tests", maxTests)
	}
	for _, other := range t.tests {
		if other.Name == name {
			a.Fail("duplicate test %s, first declared at %s", bind.Quote(name), other.Place)
		}
	}
	t.declare(name, vm.CallerPosition(a.L, 1), fn)
	return 0
}

func waitMs(a bind.Call) int {
	ms, e := a.Delay(1), testsOf(a).trial.engine
	until := e.Now() + ms
	return waitUntil(a, fmt.Sprintf("wait(%d)", ms), func() ([]lua.LValue, bool, error) { return nil, e.Now() >= until, nil })
}

func waitTicks(a bind.Call) int {
	n, e := 1, testsOf(a).trial.engine
	if a.Has(1) {
		n = a.IntIn(1, 1, math.MaxInt32)
	}
	until := e.TickNumber() + uint64(n)
	return waitUntil(a, fmt.Sprintf("ticks(%d)", n), func() ([]lua.LValue, bool, error) { return nil, e.TickNumber() >= until, nil })
}

func waitFor(a bind.Call) int {
	fn, t := a.Function(1), testsOf(a)
	ms, what := int64(5000), a.OptString(3, "the condition was not met")
	if a.Has(2) {
		ms = a.Delay(2)
	}
	place, end := vm.CallerPosition(a.L, 1), t.trial.engine.Now()+ms
	thread := a.L
	return waitUntil(a, "waitFor", func() ([]lua.LValue, bool, error) {
		out, err := t.trial.runtime.EnterWith(testLimit, t.mod, fn)
		switch {
		case err != nil:
			return nil, false, err
		case len(out) > 0 && lua.LVAsBool(out[0]):
			return out, true, nil
		case t.trial.engine.Now() >= end:
			text := fmt.Sprintf("%s%s (within %d ms)", place, what, ms)
			return nil, false, &vm.Error{Mod: t.mod, Text: text, Traceback: t.mod.State.Traceback(thread)}
		}
		return nil, false, nil
	})
}

func enterClient(a bind.Call) int {
	t, e := testsOf(a), ActorConfig{ClientMods: true}
	runningTest(a)
	if a.Has(1) {
		o := a.Options(1, "name", "password", "args", "roles", "language", "key", "halves")
		e.Name, e.Password = optionText(a, o, "name"), optionText(a, o, "password")
		e.Language, e.Key = optionText(a, o, "language"), optionText(a, o, "key")
		e.Args, e.Roles = optionTexts(a, o, "args"), optionTexts(a, o, "roles")
		e.ClientMods = o.RawGetString("halves") == lua.LNil || lua.LVAsBool(o.RawGetString("halves"))
	}
	if len(t.actors) >= maxTestClients {
		a.Fail("a test can have at most %d clients", maxTestClients)
	}
	if e.Name == "" {
		e.Name = fmt.Sprint("Player ", len(t.actors)+1)
	}
	actor, err := t.stage.Enter(e)
	if err != nil {
		a.Fail("%s", err)
	}
	t.actors = append(t.actors, actor)
	return waitUntil(a, "client "+e.Name, func() ([]lua.LValue, bool, error) {
		ok := t.bothInGame(actor) || actor.Refused != ""
		return []lua.LValue{t.actorHandle(actor)}, ok, nil
	})
}

// optionText returns a string option, or "" if it is nil.
func optionText(a bind.Call, t *lua.LTable, key string) string {
	switch v := t.RawGetString(key).(type) {
	case *lua.LNilType:
	case lua.LString, lua.LNumber:
		return bind.TextOf(v)
	default:
		a.Fail("%s must be a string, not %s", key, bind.KindOf(v))
	}
	return ""
}

// optionTexts returns an option with a list of strings.
func optionTexts(a bind.Call, t *lua.LTable, key string) (list []string) {
	switch v := t.RawGetString(key).(type) {
	case *lua.LNilType:
	case *lua.LTable:
		for i := 1; i <= v.Len(); i++ {
			list = append(list, bind.TextOf(v.RawGetInt(i)))
		}
	default:
		a.Fail("%s must be a list of strings, not %s", key, bind.KindOf(v))
	}
	return list
}

func changeLink(a bind.Call) int {
	actor := actorArg(a, 1)
	t := a.Options(2, "loss", "duplicate", "reorder", "delay", "jitter")
	number := func(key string, most float64) float64 {
		v := t.RawGetString(key)
		n, ok := v.(lua.LNumber)
		if v != lua.LNil && !(ok && n >= 0 && float64(n) <= most) {
			a.Fail("%s must be 0…%g", key, most)
		}
		return float64(n)
	}
	ms := func(key string) time.Duration {
		return time.Duration(number(key, 60_000) * float64(time.Millisecond))
	}
	testsOf(a).stage.Link(actor, engine.LinkParams{
		Loss: number("loss", 1), Duplicate: number("duplicate", 1), Reorder: number("reorder", 1),
		Delay: ms("delay"), Jitter: ms("jitter"),
	})
	return 0
}

// failAssertion raises an assertion error. If argument i is present, the message begins with it.
func failAssertion(a bind.Call, i int, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if a.Has(i) {
		text = a.String(i) + ": " + text
	}
	a.L.Error(lua.LString(vm.CallerPosition(a.L, 1)+text), 0)
}

func assertEqual(a bind.Call) int {
	got, want := a.Any(1), a.Any(2)
	if list := differences(got, want); len(list) > 0 {
		failAssertion(a, 3, "%s", strings.Join(list, "; "))
	}
	return 0
}

func assertNear(a bind.Call) int {
	most := a.OptNumber(3, 0.001)
	var away float64
	if _, ok := a.Get(1).(*lua.LUserData); ok {
		away = a.Vec(1).Sub(a.Vec(2)).Len()
	} else {
		away = math.Abs(a.Number(1) - a.Number(2))
	}
	if !(away <= most) {
		failAssertion(a, 4, "got %s, want %s within %g, the distance is %.4g", printedValue(a.Get(1)), printedValue(a.Get(2)), most, away)
	}
	return 0
}

func assertTruthy(a bind.Call) int {
	if v := a.Get(1); !lua.LVAsBool(v) {
		failAssertion(a, 2, "got %s, want a value other than nil and false", printedValue(v))
	}
	return a.Return(a.Get(1))
}

func assertFails(a bind.Call) int {
	fn, s := a.Function(1), a.Mod.State
	err := s.Try(a.L, fn)
	if err == nil {
		a.Fail("the function raised no error")
	}
	text := vm.PlainText(err.Object)
	if want := a.OptString(2, ""); !strings.Contains(text, want) {
		a.Fail("the error is %s, want one that contains %s", bind.Quote(text), bind.Quote(want))
	}
	return a.Return(lua.LString(text))
}

func readLog(a bind.Call) int { return a.Return(lineTable(a, testsOf(a).stage.Log())) }

// lineTable returns texts as a Lua table.
func lineTable(a bind.Call, lines []string) *lua.LTable {
	t := a.Mod.State.Lua().CreateTable(len(lines), 0)
	for _, line := range lines {
		t.Append(lua.LString(line))
	}
	return t
}

func runConsole(a bind.Call) int { return runLine(a, testsOf(a).stage.Server(), a.String(1)) }

// runLine runs a line in an actor's console and returns its output.
func runLine(a bind.Call, actor *Actor, line string) int {
	before := actor.Lines
	actor.Lines = nil
	out, err := actor.Console.Exec(line)
	printed := actor.Lines
	actor.Lines = before
	if err != nil {
		a.FailWith(err)
	}
	if out != "" {
		printed = append(printed, out)
	}
	return a.Text(strings.Join(printed, "\n"))
}

// takeLines returns the lines an actor has printed and clears them.
func takeLines(a bind.Call, actor *Actor) *lua.LTable {
	lines := actor.Lines
	actor.Lines = nil
	return lineTable(a, lines)
}

// requireHelper implements require in test files. A module in test/ runs in the environment of the
// tests.
func requireHelper(a bind.Call) int {
	name, t := a.String(1), testsOf(a)
	file := strings.ReplaceAll(strings.TrimSuffix(name, ".lua"), ".", "/")
	if !strings.HasPrefix(file, "test/") {
		return vm.Require(a.Args)
	}
	if seen := t.helpers[file]; seen != nil {
		if !seen.done {
			a.Fail("circular require of %q", name)
		}
		return a.Return(seen.value)
	}
	fn, err := a.Mod.CompileFile(file + ".lua")
	if err != nil {
		a.FailWith(err)
	}
	fn.Env = t.env
	mark := &helper{value: lua.LTrue}
	t.helpers[file] = mark
	if n := a.Run(fn); n > 0 && a.L.Get(-n) != lua.LNil {
		mark.value = a.L.Get(-n)
	}
	mark.done = true
	return a.Return(mark.value)
}
