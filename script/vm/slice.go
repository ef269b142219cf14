package vm

import (
	"slices"
	"weak"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm/stack"
)

// sliceLength is the number of instructions after which a sliced coroutine stops.
const sliceLength = 250_000

// stopCost is the charge for a stop and the resume after it, in instructions.
const stopCost = 200

// A Sliced is a coroutine that stops between two instructions when it has run for long, and goes on
// in a later call of Resume. The budget from one yield to the next is Limits.Thread. Only
// instructions of Lua and charges for work in Go count, not those for slow instructions. So a
// coroutine stops at the same instruction on every machine. When it yields, it gets its whole
// budget again.
//
// The coroutine stops only if all its active calls are Lua functions called by Lua. Elsewhere it
// runs on, until it can stop or the budget of a callback is used up.
type Sliced struct {
	Thread  *lua.LState
	Used    int64 // instructions since it began or yielded
	Last    int64 // those of the newest slice
	Stopped bool  // it has stopped, and Resume needs no arguments
	state   *State
	rest    *pieces // of the call of InPieces in which it has stopped
	detour  detour
}

// NewSliced makes a coroutine for the caller. It charges for it and enforces the limit.
func (a Args) NewSliced(fn *lua.LFunction) *Sliced {
	return &Sliced{Thread: a.NewCoroutine(fn), state: a.Mod.State}
}

// Resume is State.ResumeOn for the next slice. Its first argument on l must be the thread. If the
// coroutine stops, Resume pushes nothing and returns 0.
func (t *Sliced) Resume(l *lua.LState) int {
	m := &t.state.mod.Runtime.meter
	if m.slice.of != nil {
		l.RaiseError("BUG: a slice within a slice")
	}
	if !t.Stopped {
		t.Used = 0
	}
	m.beginSlice(t)
	defer m.endSlice()
	if t.rest != nil {
		done := m.advance(t.rest, t.Thread)
		if m.spent != nil {
			t.state.calleeTrace = t.state.traceback(t.Thread)
			l.Error(lua.LString(CallerPosition(t.Thread, 0)+m.spent.Text), 0)
		}
		if !done {
			return 0
		}
		finish := t.rest.finish
		t.rest = nil
		finish(l)
	}
	t.Stopped = false
	delete(t.state.co.stopped, weak.Make(t.Thread))
	return t.state.resume(l, t.Thread, false)
}

// run resumes the thread, and ends the panic of a stop.
func (t *Sliced) run(l *lua.LState) int {
	m := &t.state.mod.Runtime.meter
	defer func() {
		if m.slice.stopping {
			_ = recover() // errors of the thread go on
			m.slice.stopping, t.Stopped = false, true
			l.G.CurrentThread = l
		}
	}()
	t.enterDetour(m)
	n := t.state.co.resume(l)
	t.Stopped = t.rest != nil
	return n
}

// A timeSlice is what the meter knows of the coroutine that runs. Its counts are moved when slow
// instructions raise the count of the meter.
type timeSlice struct {
	of             *Sliced // nil: no coroutine can stop
	began          int64   // n at the beginning
	stopAt, failAt int64   // n after which it stops, and after which its budget is used up
	tries          int64   // how often it could not stop
	guards, depth  int     // protected calls and entries in progress at its beginning
	stopping       bool    // the panic of a stop is under way
}

var noSlice = timeSlice{stopAt: unlimited, failAt: unlimited}

// sliceLength returns the number of instructions after which a sliced coroutine stops. The budget
// of a callback that is set lower stays well beyond it.
func (m *meter) sliceLength() int64 { return min(sliceLength, m.limits.Callback.Instructions/4) }

func (m *meter) beginSlice(t *Sliced) {
	h := t.state.mod.Runtime
	left := m.limits.Thread - t.Used
	m.slice = timeSlice{of: t, began: m.n, stopAt: m.n + m.sliceLength(), failAt: m.n + left, guards: h.guards + 1, depth: len(h.chain)}
	m.arm()
}

func (m *meter) endSlice() {
	t := m.slice.of
	t.leaveDetour()
	t.Last = m.n - m.slice.began
	t.Used += t.Last
	if t.Stopped {
		m.n += stopCost
		t.state.co.stopped[weak.Make(t.Thread)] = true
	}
	m.slice = noSlice
	if m.spent == nil {
		m.arm()
	}
}

// lift raises the instruction count to n, without a change of when the coroutine stops.
func (m *meter) lift(n int64) {
	d := max(0, n-m.n)
	m.n += d
	m.slice.shift(d)
}

// shift makes d instructions not count.
func (s *timeSlice) shift(d int64) {
	if s.of == nil {
		return
	}
	s.began += d
	s.stopAt += d
	s.failAt += d
}

// tryStop stops the coroutine before the present instruction if it can stop there. It looks again
// after a changing number of instructions, so that a loop with a part that cannot stop does not
// always hide there.
func (m *meter) tryStop() {
	s := &m.slice
	if m.n <= s.stopAt || s.of.detour.steps > 0 {
		return
	}
	h, th := s.of.state.mod.Runtime, s.of.Thread
	top, ok := stack.Top(th)
	if h.guards != s.guards || len(h.chain) != s.depth || !ok || top.Fn.IsG || !suspendable(th) {
		s.stopAt = m.n + s.tries%63
		s.tries++
		m.arm()
		return
	}
	m.n-- // the instruction has not run
	s.of.detour.at(top)
	s.stopping = true
	th.Parent = nil // so gopher-lua passes the panic on, and keeps the calls of the thread
	panic(stopped)
}

// stopped is the value of the panic that leaves a coroutine between two instructions.
const stopped = "BUG: nobody has resumed this thread"

// A detour leads a stopped coroutine back to the instruction before which it has stopped. The VM
// has already moved its program counter beyond it, and that cannot be changed from outside. So the
// function runs a copy of its code for two steps. In the copy, the instruction after that one jumps
// back to it.
type detour struct {
	fn             *lua.LFunction     // nil: there is none
	original, copy *lua.FunctionProto // the copy is kept for the next stop in the same function
	pc             int                // of the jump
	steps          int                // instructions until the function runs its original code again
}

// jumpBack is a jump to the instruction before it.
const jumpBack = uint32(lua.OP_JMP)<<26 | (1<<17 - 1 - 2)

// at makes the detour for a stop in the call f.
func (d *detour) at(f stack.Frame) {
	p := f.Fn.Proto
	if d.original != p {
		c := *p
		c.Code = append(slices.Clone(p.Code), 0) // the last instruction has none after it
		c.DbgSourcePositions = append(slices.Clone(p.DbgSourcePositions), 0)
		d.original, d.copy = p, &c
	}
	d.fn, d.pc = f.Fn, f.PC
	d.copy.Code[d.pc], d.copy.DbgSourcePositions[d.pc] = jumpBack, p.DbgSourcePositions[d.pc-1]
}

// enterDetour begins the detour of a coroutine that has stopped between two instructions. The jump
// counts as no instruction.
func (t *Sliced) enterDetour(m *meter) {
	d := &t.detour
	if d.fn == nil {
		return
	}
	d.fn.Proto, d.steps = d.copy, 2
	m.slice.shift(1)
	m.arm()
}

// step ends the detour at its second instruction.
func (d *detour) step() {
	if d.steps--; d.steps == 0 {
		d.end()
	}
}

// end gives the function its original code.
func (d *detour) end() {
	d.fn.Proto, d.steps = d.original, 0
	d.copy.Code[d.pc], d.copy.DbgSourcePositions[d.pc] = 0, 0
	if d.pc < len(d.original.Code) {
		d.copy.Code[d.pc], d.copy.DbgSourcePositions[d.pc] = d.original.Code[d.pc], d.original.DbgSourcePositions[d.pc]
	}
	d.fn = nil
}

// leaveDetour ends a detour that an error has interrupted.
func (t *Sliced) leaveDetour() {
	if t.detour.steps > 0 {
		t.detour.end()
	}
}

// Detours reports whether a coroutine that had stopped goes back to its instruction. The VM then
// shows a place that is none.
func (h *Runtime) Detours() bool {
	t := h.meter.slice.of
	return t != nil && t.detour.steps > 0
}

// pieces are the rest of a call of InPieces.
type pieces struct {
	work   func() (done bool)
	finish func(l *lua.LState) int
}

// InPieces calls work until it returns true, then finish, which pushes the results of the row on l
// and returns their number. Use it as the last statement of a row:
//
//	return a.InPieces(work, finish)
//
// In a sliced coroutine, the row stops between two pieces, and goes on in the next slice. Elsewhere
// all pieces run at once, within the budget. A piece must take at most about 10,000 instructions,
// and charge for them by State.Book. It must not run Lua. Between two pieces anything can happen to
// the values that it refers to.
func (a Args) InPieces(work func() (done bool), finish func(l *lua.LState) int) int {
	m, p := &a.Runtime().meter, &pieces{work, finish}
	done := m.advance(p, a.L)
	if m.spent != nil {
		a.L.Error(lua.LString(CallerPosition(a.L, 1)+m.spent.Text), 0)
	}
	if done {
		return finish(a.L)
	}
	m.slice.of.rest = p
	a.L.SetTop(0)
	return -1
}

// advance does pieces until all are done, the thread th must stop, or the budget is used up. It
// reports whether all are done.
func (m *meter) advance(p *pieces, th *lua.LState) bool {
	stops := m.slice.of != nil && m.slice.of.Thread == th && suspendable(th)
	for !p.work() {
		if m.n >= m.next && m.check() || stops && m.n >= m.slice.stopAt {
			return false
		}
	}
	return true
}
