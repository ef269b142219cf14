package vm

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"
)

// runGuarded is the outermost function of every thread that may fail. It calls its first argument
// with the other arguments. When the VM raises an error, it closes the upvalues of this thread's
// frames. After a Go panic they are still open, so guarded closes them while the frames still
// exist. The error leaves with a finished traceback, because PCall would otherwise build its own
// without a limit.
func (s *State) runGuarded(l *lua.LState, trace bool) int {
	l.Panic = s.panicQuiet
	if trace {
		l.Panic = s.panicTraced
	}
	defer func() {
		if s.mod.Runtime.raising {
			// A Lua error is already being raised. Recovering it and panicking again would cost 1
			// µs.
			return
		}
		if r := recover(); r != nil {
			closeUpvalues(l)
			panic(s.newError(l, panicValue(l, r), trace))
		}
	}()
	l.Call(l.GetTop()-1, lua.MultRet)
	return l.GetTop()
}

// overflowText is the panic value of gopher-lua for calls that nest too deep in a thread with a
// growing call stack.
const overflowText = "lua callstack overflow"

// panicValue returns the error value for a Go panic. A stack overflow is an error of the script;
// every other panic is an internal error.
func panicValue(l *lua.LState, r any) lua.LValue {
	if r == overflowText {
		return lua.LString(CallerPosition(l, 0) + "stack overflow")
	}
	return lua.LString(fmt.Sprintf("internal error: %v", r))
}

// raiseCost is the cost of a caught error in instructions: threads, deferred functions and unwound
// frames.
const raiseCost = 200

// newError makes the error that unwinds a thread.
func (s *State) newError(l *lua.LState, v lua.LValue, trace bool) *lua.ApiError {
	if s.mod.Runtime.debugger != nil {
		s.raised(l, v)
	}
	s.mod.Runtime.raising = true
	if text, ok := v.(lua.LString); ok {
		s.Book(len(text) / 64) // the script may have built the text
	}
	e := &lua.ApiError{Type: lua.ApiErrorRun, Object: v, StackTrace: "\t"}
	if s.calleeError != nil {
		e.Cause, s.calleeError = s.calleeError, nil
	}
	if trace {
		e.StackTrace = s.traceback(l)
	}
	if s.calleeTrace != "" {
		e.StackTrace, s.calleeTrace = s.calleeTrace+"\n"+e.StackTrace, ""
	}
	if e.StackTrace == "" {
		e.StackTrace = "\t"
	}
	return e
}

// closeUpvalues closes the upvalues of all frames of a thread. gopher-lua does that only when it
// raises an error, so closeUpvalues raises one with an empty panic handler.
func closeUpvalues(l *lua.LState) {
	old := l.Panic
	l.Panic = func(*lua.LState) {}
	defer func() {
		l.Panic = old
		_ = recover() // with a full register file the push fails, but the upvalues are closed by then
	}()
	l.Error(lua.LNil, 0)
	l.Pop(1)
}

// protected calls fn on a pooled thread with the arguments from…top of l. On success it returns the
// thread with the results on its stack. On failure it returns the thread and the error. In both
// cases the caller releases the thread.
func (s *State) protected(l *lua.LState, body *lua.LFunction, fn lua.LValue, from int) (*lua.LState, *lua.ApiError) {
	h := s.mod.Runtime
	if h.guards >= maxGuards {
		l.RaiseError("protected calls and coroutines nest deeper than %d", maxGuards)
	}
	t := s.thread()
	t.Push(body)
	t.Push(fn)
	n := 0
	for i := from; i <= l.GetTop(); i++ {
		t.Push(l.Get(i))
		n++
	}
	guards, running := h.guards, len(s.running)
	h.guards++
	if h.debugger != nil {
		s.announce(t, true)
	}
	err := t.PCall(n+1, lua.MultRet, nil)
	h.raising = false
	h.guards, s.running = guards, s.running[:running]
	if err == nil {
		return t, nil
	}
	api := err.(*lua.ApiError)
	s.Book(raiseCost)
	if h.meter.spent != nil {
		s.release(t)
		s.calleeTrace = api.StackTrace
		l.Error(api.Object, 0) // no script may catch an exhausted budget
	}
	return t, api
}

// results moves the results from thread t to l and releases t. It returns the number of values.
func (s *State) results(l, t *lua.LState) int {
	n := t.GetTop()
	for i := 1; i <= n; i++ {
		l.Push(t.Get(i))
	}
	s.release(t)
	return n
}

func pcall(a Args) int {
	l, s := a.L, a.Mod.State
	if fn := a.Any(1); !callable(l, fn) {
		return a.Return(lua.LFalse, lua.LString("attempt to call "+withArticle(fn)))
	}
	t, err := s.protected(l, s.quiet, l.Get(1), 2)
	if err != nil {
		s.release(t)
		return a.Return(lua.LFalse, err.Object)
	}
	l.Push(lua.LTrue)
	return 1 + s.results(l, t)
}

func callable(l *lua.LState, v lua.LValue) bool {
	return v.Type() == lua.LTFunction || l.GetMetaField(v, "__call").Type() == lua.LTFunction
}

// xpcall runs its error handler after the failed frames are unwound. The handler still gets their
// traceback, and a full call stack cannot make it fail.
func xpcall(a Args) int {
	l, s := a.L, a.Mod.State
	fn, handler := a.Any(1), a.Any(2)
	t, err := s.protected(l, s.traced, fn, 3)
	if err == nil {
		l.Push(lua.LTrue)
		return 1 + s.results(l, t)
	}
	s.release(t)
	l.SetTop(0)
	l.Push(err.Object)
	before := s.handlerTrace
	s.handlerTrace = err.StackTrace
	t, failed := s.protected(l, s.quiet, handler, 1)
	s.handlerTrace = before
	if failed != nil {
		s.release(t)
		return a.Return(lua.LFalse, lua.LString("error in the error handler: "+PlainText(failed.Object)))
	}
	said := t.Get(1) // only the first value counts, as in Lua 5.1
	s.release(t)
	return a.Return(lua.LFalse, said)
}

// luaError implements Lua's error function.
func luaError(a Args) int {
	v := lua.LValue(lua.LNil)
	if a.N() > 0 {
		v = a.L.Get(1)
	}
	if text, ok := operand(v); ok {
		if level := a.OptInt(2, 1); level > 0 {
			a.ChargeString(len(text))
			v = lua.LString(a.Runtime().errorPosition(a.L, level) + text)
		}
	}
	a.L.Error(v, 0)
	return 0
}

func luaAssert(a Args) int {
	if lua.LVAsBool(a.Any(1)) {
		return a.N()
	}
	if a.Has(2) {
		a.L.Error(a.L.Get(2), 0)
	}
	a.L.Error(lua.LString(CallerPosition(a.L, 1)+"assertion failed!"), 0)
	return 0
}

func traceback(a Args) int {
	s := a.Mod.State
	if a.N() > 0 && a.L.Get(1).Type() != lua.LTString && a.L.Get(1) != lua.LNil {
		return a.Return(a.L.Get(1))
	}
	trace := s.handlerTrace
	if trace == "" {
		trace = s.traceback(a.L)
	}
	return a.Text(a.OptString(1, "") + "\nstack traceback:\n" + trace)
}

// Try calls fn without arguments, drops its results and returns its error, or nil. l is the thread
// that runs.
func (s *State) Try(l *lua.LState, fn *lua.LFunction) *lua.ApiError {
	t, err := s.protected(l, s.quiet, fn, l.GetTop()+1)
	s.release(t)
	return err
}
