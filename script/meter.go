package script

import (
	"fmt"
	"math"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Limit bounds one entry. A zero field sets no bound of its own: what is nested then has what its caller has left.
type Limit struct {
	Instructions int64         // VM instructions, and work of Go charged as such
	Time         time.Duration // wall time
	Heap         uint64        // bytes the heap may grow
}

// Limits are the bounds of the kinds of root entries.
type Limits struct {
	Callback Limit         // an event of the engine
	Load     Limit         // the files of a mod
	Line     Limit         // a line of the console
	Tick     time.Duration // all callbacks of a tick together
	Heap     uint64        // bytes of heap of the whole process beyond which scripts are stopped
}

// DefaultLimits are in force where Config sets nothing else.
var DefaultLimits = Limits{
	Callback: Limit{2_000_000, 10 * time.Millisecond, 64 << 20},
	Load:     Limit{1_000_000_000, 5 * time.Second, 256 << 20},
	Line:     Limit{200_000_000, time.Second, 256 << 20},
	Tick:     20 * time.Millisecond,
	Heap:     2 << 30,
}

func (l Limits) withDefaults() Limits {
	d := DefaultLimits
	for _, p := range []struct{ have, want *Limit }{{&l.Callback, &d.Callback}, {&l.Load, &d.Load}, {&l.Line, &d.Line}} {
		if *p.have == (Limit{}) {
			*p.have = *p.want
		}
	}
	if l.Tick == 0 {
		l.Tick = d.Tick
	}
	if l.Heap == 0 {
		l.Heap = d.Heap
	}
	return l
}

// Usage is what a mod has used up itself, without what it called in other mods.
type Usage struct {
	Instructions int64
	Time         time.Duration
	Heap         uint64 // growth of the heap seen while it ran; an estimate, garbage included
}

// Resource names what ran out.
type Resource uint8

const (
	Instructions Resource = iota + 1
	Time
	Heap
	Tick
)

// Exhausted is the error of an entry that broke its budget. Root says that the outermost budget broke, which nothing
// on the way to the engine may catch.
type Exhausted struct {
	What Resource
	Text string
	Root bool
}

func (e *Exhausted) Error() string { return e.Text }

// meter is the context.Context of every thread of a host. The VM calls Done before each instruction, so counting
// there is exact; a closed channel makes the VM raise Err. It never closes a channel for pcall to swallow: once spent
// it stays spent until the entry that owns the limit has been left.
type meter struct {
	n, next int64 // instructions since the start; when to look at limits again
	step    int64 // how far apart the looks are: short while single instructions turn out slow
	bounds
	spent   *Exhausted
	last    time.Duration // time charged as of the newest look: wall time without standstills
	started time.Duration // and as of when the root was entered
	wall    time.Duration // the clock at the newest look
	heap    uint64        // heap at the newest look
	clock   func() time.Duration
	sample  func() uint64
	cap     uint64 // of the heap of the process
	closed  chan struct{}

	mod      *Mod // who is charged now
	since    int64
	sinceT   time.Duration
	tickUsed time.Duration
	shares   []share // of the root entry in progress
}

// bounds are absolute: compared with n, the clock and the heap.
type bounds struct {
	instructions int64
	deadline     time.Duration
	heapMax      uint64
	own          Limit // as given, for the sentence
}

type share struct {
	mod *Mod
	n   int64
}

// mark is what leaving an entry restores.
type mark struct {
	bounds
	mod *Mod
}

const (
	minStep, maxStep = 16, 1024
	slowLook         = 250 * time.Microsecond

	// standstill is the most time that is charged from one look to the next.
	// Instructions take less, and what Go does for them is charged as
	// instructions; more means that the machine was busy with something else,
	// which is no fault of the mod.
	standstill = 500 * time.Microsecond
)

var unbounded = bounds{instructions: math.MaxInt64, deadline: math.MaxInt64, heapMax: math.MaxUint64}

func (m *meter) reset(clock func() time.Duration, heap func() uint64, heapCap uint64) {
	m.clock, m.sample, m.cap, m.bounds = clock, heap, heapCap, unbounded
	m.next, m.step = math.MaxInt64, minStep
	m.closed = make(chan struct{})
	close(m.closed)
}

// Done counts an instruction. Part of context.Context.
func (m *meter) Done() <-chan struct{} {
	m.n++
	if m.n < m.next || !m.look() {
		return nil
	}
	return m.closed
}

// Err is what the VM raises. Part of context.Context.
func (m *meter) Err() error {
	if m.spent == nil {
		return nil
	}
	return m.spent
}

// Deadline is part of context.Context.
func (m *meter) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is part of context.Context.
func (m *meter) Value(any) any { return nil }

// look compares with the limits; it reports whether one is broken.
func (m *meter) look() bool {
	if m.spent != nil {
		return true
	}
	before := m.last
	m.read()
	switch {
	case m.n > m.instructions:
		m.spent = &Exhausted{What: Instructions, Text: fmt.Sprintf("the budget of %d instructions is used up", m.own.Instructions)}
	case m.last > m.deadline:
		m.spent = &Exhausted{What: Time, Text: fmt.Sprintf("the budget of %v is used up", m.own.Time)}
	case m.heap > m.heapMax:
		m.spent = &Exhausted{What: Heap, Text: fmt.Sprintf("the memory budget of %d MiB is used up", m.own.Heap>>20)}
	}
	if m.spent != nil {
		m.next = m.n
		return true
	}
	if m.last-before > slowLook {
		m.step = max(minStep, m.step/8)
	} else {
		m.step = min(maxStep, m.step*2)
	}
	m.arm()
	return false
}

// arm sets the next look so that the limit by instructions is met to the instruction.
func (m *meter) arm() {
	m.next = m.n + m.step
	if m.instructions < m.next {
		m.next = m.instructions + 1
	}
}

func (m *meter) read() {
	m.watch()
	if m.sample != nil {
		h := m.sample()
		if m.mod != nil && h > m.heap {
			m.mod.Usage.Heap += h - m.heap
		}
		m.heap = h
	}
}

// watch takes the time.
func (m *meter) watch() {
	if m.clock != nil {
		now := m.clock()
		m.last += min(now-m.wall, standstill)
		m.wall = now
	}
}

// enter charges mod from here on and bounds it by l where that is less than what is left.
func (m *meter) enter(mod *Mod, l Limit, root bool) mark {
	if root {
		m.shares, m.spent, m.step = m.shares[:0], nil, minStep
		m.mod, m.bounds = nil, unbounded
		m.read()
		m.since, m.sinceT, m.started = m.n, m.last, m.last
	}
	k := mark{m.bounds, m.mod}
	m.turn(mod)
	b := m.bounds
	if l.Instructions > 0 && m.n+l.Instructions < b.instructions {
		b.instructions, b.own.Instructions = m.n+l.Instructions, l.Instructions
	}
	if l.Time > 0 && m.clock != nil && m.last+l.Time < b.deadline {
		b.deadline, b.own.Time = m.last+l.Time, l.Time
	}
	if l.Heap > 0 && m.sample != nil && m.heap+l.Heap < b.heapMax {
		b.heapMax, b.own.Heap = m.heap+l.Heap, l.Heap
	}
	if m.sample != nil && m.cap < b.heapMax {
		b.heapMax, b.own.Heap = m.cap, m.cap
	}
	m.bounds = b
	if m.spent == nil {
		m.arm()
	}
	return k
}

// leave charges the caller again. If only the callee's own limit broke, it is mended and returned as an ordinary
// error; if an outer one broke too, it stays broken.
func (m *meter) leave(k mark) *Exhausted {
	m.turn(k.mod)
	m.bounds = k.bounds
	if m.spent == nil {
		return nil
	}
	e := m.spent
	outer := m.n > m.instructions || m.last > m.deadline || m.heap > m.heapMax
	if outer || k.mod == nil {
		e.Root = e.Root || k.mod == nil
		return e
	}
	m.spent = nil
	m.arm()
	return e
}

// turn books what the mod in charge has used and puts another in charge.
func (m *meter) turn(to *Mod) {
	m.watch()
	n, t := m.n-m.since, m.last-m.sinceT
	m.since, m.sinceT = m.n, m.last
	if m.mod != nil {
		m.mod.Usage.Instructions += n
		m.mod.Usage.Time += t
		m.mod.tickTime += t
		m.share(m.mod, n)
	}
	m.mod = to
}

func (m *meter) share(mod *Mod, n int64) {
	for i := range m.shares {
		if m.shares[i].mod == mod {
			m.shares[i].n += n
			return
		}
	}
	m.shares = append(m.shares, share{mod, n})
}

// largest is the mod that used most of the root entry; the earlier one of equals.
func (m *meter) largest() *Mod {
	var best share
	for _, s := range m.shares {
		if best.mod == nil || s.n > best.n {
			best = s
		}
	}
	return best.mod
}

// charge books work that Go does for Lua, in instructions (about 5 ns each), and raises when the budget is gone.
func (m *meter) charge(l *lua.LState, n int) {
	m.n += int64(n)
	if m.n >= m.next && m.look() {
		l.RaiseError("%s", m.spent.Text)
	}
}

// chargeBytes books the copying of n bytes.
func (m *meter) chargeBytes(l *lua.LState, n int) { m.charge(l, n/64) }
