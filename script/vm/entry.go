package vm

import (
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// maxDepth limits the nesting of entries: an event, and its calls into other mods.
const maxDepth = 16

// Names of entries without an event of the engine.
const (
	LoadEvent = "load"   // the files of a mod
	LineEvent = "line"   // lines of the console
	callEvent = "a call" // entries without an event name

	// partEvent begins the names of parts of a handler. A part can be suspended, but it does not
	// count as a handler.
	partEvent = "part "
)

// PartRecord returns the record of a function that is a part of a handler. Its event is "part
// FILE:LINE".
func (m *Mod) PartRecord(fn *lua.LFunction) *EventRecord {
	if fn.IsG {
		return m.EventRecord(partEvent + "an imported function")
	}
	r := m.parts[fn.Proto]
	if r == nil {
		r = m.EventRecord(fmt.Sprintf("%s%s:%d", partEvent, fn.Proto.SourceName, fn.Proto.LineDefined))
		m.parts[fn.Proto] = r
	}
	return r
}

// Error reports a failed entry: the raised value, its place and the mods involved.
type Error struct {
	Mod       *Mod // the mod that failed; for an exhausted root budget, the mod that used most of it
	Chain     string
	Value     lua.LValue // the raised value; nil if Enter itself failed
	Text      string     // begins with file:line where Lua raised it
	Traceback string     // at most 24 levels, one per line, each with a leading tab; "" if unknown
	Spent     *Exhausted // set if a budget was exhausted
}

func (e *Error) Error() string { return e.Text }

func (e *Error) Unwrap() error {
	if e.Spent == nil {
		return nil
	}
	return e.Spent
}

// ErrTick rejects an event because the callbacks of this tick have used up their common
// instructions.
var ErrTick = errors.New("the tick budget of scripts is used up")

// Limits returns the current limits.
func (h *Runtime) Limits() Limits { return h.cfg.Limits }

// LimitsVar returns the limits for changing. An entry in progress keeps the bounds it began with.
func (h *Runtime) LimitsVar() *Limits { return &h.cfg.Limits }

// Enter calls fn in m. All calls from Go into Lua go through an entry like this. At depth 0 the
// entry has the budget of a callback. A nested entry uses the budget of the entry around it. The
// arguments must be values of m's state, and so are the results; without results, Enter returns
// nil. The error is an *Error, or ErrTick.
func (h *Runtime) Enter(m *Mod, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	return h.EnterCallback(callEvent, m, fn, args)
}

// EnterCallback is like Enter and charges the call to the named event.
func (h *Runtime) EnterCallback(event string, m *Mod, fn *lua.LFunction, args []lua.LValue) ([]lua.LValue, error) {
	e, err := h.OpenCallback(m, m.EventRecord(event), fn)
	if err != nil {
		return nil, err
	}
	return e.call(args)
}

// EnterWith is like Enter with limit l instead of a callback's limit: Limits().Load or
// Limits().Line. In a nested entry l can be a smaller limit; exceeding it is an ordinary error at
// the caller.
func (h *Runtime) EnterWith(l Limit, m *Mod, fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	return h.EnterEvent(callEvent, m, fn, l, args)
}

// EnterEvent is EnterWith for a named event, to which the call is charged.
func (h *Runtime) EnterEvent(event string, m *Mod, fn *lua.LFunction, l Limit, args []lua.LValue) ([]lua.LValue, error) {
	e, err := h.OpenNested(m, m.EventRecord(event), &l, fn)
	if err != nil {
		return nil, err
	}
	return e.call(args)
}

// An Entry is a call into a mod. The steps are: open it, push the arguments on its thread, run it,
// read the results from the thread, close it. The host has one entry for each depth and reuses it
// after close.
type Entry struct {
	mod    *Mod
	Thread *lua.LState
	Caller *lua.LState // the thread of the other mod that calls; nil if Go calls
	guards int         // protected calls and coroutines in progress before this entry
	outer  int
	mark   meterState
}

// OpenCallback opens an entry with the budget of a callback. A nested entry uses the budget in
// progress.
func (h *Runtime) OpenCallback(m *Mod, r *EventRecord, fn *lua.LFunction) (*Entry, error) {
	if len(h.chain) > 0 {
		return h.OpenNested(m, r, &Limit{}, fn)
	}
	if h.SpentTick(m) {
		return nil, ErrTick
	}
	return h.begin(m, r, &h.cfg.Limits.Callback, fn, true)
}

// OpenNested begins an entry into m for a call of fn.
func (h *Runtime) OpenNested(m *Mod, r *EventRecord, l *Limit, fn *lua.LFunction) (*Entry, error) {
	return h.begin(m, r, l, fn, false)
}

// begin implements open and callback. event is true for an event of the engine at depth 0.
func (h *Runtime) begin(m *Mod, r *EventRecord, l *Limit, fn *lua.LFunction, event bool) (*Entry, error) {
	depth := len(h.chain)
	if depth >= maxDepth {
		text := fmt.Sprintf("calls between mods nest deeper than %d: %s", maxDepth, h.Chain())
		return nil, &Error{Mod: m, Chain: h.Chain(), Text: text}
	}
	e, s := &h.entries[depth], m.State
	if depth == 0 {
		h.meter.begin(m, r, l, event)
	} else {
		h.meter.enter(m, r, l, &e.mark)
	}
	h.chain = append(h.chain, m)
	e.mod, e.guards, e.outer = m, h.guards, s.outer
	s.outer = len(s.running)
	e.Thread = s.thread()
	if h.debugger != nil {
		s.announce(e.Thread, false)
	}
	e.Thread.Push(fn)
	return e, nil
}

// Run calls the function with the n arguments on the thread's stack. It leaves the given number of
// results on the thread, or all of them for lua.MultRet. After an error the entry is closed.
func (e *Entry) Run(n, results int) error {
	if t := e.mod.Runtime.tracer; t != nil {
		return e.runTraced(t, n, results)
	}
	return e.run(n, results)
}

func (e *Entry) run(n, results int) error {
	failed := e.mod.State.invoke(e.Thread, n, results)
	if failed == nil && e.mod.Runtime.meter.spent == nil {
		return nil
	}
	if failed != nil {
		e.Thread = nil // the frames of a failed call remain on the thread, so it cannot be reused
	}
	return e.Close(failed)
}

// call pushes args, runs the function, closes the entry and returns all results.
func (e *Entry) call(args []lua.LValue) (out []lua.LValue, err error) {
	for _, a := range args {
		e.Thread.Push(a)
	}
	if err := e.Run(len(args), lua.MultRet); err != nil {
		return nil, err
	}
	if n := e.Thread.GetTop(); n > 0 {
		out = make([]lua.LValue, n)
		for i := range out {
			out[i] = e.Thread.Get(i + 1)
		}
	}
	return out, e.Close(nil)
}

// Close ends the entry and releases its thread for reuse.
func (e *Entry) Close(failed *lua.ApiError) (err error) {
	m, depth := e.mod, len(e.mod.Runtime.chain)-1
	h, s := m.Runtime, m.State
	if e.Thread != nil {
		s.release(e.Thread)
	}
	if len(s.running) > s.outer {
		clear(s.running[s.outer:])
		s.running = s.running[:s.outer]
	}
	s.outer, h.guards = e.outer, e.guards
	caller := e.Caller
	e.mod, e.Thread, e.Caller = nil, nil, nil
	var spent *Exhausted
	r := h.meter.handler
	if depth == 0 {
		spent = h.meter.end()
		if h.meter.event {
			h.meter.tickUsed += h.meter.last - h.meter.started
		}
	} else {
		spent = h.meter.leave(&e.mark)
	}
	if failed != nil || spent != nil {
		user := h.userOf(m, spent)
		if user == m {
			r.Errors++
		}
		err = h.entryError(m, user, caller, failed, spent)
	}
	h.chain = h.chain[:depth]
	return err
}

// userOf returns the mod that used a broken budget up. That of the root entry is common to all mods
// in it, and breaks in whichever runs last.
func (h *Runtime) userOf(m *Mod, spent *Exhausted) *Mod {
	if spent != nil && h.meter.spent != nil {
		if big := h.meter.biggestUser(); big != nil {
			return big
		}
	}
	return m
}

// entryError makes the error of an entry. It needs the chain of entries in progress. If the error
// names the line of the mod that calls (level 2 of error), that mod failed. user is the mod that
// used a broken budget up.
func (h *Runtime) entryError(m, user *Mod, caller *lua.LState, api *lua.ApiError, spent *Exhausted) *Error {
	e := &Error{Mod: m, Chain: h.Chain(), Spent: spent}
	if api != nil {
		e.Value, e.Traceback = api.Object, api.StackTrace
		e.Text = ClipText(PlainText(api.Object), maxQuotedTotal)
		if inner, ok := api.Cause.(*Error); ok && spent == nil {
			e.Mod, e.Chain, e.Traceback = inner.Mod, inner.Chain, inner.Traceback+"\n"+e.Traceback
		}
		if caller != nil && spent == nil {
			if place := CallerPosition(caller, 1); place != "" && strings.HasPrefix(e.Text, place) {
				e.Mod = h.chain[len(h.chain)-2]
			}
		}
	}
	if spent != nil {
		if e.Text == "" {
			e.Text = spent.Text
		}
		e.Mod = user
		mostly := ", mostly by " + user.Name
		if at := h.placedIn(e.Text); at != nil && at != user && !strings.HasSuffix(e.Text, mostly) { // said by an inner entry
			e.Text += mostly
		}
	}
	return e
}

// Chain returns the names of the mods with entries in progress, outermost first: "ctf > base >
// ctf".
func (h *Runtime) Chain() string {
	names := make([]string, len(h.chain))
	for i, m := range h.chain {
		names[i] = m.Name
	}
	return strings.Join(names, " > ")
}

// PlainText returns the text of an error value without running Lua.
func PlainText(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return NumberText(float64(v))
	case nil, *lua.LNilType:
		return "nil"
	}
	return fmt.Sprintf("(error object is a %s value)", v.Type())
}
