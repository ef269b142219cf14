package script

import (
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// meter is the context.Context of every thread of a host. The VM calls Done before each instruction, so counting
// there is exact; a closed channel makes the VM raise Err. It never closes a channel for pcall to swallow: once spent
// it stays spent until the entry that owns the limit has been left.
//
// Instructions are counted one by one. The clock is read at looks only: after firstStep instructions of a root entry,
// then up to maxStep apart; what passed from one look to the next is shared by the mods that ran in between, according
// to their instructions. A root entry that is left before its first look is not timed at all, but for a few
// (handler.timed); it is booked with the time that its event's instructions were found to take. The heap is read at looks too,
// heapEvery apart, and what it grew between two looks of an entry is booked to the mod that runs at the second.
type meter struct {
	n, next int64 // instructions since the start; when to look at limits again
	step    int64 // how far apart the looks are: short while single instructions turn out slow
	bounds
	spent    *Exhausted
	last     time.Duration // time charged so far: wall time of scripts, without standstills
	started  time.Duration // as of when the root was entered
	wall     time.Duration // the clock at the newest look
	seen     bool          // the root entry has looked at the clock
	slow     bool          // its newest look came late
	limit    Limit         // of the root entry
	rootHeap uint64        // heap up to which it may go, known from its first look on
	heap     uint64        // heap when it was read last
	heapAt   time.Duration // the clock then
	heapN    int64         // the instructions then
	clock    func() time.Duration
	sample   func() uint64
	limits   *Limits // of the host
	closed   chan struct{}

	mod      *Mod // who is charged now
	handler  *handler
	since    int64 // instructions when it was put in charge
	event    bool  // the root entry's time is the tick's
	tickUsed time.Duration
	excess   time.Duration // of it, what single mods have had beyond their shares
	shares   []share       // of the root entry in progress
	newest   int           // which of them was added to last
}

// bounds are absolute: compared with n, the clock and the heap.
type bounds struct {
	instructions int64
	deadline     time.Duration
	heapMax      uint64
	own          Limit // as given, for the sentence
}

// share is what an event of a mod had of a root entry.
type share struct {
	mod     *Mod
	handler *handler
	n       int64 // instructions
	untimed int64 // of them, those whose time is still to be booked
}

// mark is what leaving an entry restores.
type mark struct {
	bounds
	mod     *Mod // nil: there is no caller
	handler *handler
	last    time.Duration // time charged when it was entered
}

const (
	minStep, maxStep = 16, 256
	firstStep        = 64
	slowLook         = 250 * time.Microsecond

	// standstill is the most time that is charged from one look to the next.
	// Instructions take less, and what Go does for them is charged as
	// instructions; more means that the machine was busy with something else,
	// which is no fault of the mod. The next look is much closer: if it finds
	// that it took as long again, it is the instructions after all, and all of
	// it counts.
	standstill = 500 * time.Microsecond

	// heapEvery and heapSteps are how old a figure of the heap may get: to read it costs as much as many instructions.
	heapEvery = time.Millisecond
	heapSteps = 1 << 16
)

var unbounded = bounds{instructions: unlimited, deadline: unlimited, heapMax: unlimited}

func (m *meter) reset(clock func() time.Duration, heap func() uint64, limits *Limits) {
	m.clock, m.sample, m.limits, m.bounds = clock, heap, limits, unbounded
	m.next, m.step, m.heapAt = unlimited, firstStep, -heapEvery
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
	first := !m.seen
	before := m.last
	m.watch()
	m.weigh(first)
	if m.spent = m.broken(); m.spent != nil {
		m.next = m.n
		return true
	}
	m.slow = !first && m.last-before > slowLook
	switch {
	case first:
	case m.slow:
		m.step = min(max(minStep, m.step/8), m.mod.widest())
	default:
		m.step = min(m.mod.widest(), m.step*4)
	}
	m.arm()
	return false
}

// broken is the error of the limit that is broken.
func (m *meter) broken() *Exhausted {
	switch {
	case m.n > m.instructions:
		return &Exhausted{What: Instructions, Text: fmt.Sprintf("the budget of %d instructions is used up", m.own.Instructions)}
	case m.last > m.deadline:
		return &Exhausted{What: Time, Text: fmt.Sprintf("the budget of %v is used up", m.own.Time)}
	case m.heap > m.heapMax:
		return heapGone(m.own.Heap)
	case m.heap > m.rootHeap:
		return heapGone(m.limit.Heap)
	case m.seen && m.sample != nil && m.heap > m.limits.Heap:
		return heapGone(m.limits.Heap)
	}
	return nil
}

// heapGone is the error of a limit of memory.
func heapGone(most uint64) *Exhausted {
	return &Exhausted{What: Heap, Text: fmt.Sprintf("the memory budget of %d MiB is used up", most>>20)}
}

// arm sets the next look so that the limit by instructions is met to the instruction.
func (m *meter) arm() {
	m.next = m.n + m.step
	if m.instructions < m.next {
		m.next = m.instructions + 1
	}
}

// watch looks at the clock and books the time since the last look of this root entry.
func (m *meter) watch() {
	if m.clock == nil {
		return
	}
	now := m.clock()
	if !m.seen {
		m.seen, m.wall = true, now
		m.guess()
		return
	}
	d := now - m.wall
	if !m.slow {
		d = min(d, standstill)
	}
	m.wall = now
	m.book(d)
}

// book shares d among those who have run since the last look.
func (m *meter) book(d time.Duration) {
	m.settle()
	m.last += d
	total := int64(0)
	for i := range m.shares {
		total += m.shares[i].untimed
	}
	if total == 0 {
		if m.handler != nil {
			m.mod.spend(m.handler, d)
		}
		return
	}
	for i := range m.shares {
		s := &m.shares[i]
		if s.untimed == 0 {
			continue
		}
		part := d
		if s.untimed < total {
			part = time.Duration(float64(d) * float64(s.untimed) / float64(total))
		}
		s.mod.spend(s.handler, part)
		s.handler.learn(part, s.untimed)
		s.untimed = 0
	}
}

// guess books what ran without a look at the clock before and after it.
func (m *meter) guess() {
	m.settle()
	for i := range m.shares {
		s := &m.shares[i]
		rate := s.handler.rate
		if rate == 0 {
			rate = m.shares[0].handler.rate
		}
		d := time.Duration(rate * float64(s.untimed))
		m.last += d
		s.mod.spend(s.handler, d)
		s.untimed = 0
	}
}

// spend books time.
func (m *Mod) spend(r *handler, d time.Duration) {
	m.Usage.Time += d
	r.Time += d
	if h := m.Host; h.meter.event {
		before := h.beyond(m)
		m.tickTime += d
		h.meter.excess += h.beyond(m) - before
	}
}

// weigh reads the heap, if the last figure is old. The first of a root entry is where its growth counts from.
func (m *meter) weigh(first bool) {
	if m.sample == nil {
		return
	}
	if m.wall-m.heapAt >= heapEvery || m.n-m.heapN >= heapSteps {
		h := m.sample()
		if h > m.heap && !first {
			m.mod.Usage.Heap += h - m.heap
			m.handler.Heap += h - m.heap
		}
		m.heap, m.heapAt, m.heapN = h, m.wall, m.n
	}
	if first {
		m.rootHeap = m.heap + m.limit.Heap
		if m.limit.Heap == 0 {
			m.rootHeap = unlimited
		}
	}
}

// begin charges an event of a mod from here on and bounds it by l: the root of what will be entered from it. Of an
// event of the engine the time is the tick's, too.
func (m *meter) begin(mod *Mod, r *handler, l *Limit, event bool) {
	r.Calls++
	m.shares, m.newest = append(m.shares[:0], share{mod: mod, handler: r}), 0
	m.mod, m.handler, m.spent, m.event = mod, r, nil, event
	m.seen, m.slow, m.since, m.step = false, false, m.n, min(firstStep, mod.widest())
	m.limit, m.rootHeap, m.started = *l, unlimited, m.last
	m.bounds = unbounded
	if l.Instructions > 0 {
		m.instructions, m.own.Instructions = m.n+l.Instructions, l.Instructions
	}
	if l.Time > 0 && m.clock != nil {
		m.deadline, m.own.Time = m.last+l.Time, l.Time
	}
	if r.timed() {
		m.watch()
		m.weigh(true)
	}
	m.arm()
}

// end is the other side of begin.
func (m *meter) end() *Exhausted {
	r := m.handler
	if m.seen && r.timed() {
		m.watch()
	} else {
		m.guess()
	}
	r.Max = max(r.Max, m.last-m.started)
	m.mod, m.handler, m.bounds, m.next = nil, nil, unbounded, unlimited
	if m.spent != nil {
		m.spent.Root = true
	}
	return m.spent
}

// enter charges another event of a mod from here on, and bounds it by l where that is less than what is left. What
// leave needs is put into k.
func (m *meter) enter(mod *Mod, r *handler, l *Limit, k *mark) {
	r.Calls++
	*k = mark{m.bounds, m.mod, m.handler, m.last}
	m.settle()
	m.mod, m.handler = mod, r
	if m.step > mod.widest() && m.spent == nil {
		m.step = mod.widest()
		m.arm()
	}
	if *l == (Limit{}) {
		return
	}
	if l.Heap > 0 && !m.seen {
		m.watch()
		m.weigh(true)
	}
	b := &m.bounds
	if l.Instructions > 0 && m.n+l.Instructions < b.instructions {
		b.instructions, b.own.Instructions = m.n+l.Instructions, l.Instructions
	}
	if l.Time > 0 && m.clock != nil && m.last+l.Time < b.deadline {
		b.deadline, b.own.Time = m.last+l.Time, l.Time
	}
	if l.Heap > 0 && m.sample != nil && m.heap+l.Heap < b.heapMax {
		b.heapMax, b.own.Heap = m.heap+l.Heap, l.Heap
	}
	if m.spent == nil {
		m.arm()
	}
}

// leave charges the caller again. If only the callee's own limit broke, it is mended and returned as an ordinary
// error; if an outer one broke too, it stays broken.
func (m *meter) leave(k *mark) *Exhausted {
	m.settle()
	m.handler.Max = max(m.handler.Max, m.last-k.last)
	m.mod, m.handler, m.bounds = k.mod, k.handler, k.bounds
	k.mod, k.handler = nil, nil
	e := m.spent
	if e != nil && m.broken() == nil {
		m.spent = nil
		m.arm()
	}
	return e
}

// settle books what the event in charge has run.
func (m *meter) settle() {
	n := m.n - m.since
	if n == 0 || m.handler == nil {
		return
	}
	m.since = m.n
	m.mod.Usage.Instructions += n
	m.handler.Instructions += n
	if m.shares[m.newest].handler != m.handler {
		m.share()
	}
	s := &m.shares[m.newest]
	s.n += n
	s.untimed += n
}

// share makes the newest share that of the event in charge.
func (m *meter) share() {
	for m.newest = range m.shares {
		if m.shares[m.newest].handler == m.handler {
			return
		}
	}
	m.newest = len(m.shares)
	m.shares = append(m.shares, share{mod: m.mod, handler: m.handler})
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
