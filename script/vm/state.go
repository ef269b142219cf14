package vm

import lua "github.com/yuin/gopher-lua"

// MaxArray is the largest index in the array part of a table. One assignment can make the VM fill
// the array up to that index.
const MaxArray = 1 << 20

// MaxHoles limits the empty slots in the lists of a value that is copied to another mod or stored.
// Copying fills all of them at once.
const MaxHoles = 1 << 17

// MaxString is the size of the largest string that a script can make, in bytes.
const MaxString = 16 << 20

// maxCalls is the maximum call depth in a thread.
const maxCalls = 1000

// maxValues is the maximum number of arguments or results of one call.
const maxValues = 16_000

// maxGuards limits how deep protected calls and coroutines nest, over all states. Each of them
// holds frames on the Go stack.
const maxGuards = 100

// poolSize is the maximum number of idle threads in a state.
const poolSize = 8

func init() { lua.MaxArrayIndex = MaxArray }

// State is one sandboxed gopher-lua state: it has the installed rows, and the
// meter counts every thread. The main thread only makes other threads and runs no code.
type State struct {
	mod     *Mod
	main    *lua.LState
	globals *lua.LTable
	pool    []*lua.LState

	traced *lua.LFunction    // calls its first argument with the rest, and adds a traceback to errors
	quiet  *lua.LFunction    // the same without a traceback
	guards [4]*lua.LFunction // functions that replace operators, in the order of luac.Guards

	panicTraced, panicQuiet func(*lua.LState) // panic handlers of the threads

	co           coroutines
	running      []*lua.LState // running coroutines, outermost first
	outer        int           // how many of them belong to outer entries
	calleeTrace  string        // traceback of a failed coroutine or callee, for the resulting error
	calleeError  *Error        // error of a failed callee, for the resulting error
	handlerTrace string        // traceback for the error handler of xpcall

	// OnGlobal is called when a script sets a global that does not exist. If it returns true, the
	// State does not store the value.
	OnGlobal func(name string, v lua.LValue) bool
	// Undefined is called when a script reads a global that does not exist. If it returns Go's nil,
	// the global has no value.
	Undefined func(name string) lua.LValue
	// Peek reads a field of a handle of the host, for the suggestion of a name. It has no effects,
	// and returns nil if the field is not a table.
	Peek func(u *lua.LUserData, key lua.LValue) lua.LValue
	// OnLibrary is called when the table of a library is made, to add values that are no functions.
	OnLibrary func(name string, library *lua.LTable)
	// Explainer is nil in a runtime without a host.
	Explainer Explainer
	// Strict makes reading a global without a value an error, as for lines that a person types.
	Strict bool

	random *modRandom
	line   string // the unfinished line of io.write

	next, nextIndex *lua.LFunction         // the iterators of pairs and ipairs, made on first use
	libraries       map[string]*lua.LTable // the libraries made so far
	modules         *lua.LTable            // package.loaded, made on first use
	declared        map[string]bool        // globals that the mod assigns
	warned          map[string]bool        // globals that it reads and never assigns
	suggested       map[string]string      // suggestions for such globals, by name
	taken           map[string]bool        // names of rows that were defined already or set by the mod
}

func newState(m *Mod) *State {
	s := &State{mod: m}
	s.main = lua.NewState(lua.Options{RegistrySize: 128, RegistryMaxSize: 1 << 10, RegistryGrowStep: 128, CallStackSize: 8, SkipOpenLibs: true})
	s.main.Options = lua.Options{ // for the threads that main makes
		RegistrySize: 256, RegistryMaxSize: 1 << 16, RegistryGrowStep: 1024, CallStackSize: m.Runtime.cfg.Limits.Calls, SkipOpenLibs: true,
		MinimizeStackMemory: true, // the call stack of a thread grows as needed
	}
	s.globals = s.main.Get(lua.GlobalsIndex).(*lua.LTable)
	s.traced = s.main.NewFunction(func(l *lua.LState) int { return s.runGuarded(l, true) })
	s.quiet = s.main.NewFunction(func(l *lua.LState) int { return s.runGuarded(l, false) })
	s.guards = [...]*lua.LFunction{s.main.NewFunction(s.concatenate), s.main.NewFunction(s.assign), s.main.NewFunction(s.fill), s.main.NewFunction(s.price)}
	s.panicTraced = func(l *lua.LState) { panic(s.newError(l, s.explain(l, l.Get(-1)), true)) }
	s.panicQuiet = func(l *lua.LState) { panic(s.newError(l, s.explain(l, l.Get(-1)), false)) }
	s.random = newRandom(m.Runtime.cfg.Seed, m.Name)
	s.setValues()
	s.openCoroutines()
	s.fenceStrings()
	s.fenceGlobals()
	return s
}

// Lua returns the main thread of the state. Use it to make values (NewTable, NewUserData,
// NewFunction). Never run code on it.
func (s *State) Lua() *lua.LState { return s.main }

// Globals returns the table of globals, for RawGet and RawSet.
func (s *State) Globals() *lua.LTable { return s.globals }

// thread returns an idle thread or makes one. It makes threads from the main thread, because that
// has no context. From any other thread, gopher-lua would derive a child context, and the new
// thread would escape the meter.
func (s *State) thread() *lua.LState {
	if n := len(s.pool); n > 0 {
		t := s.pool[n-1]
		s.pool = s.pool[:n-1]
		return t
	}
	t, _ := s.main.NewThread()
	t.SetContext(&s.mod.Runtime.meter)
	t.Panic = s.panicTraced
	return t
}

// invoke calls the function on an idle thread with the n arguments above it. It leaves the given
// number of results on the stack (lua.MultRet for all). After an error the thread must not be used
// again, because its frames are not unwound.
func (s *State) invoke(t *lua.LState, n, results int) (failed *lua.ApiError) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		var raised bool
		if failed, raised = r.(*lua.ApiError); !raised {
			closeUpvalues(t)
			failed = s.newError(t, panicValue(t, r), true)
		}
		s.mod.Runtime.raising = false
	}()
	t.Call(n, results)
	return nil
}

// release returns a thread to the pool after its call has ended, with or without an error.
func (s *State) release(t *lua.LState) {
	if t.GetTop() > 0 {
		t.SetTop(0)
	}
	if len(s.pool) < poolSize {
		s.pool = append(s.pool, t)
	}
}

// Book charges n instructions for work already done. If that breaks the limit, the next instruction
// raises the error.
func (s *State) Book(n int) { s.mod.Runtime.meter.n += int64(n) }

// charge charges n instructions for work done in Go for this state. It raises an error when the
// budget is used up.
func (s *State) charge(l *lua.LState, n int) { s.mod.Runtime.meter.charge(l, n) }
