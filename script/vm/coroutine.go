package vm

import (
	"maps"
	"slices"
	"strings"
	"time"
	"weak"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"

	"github.com/torc-engine/torc/script/vm/stack"
)

// trampoline is the first function of every coroutine. It prepares the thread, so that an error
// records a traceback. It stays on the stack below the coroutine's function, because the VM cannot
// resume an empty stack after `return coroutine.yield()`.
var trampoline = func() *lua.FunctionProto {
	chunk, err := parse.Parse(strings.NewReader("return function(arm, f, ...) local pass = arm() return pass(f(...)) end"), "coroutine")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	proto, err := lua.Compile(chunk, "coroutine")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return proto.FunctionPrototypes[0]
}()

// coroutines is the coroutine part of a state.
type coroutines struct {
	trampoline     *lua.LFunction // the trampoline as a function of this state
	arm            *lua.LFunction
	create, resume lua.LGFunction // gopher-lua's; only they can push the first frame of a thread
	lastError      *lua.ApiError  // the error that ended the most recent failed coroutine, with its traceback

	threads     []liveCoroutine                   // coroutines that may not have ended
	owners      map[Peer]int                      // how many of threads each peer has started, and the mod itself (0)
	stopped     map[weak.Pointer[lua.LState]]bool // those that stand between two instructions: only their Sliced resumes them
	sweepAt     int                               // the length of begun at which room removes the ended ones
	collectedAt time.Duration                     // when a garbage collection was last requested
}

// A liveCoroutine is a coroutine, and the peer that has caused it, 0 for none.
type liveCoroutine struct {
	thread weak.Pointer[lua.LState]
	owner  Peer
}

// threadCost is the charge for creating a thread, in instructions. A thread takes about 20 KiB.
const threadCost = 200

// collectEvery is the minimum time between two requests of a mod for garbage collection, in
// simulation time.
const collectEvery = time.Second

var coroutineLib = Lib{"Coroutines", []Func{
	{"coroutine.create", "fn: function -> thread", Both, "Makes a suspended coroutine that runs a function.", coCreate},
	{"coroutine.resume", "co: thread, ...: any -> boolean, ...: any", Both, "Runs a coroutine until it yields or ends. Returns true and its values, or false and the error.", coResume},
	{"coroutine.running", "-> thread?", Both, "Returns the running coroutine, nil outside a coroutine.", coRunning},
	{"coroutine.status", "co: thread -> string", Both, "Returns \"suspended\", \"running\", \"normal\" or \"dead\".", coStatus},
	{"coroutine.wrap", "fn: function -> function", Both, "Returns a function that resumes a new coroutine and raises its errors.", coWrap},
	{"coroutine.yield", "...: any -> ...: any", Both, "Suspends the running coroutine. It cannot cross a pcall, metamethod, iterator, callback or a call into another mod.", Yield},
}}

func (s *State) openCoroutines() {
	s.main.Push(s.main.NewFunction(lua.OpenCoroutine))
	s.main.Call(0, 1)
	t := s.main.Get(-1).(*lua.LTable)
	s.main.SetTop(0)
	s.co.stopped, s.co.owners = map[weak.Pointer[lua.LState]]bool{}, map[Peer]int{}
	s.co.create = t.RawGetString("create").(*lua.LFunction).GFunction
	s.co.resume = t.RawGetString("resume").(*lua.LFunction).GFunction
	s.co.trampoline = s.main.NewFunctionFromProto(trampoline)
	failed := func(l *lua.LState) {
		s.co.lastError = s.newError(l, s.explain(l, l.Get(-1)), true)
		panic(s.co.lastError)
	}
	pass := s.main.NewFunction(func(l *lua.LState) int { return l.GetTop() })
	s.co.arm = s.main.NewFunction(func(l *lua.LState) int {
		l.Panic = failed
		l.Push(pass)
		return 1
	})
	s.globals.RawSetString("coroutine", lua.LNil)
}

// NewCoroutine creates a suspended thread. Its function waits on its stack until the first resume.
func (s *State) NewCoroutine(fn *lua.LFunction) *lua.LState {
	s.main.SetTop(0)
	s.main.Push(s.co.trampoline)
	s.co.create(s.main)
	th := s.main.Get(-1).(*lua.LState)
	s.main.SetTop(0)
	th.SetContext(&s.mod.Runtime.meter)
	th.Push(fn)
	owner := s.mod.Runtime.peer
	s.co.threads = append(s.co.threads, liveCoroutine{weak.Make(th), owner})
	s.co.owners[owner]++
	return th
}

// canStartCoroutine reports whether the mod can create another coroutine for the current peer. An
// abandoned coroutine counts until it is collected. From half the limit on, room therefore requests
// a garbage collection.
func (s *State) canStartCoroutine() bool {
	c, limit := &s.co, s.mod.Runtime.cfg.Limits.Threads
	if len(c.threads) < max(c.sweepAt, limit/2) && c.hasRoom(s.mod.Runtime.peer, limit) {
		return true
	}
	s.sweepCoroutines()
	return c.hasRoom(s.mod.Runtime.peer, limit)
}

// hasRoom reports whether an owner can have another coroutine. The mod's own coroutines have a
// limit, and those that peers cause have the same once more.
func (c *coroutines) hasRoom(owner Peer, limit int) bool {
	if owner == 0 {
		return c.owners[0] < limit
	}
	return MayUse(c.owners[owner], len(c.threads)-c.owners[0], limit)
}

// sweepCoroutines forgets the coroutines that have ended.
func (s *State) sweepCoroutines() {
	h, c := s.mod.Runtime, &s.co
	limit := h.cfg.Limits.Threads
	clear(c.owners)
	c.threads = slices.DeleteFunc(c.threads, func(l liveCoroutine) bool {
		th := l.thread.Value()
		ended := th == nil || th.Dead
		if !ended {
			c.owners[l.owner]++
		}
		return ended
	})
	maps.DeleteFunc(c.stopped, func(p weak.Pointer[lua.LState], _ bool) bool { return p.Value() == nil })
	c.sweepAt = len(c.threads) + max(limit-len(c.threads), limit/4)/2
	if now := h.Now(); len(c.threads) >= limit/2 && h.cfg.Collect != nil && now-c.collectedAt >= collectEvery {
		c.collectedAt = now
		h.cfg.Collect()
	}
}

// ResumeOn resumes th with the arguments after the first one of l. It pushes true and the values,
// or false and the error, which the caller raises.
func (s *State) ResumeOn(l *lua.LState, th *lua.LState) int { return s.resume(l, th, false) }

// resume is ResumeOn. catches says that the caller does not raise the error.
func (s *State) resume(l *lua.LState, th *lua.LState, catches bool) int {
	h := s.mod.Runtime
	if why := s.refusal(th); why != "" {
		l.Push(lua.LFalse)
		l.Push(lua.LString(why))
		return 2
	}
	if h.guards >= maxGuards {
		l.RaiseError("protected calls and coroutines nest deeper than %d", maxGuards)
	}
	if _, started := th.GetStack(0); !started {
		fn := th.Get(1)
		l.Insert(s.co.arm, 2)
		l.Insert(fn, 3)
	}
	h.guards++
	s.running = append(s.running, th)
	s.co.lastError = nil
	if h.debugger != nil {
		s.announce(th, catches)
	}
	n := 0
	if t := h.meter.slice.of; t != nil && t.Thread == th {
		n = t.run(l)
	} else {
		n = s.co.resume(l)
	}
	h.raising = false
	if l.Get(-1) == lua.LString(overflowText) && l.Get(-2) == lua.LFalse {
		l.Pop(1)
		l.Push(panicValue(th, overflowText))
	}
	s.running = s.running[:len(s.running)-1]
	h.guards--
	if h.meter.spent != nil {
		s.CarryTraceback()
		l.Error(l.Get(-1), 0) // nothing can catch an exhausted budget
	}
	return n
}

// refusal returns why a thread cannot be resumed, "" if it can.
func (s *State) refusal(th *lua.LState) string {
	switch {
	case th.Dead:
		return "cannot resume a dead coroutine"
	case s.inProgress(th):
		return "cannot resume a coroutine that is running"
	case len(s.co.stopped) > 0 && s.co.stopped[weak.Make(th)]:
		return "cannot resume a thread of spawn that has stopped until the next tick"
	}
	return ""
}

// CarryTraceback puts the traceback of the failed coroutine before the traceback of the next error.
func (s *State) CarryTraceback() {
	if e := s.co.lastError; e != nil {
		s.calleeTrace = e.StackTrace
		s.calleeError, _ = e.Cause.(*Error)
		s.co.lastError = nil
	}
}

func (s *State) inProgress(th *lua.LState) bool {
	for _, r := range s.running {
		if r == th {
			return true
		}
	}
	return false
}

func thread(a Args, i int) *lua.LState {
	th, ok := a.L.Get(i).(*lua.LState)
	if !ok {
		a.Wrong(i, "a coroutine")
	}
	return th
}

func coCreate(a Args) int {
	return a.Return(a.NewCoroutine(a.Function(1)))
}

// NewCoroutine creates a coroutine for the caller. It charges for it and enforces the limit.
func (a Args) NewCoroutine(fn *lua.LFunction) *lua.LState {
	a.Charge(threadCost)
	if !a.Mod.State.canStartCoroutine() {
		limit := a.Runtime().cfg.Limits.Threads
		if a.Runtime().peer == 0 {
			a.Fail("a mod can have at most %d unfinished coroutines", limit)
		}
		a.Fail("the clients of a mod can have at most %d unfinished coroutines, one client %d", limit, PartOf(limit))
	}
	return a.Mod.State.NewCoroutine(fn)
}

func coResume(a Args) int { return a.Mod.State.resume(a.L, thread(a, 1), true) }

func coWrap(a Args) int {
	s, th := a.Mod.State, a.NewCoroutine(a.Function(1))
	return a.Return(s.main.NewFunction(func(l *lua.LState) int {
		l.Insert(th, 1)
		n := s.ResumeOn(l, th)
		if lua.LVIsFalse(l.Get(-n)) {
			v := l.Get(-1)
			s.CarryTraceback()
			l.Error(v, 0)
		}
		return n - 1
	}))
}

func coRunning(a Args) int {
	s := a.Mod.State
	if len(s.running) == s.outer {
		return a.Return(lua.LNil)
	}
	return a.Return(s.running[len(s.running)-1])
}

func coStatus(a Args) int {
	s, th := a.Mod.State, thread(a, 1)
	status := "suspended"
	switch {
	case th.Dead:
		status = "dead"
	case len(s.running) > 0 && s.running[len(s.running)-1] == th:
		status = "running"
	case s.inProgress(th):
		status = "normal"
	}
	return a.Return(lua.LString(status))
}

// Yield suspends the coroutine. It fails unless every frame down to the first is a Lua function
// called by Lua: the VM cannot suspend its own calls, and would continue with a corrupt stack.
func Yield(a Args) int {
	if a.L.Parent == nil {
		a.Fail("no coroutine to suspend here: yield cannot cross a pcall, or a call from the engine or another mod")
	}
	if !suspendable(a.L) {
		a.Fail("yield cannot cross a metamethod, iterator or callback")
	}
	return -1
}

// suspendable reports whether all active calls of a thread below the innermost one are Lua
// functions that Lua has called.
func suspendable(l *lua.LState) bool {
	first, legal := true, true
	stack.Visit(l, func(f stack.Frame) bool {
		switch {
		case first:
			first = false
		case f.Fn.IsG:
			legal = false
		default:
			op := int(f.Fn.Proto.Code[max(f.PC-1, 0)] >> 26)
			legal = op == lua.OP_CALL || op == lua.OP_TAILCALL
		}
		return legal
	})
	return legal
}
