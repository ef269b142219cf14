package vm

import (
	"time"

	lua "github.com/yuin/gopher-lua"
)

// A Debugger follows the threads of mods. See script/debug.
type Debugger interface {
	// Resumes is called before a thread of m begins or goes on. level is the number of threads in
	// progress, this one included; it is 1 for the thread of a root entry. catches reports whether
	// an error on the thread goes no farther.
	Resumes(m *Mod, th *lua.LState, level int, catches bool)
	// Raised is called with an error that is raised on a thread, while all its frames exist.
	Raised(m *Mod, th *lua.LState, v lua.LValue)
}

// SetDebugger sets the debugger of all mods. nil removes it. Call it at depth 0, or in an Aside of
// the debugger.
func (h *Runtime) SetDebugger(d Debugger) { h.debugger = d }

// announce tells the debugger, which exists, which thread goes on.
func (s *State) announce(th *lua.LState, catches bool) {
	h := s.mod.Runtime
	h.debugger.Resumes(s.mod, th, len(h.chain)+h.guards, catches)
}

// raised tells the debugger, which exists, of an error on a thread.
func (s *State) raised(l *lua.LState, v lua.LValue) {
	inner, trace, before := s.calleeError, s.calleeTrace, s.co.lastError
	s.calleeError, s.calleeTrace = nil, ""
	s.mod.Runtime.debugger.Raised(s.mod, l, v)
	s.calleeError, s.calleeTrace, s.co.lastError = inner, trace, before
}

// Aside runs f, in which Lua stands still. Neither the time nor the instructions of f are charged
// to the entry in progress. f can make entries, each with the limits of its own.
func (h *Runtime) Aside(f func()) {
	if len(h.chain) == 0 {
		f()
		return
	}
	m := &h.meter
	saved, wall, cpu := *m, m.reading(m.clock), m.reading(m.cpu)
	m.shares, m.newest = []share{{mod: m.mod, handler: m.handler}}, 0
	m.slice = noSlice
	m.bounds, m.spent, m.event, m.account, m.since = unbounded, nil, false, nil, m.n
	m.slowness, m.thread, m.limit, m.rootHeap = slowness{}, nil, Limit{}, unlimited
	m.arm()
	f()
	wall, cpu = m.reading(m.clock)-wall, m.reading(saved.cpu)-cpu
	*m = saved
	m.wall += wall
	m.cpuAt += cpu
}

// reading reads a clock that can be nil.
func (m *meter) reading(clock func() time.Duration) time.Duration {
	if clock == nil {
		return 0
	}
	return clock()
}

// IsRow reports whether a global belongs to the rows, not to the mod.
func (s *State) IsRow(name string) bool { return !s.declared[name] && s.mod.Runtime.index.has(name) }
