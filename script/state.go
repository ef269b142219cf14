package script

import (
	lua "github.com/yuin/gopher-lua"
)

// maxArray is the largest index of a table's array part; one assignment can make the VM fill it up to there.
const maxArray = 1 << 20

// maxHoles is how many empty slots the lists of a value may have that goes to another mod or is stored: there they are
// filled at one go.
const maxHoles = 1 << 17

// maxString is the size of the largest string a script can make.
const maxString = 16 << 20

// maxCalls is how deep calls nest in a thread.
const maxCalls = 1000

// maxValues is how many values one call may return or take.
const maxValues = 16_000

// maxGuards bounds how deep protected calls and coroutines nest, over all states: each holds frames of the Go stack.
const maxGuards = 100

// poolSize is how many idle threads a state keeps.
const poolSize = 8

func init() { lua.MaxArrayIndex = maxArray }

// State is one gopher-lua state, fenced: the rows installed, globals strict, every thread metered. Its main thread
// only makes other threads; nothing runs on it.
type State struct {
	mod     *Mod
	main    *lua.LState
	globals *lua.LTable
	pool    []*lua.LState

	traced *lua.LFunction    // runs its first argument with the rest, and traces what fails
	quiet  *lua.LFunction    // the same without the traceback
	guards [3]*lua.LFunction // what operators were rewritten to, in the order of guardNames

	panicTraced, panicQuiet func(*lua.LState) // what threads do with a raised error

	co       coroutines
	running  []*lua.LState // coroutines in progress, outermost first
	outer    int           // how many of them belong to outer entries
	carried  string        // traceback of a coroutine or callee that failed, for the error it becomes
	cause    *Error        // likewise, the callee's error
	handling string        // traceback shown to a handler of xpcall

	// OnGlobal is asked when a global is set that did not exist. True means that it took the value: nothing is stored.
	OnGlobal func(name string, v lua.LValue) bool
	// Undefined is asked for a global that does not exist; Go's nil means that reading it is an error.
	Undefined func(name string) lua.LValue

	random *random

	next, nextIndex *lua.LFunction         // what pairs and ipairs return, once they have been asked
	libraries       map[string]*lua.LTable // those that have been asked for
	frozen          map[*lua.LTable]frozen // they, by what stands for them
	taken           map[string]bool        // names of rows that the mod has been given, or has set
}

func newState(m *Mod) *State {
	s := &State{mod: m}
	s.main = lua.NewState(lua.Options{RegistrySize: 128, RegistryMaxSize: 1 << 10, RegistryGrowStep: 128, CallStackSize: 8, SkipOpenLibs: true})
	s.main.Options = lua.Options{ // of the threads it makes
		RegistrySize: 256, RegistryMaxSize: 1 << 16, RegistryGrowStep: 1024, CallStackSize: m.Host.cfg.Limits.Calls, SkipOpenLibs: true,
		MinimizeStackMemory: true, // a thread takes room for calls as they nest
	}
	s.globals = s.main.Get(lua.GlobalsIndex).(*lua.LTable)
	s.traced = s.main.NewFunction(func(l *lua.LState) int { return s.guarded(l, true) })
	s.quiet = s.main.NewFunction(func(l *lua.LState) int { return s.guarded(l, false) })
	s.guards = [...]*lua.LFunction{s.main.NewFunction(s.concatenate), s.main.NewFunction(s.assign), s.main.NewFunction(s.fill)}
	s.panicTraced = func(l *lua.LState) { panic(s.raised(l, l.Get(-1), true)) }
	s.panicQuiet = func(l *lua.LState) { panic(s.raised(l, l.Get(-1), false)) }
	s.random = newRandom(m.Host.cfg.Seed, m.Name)
	s.setValues()
	s.openCoroutines()
	s.fenceStrings()
	s.fenceGlobals()
	return s
}

// Lua is the state's main thread: for making values (NewTable, NewUserData, NewFunction). Never run code on it.
func (s *State) Lua() *lua.LState { return s.main }

// Globals is the table of globals, for RawGet and RawSet.
func (s *State) Globals() *lua.LTable { return s.globals }

// thread takes an idle thread or makes one. gopher-lua derives a child of a thread's context that would escape the
// meter; the main thread has none to derive from.
func (s *State) thread() *lua.LState {
	if n := len(s.pool); n > 0 {
		t := s.pool[n-1]
		s.pool = s.pool[:n-1]
		return t
	}
	t, _ := s.main.NewThread()
	t.SetContext(&s.mod.Host.meter)
	t.Panic = s.panicTraced
	return t
}

// invoke calls the function on an idle thread with the n arguments above it; so many results stay there, lua.MultRet for all.
// After an error the thread is of no more use: its frames stand as they fell.
func (s *State) invoke(t *lua.LState, n, results int) (failed *lua.ApiError) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		var raised bool
		if failed, raised = r.(*lua.ApiError); !raised {
			closeUpvalues(t)
			failed = s.raised(t, fallen(t, r), true)
		}
		s.mod.Host.raising = false
	}()
	t.Call(n, results)
	return nil
}

// release puts a thread back whose call has ended, well or not.
func (s *State) release(t *lua.LState) {
	if t.GetTop() > 0 {
		t.SetTop(0)
	}
	if len(s.pool) < poolSize {
		s.pool = append(s.pool, t)
	}
}

// book books n instructions' worth of work that has been done; the next instruction finds out whether it was too much.
func (s *State) book(n int) { s.mod.Host.meter.n += int64(n) }

// charge books n instructions' worth of work done in Go for this state.
func (s *State) charge(l *lua.LState, n int) { s.mod.Host.meter.charge(l, n) }
