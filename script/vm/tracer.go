package vm

import (
	"time"

	lua "github.com/yuin/gopher-lua"
)

// A Tracer is told of the calls from Go into Lua: events, commands, timers, and calls between mods.
// It must not call Lua. See script/trace.
type Tracer interface {
	// Called is called before the call. Its values are the arguments.
	Called(c *TracedCall)
	// Returned is called after the call. Its values are the results.
	Returned(c *TracedCall)
	// Sent is called when a mod sends a command.
	Sent(mod, command string, args []lua.LValue)
	// Tick is called at the beginning of a tick.
	Tick()
}

// A TracedCall is a call from Go into Lua.
type TracedCall struct {
	Mod    *Mod
	Caller *Mod // the mod that makes the call; nil: the engine
	Event  string
	Depth  int // calls in progress, this one included
	// Set when the call has ended, with the calls that it made.
	Steps int64         // counted instructions
	Time  time.Duration // 0 without a clock
	Err   error

	thread *lua.LState
	values int // on top of the thread
}

// Values returns the arguments or results. They are valid until the method of the tracer returns.
func (c *TracedCall) Values() []lua.LValue {
	values := make([]lua.LValue, c.values)
	for i := range values {
		values[i] = c.thread.Get(c.thread.GetTop() - c.values + 1 + i)
	}
	return values
}

// SetTracer sets the tracer of all mods. nil removes it.
func (h *Runtime) SetTracer(t Tracer) { h.tracer = t }

// Tracer returns the tracer, or nil.
func (h *Runtime) Tracer() Tracer { return h.tracer }

// runTraced is Run with a tracer.
func (e *Entry) runTraced(t Tracer, n, results int) error {
	h, th := e.mod.Runtime, e.Thread
	c := TracedCall{Mod: e.mod, Event: h.meter.handler.Event, Depth: len(h.chain), thread: th, values: n}
	if c.Depth > 1 {
		c.Caller = h.chain[c.Depth-2]
	}
	t.Called(&c)
	steps, began := h.meter.n, h.meter.reading(h.meter.clock)
	c.Err, c.values = e.run(n, results), 0
	c.Steps, c.Time = h.meter.n-steps, h.meter.reading(h.meter.clock)-began
	if c.Err == nil {
		c.values = th.GetTop()
	}
	t.Returned(&c)
	return c.Err
}
