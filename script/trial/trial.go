package trial

import (
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// TestNetwork runs simulated clients for tests of mods. It connects them to the server of the
// tests, and advances time between two Steps of a Test.
type TestNetwork interface {
	// Server returns the server of the tests as an Actor.
	Server() *Actor
	// Enter makes a client that begins to join. It returns a one-line error.
	Enter(e ActorConfig) (*Actor, error)
	// Link changes the simulated link of an actor, in both directions.
	Link(a *Actor, p engine.LinkParams)
	// Log returns the server's log since the test began, one string per line. It also marks these
	// lines as seen by the test.
	Log() []string
	// Fleet returns the other servers of the fleet.
	Fleet() *Fleet
	// FailStore makes the server's store discard the next batch of changes, with a reason.
	FailStore(why string)
}

// ActorConfig configures a simulated client.
type ActorConfig struct {
	Name, Password string
	Args           []string // arguments of the connect request
	Roles          []string
	Language       string // of the player; "" is English
	Key            string // names the key of the player; "" is one of its own
	ClientMods     bool   // the client has the server's mods and runs their client side; otherwise only base
}

// An Actor is a simulated client, or the server, in tests of mods.
type Actor struct {
	ActorConfig
	Host    *engine.Host
	Console *console.Console
	Scripts ActorScripts
	Lines   []string // printed lines that the test has not read yet
	Refused string   // reason for a refused or ended connection
}

// ActorScripts are the scripts of an actor.
type ActorScripts interface {
	// Operator returns the state of the console.
	Operator() *vm.Mod
	// Hud returns the lines of the HUD.
	Hud() []string
}

// inGame reports whether the actor is in the game.
func (a *Actor) inGame() bool {
	c := a.Host.Server()
	return c != nil && c.Join.Phase() == engine.PhaseGame
}

// Limits of tests. Each step of a test also has testLimit: the instruction limit ends an endless
// loop at the same place on every machine, and the time limit is far longer than these instructions
// take.
const (
	maxTests       = 1000 // tests in a file
	maxTestClients = 64   // actors in a test at a time
)

var testLimit = vm.Limit{Instructions: 20_000_000, Time: 10 * time.Second, Heap: 256 << 20}

// A Trial runs the tests of mods on one server.
type Trial struct {
	engine  *engine.Host
	runtime *vm.Runtime
	network TestNetwork // nil: no tests
	state   *testState  // nil until the first test file is loaded
}

// New makes the trial of a host. network can be nil if no tests are loaded.
func New(e *engine.Host, runtime *vm.Runtime, network TestNetwork) *Trial {
	return &Trial{engine: e, runtime: runtime, network: network}
}

// A Holder is the data of a mod that can have tests: the value of vm.Mod.Binding.
type Holder interface {
	// Trial returns what runs the tests of the mod's host.
	Trial() *Trial
}

// testState is the state of tests in addition to the state of their mod.
type testState struct {
	trial   *Trial
	mod     *vm.Mod
	stage   TestNetwork
	env     *lua.LTable // globals of test files: the rows for tests, then the mod's globals
	meta    *lua.LTable // metatable of actors
	helpers map[string]*helper
	methods map[string]*lua.LFunction // methods of actors
	tests   []*Test                   // tests of the current file
	running *Test                     // the test with running code
	actors  []*Actor
	handles map[*Actor]*lua.LUserData

	serverMeta    *lua.LTable               // metatable of the servers of a fleet
	serverMethods map[string]*lua.LFunction // their methods
}

// A Test is one test of a mod. It is a coroutine that yields to the caller of Step while it waits.
type Test struct {
	Name  string
	Place string // file:line

	state     *testState
	thread    *lua.LState
	resume    *lua.LFunction
	condition *waitCondition // nil if the test can continue
}

// waitCondition is a condition that a test waits for.
type waitCondition struct {
	place string // "file:line: "
	what  string // "wait(500)"
	ready func() (values []lua.LValue, ok bool, err error)
}

// Load runs a test file, for example "test/score_test.lua", in the state of a loaded mod. It
// returns the tests that the file declares, in order.
func (r *Trial) Load(m *vm.Mod, file string) ([]*Test, error) {
	if r.state == nil {
		r.state = newTestState(r, m)
	}
	t := r.state
	t.tests = nil
	fn, err := m.CompileFile(file)
	if err != nil {
		return nil, err
	}
	fn.Env = t.env
	_, err = r.runtime.EnterWith(testLimit, m, fn)
	return t.tests, err
}

// helper is a file of test/ run by require; it may still be running.
type helper struct {
	value lua.LValue
	done  bool
}

func newTestState(r *Trial, m *vm.Mod) *testState {
	t := &testState{
		trial: r, mod: m, stage: r.network, env: m.State.Lua().NewTable(), helpers: map[string]*helper{},
		methods: map[string]*lua.LFunction{}, handles: map[*Actor]*lua.LUserData{}, serverMethods: map[string]*lua.LFunction{},
	}
	t.stage.Fleet().tests = t
	globals := m.State.Lua().NewTable()
	globals.RawSetString("__index", m.State.Globals())
	globals.RawSetString("__newindex", m.State.Globals())
	globals.RawSetString("__metatable", lua.LFalse)
	t.env.Metatable = globals
	rows := API().Funcs
	for i := range rows {
		row := &rows[i]
		if method, ok := strings.CutPrefix(row.Name, "TestClient:"); ok {
			t.methods[method] = m.State.Bind(row)
		} else if method, ok := strings.CutPrefix(row.Name, "TestServer:"); ok {
			t.serverMethods[method] = m.State.Bind(row)
		} else if row.Fn != nil && !strings.Contains(row.Name, ":") {
			t.env.RawSetString(row.Name, m.State.Bind(row))
		}
	}
	t.env.RawSetString("require", bind.Bind(m.State, bind.Row{Name: "require", Params: "module: string -> any", Fn: requireHelper}))
	t.meta, t.serverMeta = bind.Of(m).Metatable(actorMeta), bind.Of(m).Metatable(serverMeta)
	return t
}

// declare adds a test to the tests of the file.
func (t *testState) declare(name, place string, fn *lua.LFunction) {
	s := t.mod.State
	c := &Test{Name: name, Place: strings.TrimSuffix(place, ": "), state: t, thread: s.NewCoroutine(fn)}
	c.resume = s.Lua().NewFunction(func(l *lua.LState) int {
		l.Insert(c.thread, 1)
		n := s.ResumeOn(l, c.thread)
		if lua.LVIsFalse(l.Get(-n)) {
			v := l.Get(-1)
			s.CarryTraceback()
			l.Error(v, 0)
		}
		return n - 1
	})
	t.tests = append(t.tests, c)
}

// Step continues a test if its wait condition is met. Call it between ticks until done is true. err
// is the failure of the test, or nil.
func (c *Test) Step() (done bool, err error) {
	c.state.running = c
	defer func() { c.state.running = nil }()
	var values []lua.LValue
	if c.condition != nil {
		var ok bool
		if values, ok, err = c.condition.ready(); err != nil || !ok {
			return err != nil, err
		}
	}
	c.condition = nil
	_, err = c.state.trial.runtime.EnterWith(testLimit, c.state.mod, c.resume, values...)
	switch {
	case err != nil:
		return true, err
	case c.thread.Dead:
		return true, nil
	case c.condition == nil:
		return true, fmt.Errorf("%s: a test cannot yield; use wait, ticks, waitFor or client", c.Place)
	}
	return false, nil
}

// WaitText describes the wait condition and its place. It returns "" if the test does not wait.
func (c *Test) WaitText() string {
	if c.condition == nil {
		return ""
	}
	return c.condition.place + c.condition.what
}

// Actors returns the clients that the tests have connected and that have not left.
func (c *Test) Actors() []*Actor { return c.state.actors }

// DisconnectAll disconnects all actors at the end of a test, and ends the other servers of the
// fleet.
func (c *Test) DisconnectAll() {
	for _, a := range c.state.actors {
		_ = a.Host.Dialer.Disconnect("the test is over")
		a.Host.Dialer.Cancel()
	}
	c.state.actors = nil
	c.state.leaveFleet()
}

// testsOf returns the state of the mod's tests.
func testsOf(a bind.Call) *testState { return a.Mod.Binding.(Holder).Trial().state }

// runningTest returns the running test. It fails if no test is running.
func runningTest(a bind.Call) *Test {
	c := testsOf(a).running
	if c == nil {
		a.Fail("this works only inside a test, as in test(\"scores\", function() ... end)")
	}
	return c
}

// waitUntil yields until ready reports true, and returns the values of ready to Lua.
func waitUntil(a bind.Call, what string, ready func() ([]lua.LValue, bool, error)) int {
	c := runningTest(a)
	if a.L != c.thread {
		a.Fail("only the test function itself can wait, not a pcall, coroutine, callback, handler or the function of waitFor")
	}
	n := vm.Yield(a.Args)
	c.condition = &waitCondition{vm.CallerPosition(a.L, 1), what, ready}
	return n
}

// connection returns the server's connection of an actor, or nil without one.
func (t *testState) connection(a *Actor) *engine.Connection {
	for _, c := range t.trial.engine.Connections() {
		if !c.Bot() && c.Key() == a.Host.Identity().Public {
			return c
		}
	}
	return nil
}

// bothInGame reports whether client and server both consider the actor to be in the game.
func (t *testState) bothInGame(a *Actor) bool {
	c := t.connection(a)
	return c != nil && c.Join.Phase() == engine.PhaseGame && a.inGame()
}

func (*Actor) Kind() string { return "a test client" }
