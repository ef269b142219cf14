package debug

import (
	"context"
	"fmt"

	"github.com/google/go-dap"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
	"github.com/torc-engine/torc/script/vm/stack"
)

// A watch is the context of a thread of the mod. It finds the beginnings of lines.
type watch struct {
	context.Context // the meter
	session         *Session
	thread          *lua.LState
	marks           []mark // the newest instruction of each frame, by its index
}

// A mark is an instruction that a frame has reached.
type mark struct {
	fn       *lua.LFunction
	pc, line int
}

// Done is called before each instruction.
func (w *watch) Done() <-chan struct{} {
	switch {
	case w.session.over:
		w.thread.SetContext(w.Context)
	case w.session.cfg.Runtime.Detours():
	case w.session.armed && w.session.stop == nil && !w.session.evaluating:
		w.instruction()
	}
	return w.Context.Done()
}

// A thread is in progress: it runs, or waits for the one above it.
type thread struct {
	state   *lua.LState
	mod     *vm.Mod
	catches bool // an error on it goes no farther
}

// depth is the place of a frame among all frames in progress.
type depth struct{ level, index int }

// below reports whether a frame is nearer to the bottom of the stack.
func (d depth) below(other depth) bool {
	return d.level < other.level || d.level == other.level && d.index < other.index
}

// step says where the next step ends.
type step struct {
	kind string // "": there is none; else in, over or out
	from depth
}

// ends reports whether the step ends at a depth. begins says that a line begins there.
func (s step) ends(at depth, begins bool) bool {
	returned := at.below(s.from)
	switch s.kind {
	case "in":
		return begins || returned
	case "over":
		return returned || begins && at == s.from
	case "out":
		return returned
	}
	return false
}

// Resumes implements vm.Debugger. A step ends with its handler.
func (s *Session) Resumes(m *vm.Mod, th *lua.LState, level int, catches bool) {
	if s.stop != nil || s.evaluating {
		return
	}
	s.threads = append(s.threads[:min(level-1, len(s.threads))], thread{th, m, catches})
	if level == 1 {
		s.step, s.seen, s.conditions = step{}, raised{}, 0
		s.beginTick()
		s.arm()
	}
	if m.Name == s.cfg.Mod {
		s.watch(th)
	}
}

// beginTick says how many messages of log points an earlier tick left out.
func (s *Session) beginTick() {
	now := s.cfg.Runtime.Now()
	if now == s.tick {
		return
	}
	if more := s.messages - maxMessages; more > 0 {
		s.output(fmt.Sprintf("%d messages left out: a tick has at most %d", more, maxMessages))
	}
	s.tick, s.messages = now, 0
}

// watch makes a thread report its lines.
func (s *Session) watch(th *lua.LState) {
	meter := th.Context()
	if w, ok := meter.(*watch); ok {
		if w.session == s {
			return
		}
		meter = w.Context
	}
	th.SetContext(&watch{Context: meter, session: s, thread: th})
}

// arm notes whether threads must look for lines.
func (s *Session) arm() { s.armed = s.pausing || s.step.kind != "" || s.breakpoints > 0 }

// level returns the level of a thread in progress. The threads above it have ended.
func (s *Session) level(th *lua.LState) int {
	for i := len(s.threads); i > 0; i-- {
		if s.threads[i-1].state == th {
			clear(s.threads[i:])
			s.threads = s.threads[:i]
			return i
		}
	}
	return 0
}

// instruction stops if there is a reason: at the beginning of a line, or after the return that ends
// a step.
func (w *watch) instruction() {
	f, ok := stack.Top(w.thread)
	if !ok || f.Fn.IsG || f.PC < 1 {
		return
	}
	s := w.session
	at := depth{s.level(w.thread), f.Index}
	if at.level == 0 {
		return
	}
	file := s.fileOf(s.threads[at.level-1].mod, f.Fn.Proto)
	if file == nil {
		return
	}
	begins := w.begins(f)
	var b *breakpoint
	if begins {
		b = file.breakpoints[f.Fn.Proto.DbgSourcePositions[f.PC-1]]
	}
	switch {
	case begins && s.pausing:
		s.stopAt(dap.StoppedEventBody{Reason: "pause"}, nil)
	case b != nil && s.hits(b):
		s.stopAt(dap.StoppedEventBody{Reason: "breakpoint", HitBreakpointIds: []int{b.id}}, nil)
	case s.step.ends(at, begins):
		s.stopAt(dap.StoppedEventBody{Reason: "step"}, nil)
	}
}

// begins reports whether an instruction begins a line: it is the first of its line, or of a
// repetition. After a call the rest of the line is no beginning.
func (w *watch) begins(f stack.Frame) bool {
	now := mark{f.Fn, f.PC, f.Fn.Proto.DbgSourcePositions[f.PC-1]}
	before := mark{}
	if f.Index < len(w.marks) {
		before = w.marks[f.Index]
	}
	for len(w.marks) <= f.Index {
		w.marks = append(w.marks, mark{})
	}
	w.marks = w.marks[:f.Index+1]
	w.marks[f.Index] = now
	return before.fn != now.fn || before.line != now.line || now.pc <= before.pc
}

// raised is the error of the newest stop.
type raised struct {
	text  string
	level int
}

// Raised implements vm.Debugger.
func (s *Session) Raised(m *vm.Mod, th *lua.LState, v lua.LValue) {
	if s.stop != nil || s.evaluating || m.Name != s.cfg.Mod || !s.onErrors && !s.onUncaught {
		return
	}
	now := raised{vm.PlainText(v), s.level(th)}
	again := now.text == s.seen.text && now.level < s.seen.level // it goes on to the thread below
	if s.seen = now; again || !s.onErrors && s.caught() {
		return
	}
	s.stopAt(dap.StoppedEventBody{Reason: "exception", Description: "Paused on an error", Text: now.text}, v)
}

// caught reports whether a thread in progress catches errors.
func (s *Session) caught() bool {
	for _, t := range s.threads {
		if t.catches {
			return true
		}
	}
	return false
}
