package script

import (
	"fmt"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
)

// A Stage is where tests of mods play: it brings clients to the server that the tests are in, and lets time pass
// between two Steps of a Test.
type Stage interface {
	// Server is the side that the tests are in.
	Server() *Actor
	// Enter makes a client, which begins to join. Its error is one sentence.
	Enter(e Entrant) (*Actor, error)
	// Link changes the line of an actor, in both directions.
	Link(a *Actor, p engine.LinkParams)
	// Log is what the server has logged since the test began, a line each. Whoever asks knows of it.
	Log() []string
}

// An Entrant is what a simulated client is to be like.
type Entrant struct {
	Name, Password string
	Args           []string // of the connect request
	Roles          []string
	Halves         bool // it has the mods of the server on its disk, and runs their client halves; else it has base alone
}

// An Actor is a simulated client, or the server, made by a Stage.
type Actor struct {
	Entrant
	Host    *engine.Host
	Console *console.Console
	Scripts *Scripts
	Lines   []string // that it has printed and nobody has taken
	Refused string   // why it could not get in, or is out again
}

// joined reports whether the actor plays.
func (a *Actor) joined() bool {
	c := a.Host.Server()
	return c != nil && c.Phase() == engine.PhaseGame
}

// The bounds of tests. Between two waits a test has instructions, so that an endless loop ends at the same place on
// every machine, and far more time than these take.
const (
	maxTests  = 1000 // of a file
	maxActors = 64   // of a test, at a time
)

var testLimit = Limit{Instructions: 20_000_000, Time: 10 * time.Second, Heap: 256 << 20}

// trial is what tests have besides the state of their mod.
type trial struct {
	scripts *Scripts
	mod     *Mod
	stage   Stage
	env     *lua.LTable // globals of the files of tests: the rows of trials, then the mod's
	meta    *lua.LTable // of actors
	helpers map[string]*module
	methods map[string]*lua.LFunction // of actors
	tests   []*Test                   // of the file
	running *Test                     // whose code runs
	actors  []*Actor
	handles map[*Actor]*lua.LUserData
}

// A Test is one test of a mod: a coroutine that waits by handing back to whoever runs it.
type Test struct {
	Name  string
	Place string // file:line

	trial  *trial
	thread *lua.LState
	resume *lua.LFunction
	wait   *waiting // nil: it may go on
}

// waiting is what a test waits for.
type waiting struct {
	place string // "file:line: "
	what  string // "wait(500)"
	ready func() (values []lua.LValue, ok bool, err error)
}

// LoadTests runs a file of tests in the state of a mod that is loaded, as in "test/score_test.lua", and returns what it
// has declared, in order.
func (s *Scripts) LoadTests(m *Mod, file string) ([]*Test, error) {
	if s.trial == nil {
		s.trial = newTrial(s, m)
	}
	t := s.trial
	t.tests = nil
	fn, err := m.CompileFile(file)
	if err != nil {
		return nil, err
	}
	fn.Env = t.env
	_, err = s.EnterWith(testLimit, m, fn)
	return t.tests, err
}

func newTrial(s *Scripts, m *Mod) *trial {
	t := &trial{
		scripts: s, mod: m, stage: s.stage, env: m.State.Lua().NewTable(), helpers: map[string]*module{},
		methods: map[string]*lua.LFunction{}, handles: map[*Actor]*lua.LUserData{},
	}
	globals := m.State.Lua().NewTable()
	globals.RawSetString("__index", m.State.Globals())
	globals.RawSetString("__newindex", m.State.Globals())
	globals.RawSetString("__metatable", lua.LFalse)
	t.env.Metatable = globals
	rows := TrialAPI().Funcs
	for i := range rows {
		row := &rows[i]
		if _, method, ok := strings.Cut(row.Name, ":"); ok {
			t.methods[method] = m.State.Bind(row)
		} else if row.Fn != nil {
			t.env.RawSetString(row.Name, m.State.Bind(row))
		}
	}
	t.env.RawSetString("require", m.State.Bind(&Func{Name: "require", Params: "module: string -> any", Fn: requireHelper}))
	t.meta = extOf(m).metatable(actorMeta)
	return t
}

// declare adds a test to those of the file.
func (t *trial) declare(name, place string, fn *lua.LFunction) {
	s := t.mod.State
	c := &Test{Name: name, Place: strings.TrimSuffix(place, ": "), trial: t, thread: s.coroutine(fn)}
	c.resume = s.main.NewFunction(func(l *lua.LState) int {
		l.Insert(c.thread, 1)
		n := s.resumeOn(l, c.thread)
		if lua.LVIsFalse(l.Get(-n)) {
			v := l.Get(-1)
			s.carry()
			l.Error(v, 0)
		}
		return n - 1
	})
	t.tests = append(t.tests, c)
}

// Step goes on with a test if what it waits for has come. It is called between ticks, until the test is done; err says
// why it failed, nil that it has not.
func (c *Test) Step() (done bool, err error) {
	c.trial.running = c
	defer func() { c.trial.running = nil }()
	var values []lua.LValue
	if c.wait != nil {
		var ok bool
		if values, ok, err = c.wait.ready(); err != nil || !ok {
			return err != nil, err
		}
	}
	c.wait = nil
	_, err = c.trial.scripts.EnterWith(testLimit, c.trial.mod, c.resume, values...)
	switch {
	case err != nil:
		return true, err
	case c.thread.Dead:
		return true, nil
	case c.wait == nil:
		return true, fmt.Errorf("%s: a test cannot yield; it waits with wait, ticks, waitFor or client", c.Place)
	}
	return false, nil
}

// Waits says what the test waits for and where, "" if it does not.
func (c *Test) Waits() string {
	if c.wait == nil {
		return ""
	}
	return c.wait.place + c.wait.what
}

// Actors are the clients that the tests have brought in and that have not left.
func (c *Test) Actors() []*Actor { return c.trial.actors }

// Dismiss has all actors leave, as at the end of a test.
func (c *Test) Dismiss() {
	for _, a := range c.trial.actors {
		_ = a.Host.Disconnect("the test is over")
		a.Host.CancelConnect()
	}
	c.trial.actors = nil
}

// trial is that of the test whose code runs.
func (a Args) trial() *trial { return a.ext().scripts.trial }

// test is the one whose code runs, and calls.
func (a Args) test() *Test {
	c := a.trial().running
	if c == nil {
		a.Fail("this is for a test, as in test(\"scores\", function() ... end)")
	}
	return c
}

// wait hands back to whoever runs the test until ready says so, and gives what it says to the caller.
func (a Args) wait(what string, ready func() ([]lua.LValue, bool, error)) int {
	c := a.test()
	if a.L != c.thread {
		a.Fail("only the test itself can wait, not a pcall, coroutine, callback or handler in it, and not what waitFor asks")
	}
	n := coYield(a)
	c.wait = &waiting{where(a.L, 1), what, ready}
	return n
}

// connection is the server's side of an actor, nil while it is not there.
func (t *trial) connection(a *Actor) *engine.Connection {
	for _, c := range t.scripts.engine.Connections() {
		if !c.Bot() && c.Key() == a.Host.Identity().Public {
			return c
		}
	}
	return nil
}

// plays reports whether both sides know that an actor is in the game.
func (t *trial) plays(a *Actor) bool {
	c := t.connection(a)
	return c != nil && c.Phase() == engine.PhaseGame && a.joined()
}
