package vm

import (
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// meter is the context.Context of every thread of a host. The VM calls Done before each
// instruction, so the instruction count is exact. When Done returns a closed channel, the VM raises
// Err. pcall cannot catch that error for good: a spent meter stays spent until the entry with the
// broken limit has returned.
//
// The meter counts every instruction, but it reads the clock only at checks. The first check of a
// root entry comes after firstStep instructions; later checks are up to maxStep instructions apart.
// The time between two checks is divided among the mods that ran in between, in proportion to their
// instructions. A root entry that returns before its first check is timed only sometimes (see
// timedEvery). Otherwise the meter books an estimate from the measured time per instruction of its
// event. Checks also read the heap if the last reading is older than heapEvery or heapSteps
// instructions. Heap growth between two readings of one root entry is booked to the mod that runs
// at the second reading.
type meter struct {
	n, next int64 // instructions since the start; count of the next check
	step    int64 // instructions between checks: small while single instructions are slow
	bounds
	spent    *Exhausted
	last     time.Duration // time charged so far: wall time of scripts, with a maximum per interval
	started  time.Duration // value of last at the start of the root entry
	wall     time.Duration // the clock at the newest check
	seen     bool          // the root entry has read the clock
	slow     bool          // its newest check came later than slowCheck
	limit    Limit         // of the root entry
	rootHeap uint64        // largest heap allowed for the root entry, set at its first check
	heap     uint64        // newest reading of the heap in bytes
	used     uint64        // of it, what counts against the limit of the process
	heapAt   time.Duration // the clock at that reading
	heapN    int64         // n at that reading
	clock    func() time.Duration
	thread   Thread
	slowness
	reload transaction
	sample func() uint64
	live   func() uint64 // of the newest garbage collection; nil: all of the heap counts
	asked  time.Duration // the clock at the last request of a collection
	want   func()        // requests one; nil: nobody collects
	limits *Limits       // of the host
	verdicts
	slice  timeSlice
	closed chan struct{}

	mod       *Mod // the mod that is charged now
	handler   *EventRecord
	since     int64        // value of n when this mod was put in charge
	account   *peerAccount // of the peer that causes the root entry; nil: none
	event     bool         // the time of the root entry counts towards the tick budget
	tickUsed  time.Duration
	tickCount int64         // instructions of the callbacks of this tick
	peersUsed int64         // of tickCount, those that peers have caused
	waited    bool          // something has to wait for the next tick
	excess    time.Duration // part of tickUsed that single mods used beyond their shares
	shares    []share       // shares of the current root entry
	newest    int           // index of the share that was booked last
}

// bounds are absolute limits: meter compares them with n, cpuUsed and heap.
type bounds struct {
	instructions int64
	deadline     time.Duration // compared with cpuUsed
	heapMax      uint64
	config       Limit // the configured limits, for the error text
}

// share is the part of a root entry that one event of a mod has used.
type share struct {
	mod     *Mod
	handler *EventRecord
	n       int64 // instructions
	untimed int64 // instructions whose time is not booked yet
}

// meterState is the state that leave restores.
type meterState struct {
	bounds
	mod     *Mod // nil if there is no caller
	handler *EventRecord
	last    time.Duration // value of last when the entry began
}

const (
	minStep, maxStep = 16, 256
	firstStep        = 64
	slowCheck        = 250 * time.Microsecond

	// maxInterval is the most time that one check charges. Instructions normally take less, and
	// work done in Go is charged as instructions. A longer interval usually means that the machine
	// was busy with another process, so the mod is not charged for it. The next check then follows
	// much sooner. If that interval is slow as well, the instructions themselves are slow, and all
	// of it is charged.
	maxInterval = 500 * time.Microsecond

	// heapEvery and heapSteps limit the age of a heap reading, because a reading costs as much as
	// many instructions.
	heapEvery = time.Millisecond
	heapSteps = 1 << 16
)

var unbounded = bounds{instructions: unlimited, deadline: unlimited, heapMax: unlimited}

func (m *meter) reset(clock func() time.Duration, thread Thread, heap func() uint64, limits *Limits) {
	m.clock, m.thread, m.sample, m.limits, m.bounds = clock, thread, heap, limits, unbounded
	m.next, m.step, m.heapAt, m.slice = unlimited, firstStep, -heapEvery, noSlice
	m.asked = -collectEvery
	m.closed = make(chan struct{})
	close(m.closed)
}

// Done counts an instruction. It is part of context.Context.
func (m *meter) Done() <-chan struct{} {
	m.n++
	if m.n < m.next || !m.checkInstruction() {
		return nil
	}
	return m.closed
}

// checkInstruction is check before an instruction. There a sliced coroutine can stop.
func (m *meter) checkInstruction() bool {
	if t := m.slice.of; t != nil && t.detour.steps > 0 {
		t.detour.step()
	}
	if m.check() {
		return true
	}
	m.tryStop()
	return false
}

// Err returns the error that the VM raises. It is part of context.Context.
func (m *meter) Err() error {
	if m.spent == nil {
		return nil
	}
	return m.spent
}

// Deadline always reports that there is none. It is part of context.Context.
func (m *meter) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value always returns nil. It is part of context.Context.
func (m *meter) Value(any) any { return nil }

// check checks the limits and reports whether one is broken.
func (m *meter) check() bool {
	if m.spent != nil {
		return true
	}
	first := !m.seen
	before := m.last
	m.readClock()
	m.chargeSlowness()
	m.readHeap(first)
	if m.spent = m.exceeded(); m.spent != nil {
		m.next = m.n
		return true
	}
	m.slow = !first && m.last-before > slowCheck
	switch {
	case first:
	case m.slow:
		m.step = min(max(minStep, m.step/8), m.mod.maxCheckStep())
	default:
		m.step = min(m.mod.maxCheckStep(), m.step*4)
	}
	if m.stalled {
		m.step = min(m.step, stalledStep)
	}
	m.arm()
	return false
}

// exceeded returns the error that ends the entry, or nil.
func (m *meter) exceeded() *Exhausted {
	if e := m.followVerdicts(); e != nil {
		return e
	}
	e := m.broken()
	switch {
	case e == nil:
	case e.Resource == Time:
		m.tell(Verdict{VerdictTime, m.n, e.limit})
	case e.Resource == Heap:
		m.tell(Verdict{VerdictHeap, m.n, e.limit})
	}
	return e
}

// broken returns the error of the first broken limit, or nil.
func (m *meter) broken() *Exhausted {
	switch {
	case m.n > m.slice.failAt:
		return instructionsExceeded(m.limits.Thread)
	case m.n > m.instructions:
		return instructionsExceeded(m.config.Instructions)
	case m.cpuUsed > m.deadline:
		return timeExceeded(int64(m.config.Time))
	case !m.event && m.reload.over():
		return timeExceeded(int64(m.reload.most))
	case m.heap > m.heapMax:
		return heapExceeded(m.config.Heap)
	case m.heap > m.rootHeap:
		return heapExceeded(m.limit.Heap)
	case m.seen && m.sample != nil && m.used > m.limits.Heap:
		return heapExceeded(m.limits.Heap)
	}
	return nil
}

// instructionsExceeded returns the error of a broken limit of most instructions.
func instructionsExceeded(most int64) *Exhausted {
	return &Exhausted{Resource: Instructions, Text: fmt.Sprintf("the budget of %d instructions is used up", most)}
}

// timeExceeded returns the error of a broken limit of most ns.
func timeExceeded(most int64) *Exhausted {
	return &Exhausted{Resource: Time, limit: most, Text: fmt.Sprintf("the budget of %v is used up", time.Duration(most))}
}

// heapExceeded returns the error of a broken memory limit of most bytes.
func heapExceeded(most uint64) *Exhausted {
	return &Exhausted{Resource: Heap, limit: int64(most), Text: fmt.Sprintf("the memory budget of %d MiB is used up", most>>20)}
}

// arm schedules the next check. It never schedules one past an instruction limit or a stop, so
// these are exact.
func (m *meter) arm() {
	m.next = min(m.n+m.step, m.checkAt())
	if most := min(m.instructions, m.slice.failAt, m.slice.stopAt); most < m.next {
		m.next = most + 1
	}
	if t := m.slice.of; t != nil && t.detour.steps > 0 {
		m.next = min(m.next, m.n+1)
	}
}

// readClock reads the clock and books the time since the last check of this root entry.
func (m *meter) readClock() {
	if m.clock == nil {
		return
	}
	now := m.clock()
	if !m.seen {
		m.seen, m.wall = true, now
		m.bookEstimate()
		return
	}
	d := now - m.wall
	if !m.slow {
		d = min(d, maxInterval)
	}
	m.wall = now
	m.bookTime(d)
}

// bookTime divides d among the mods that ran since the last check.
func (m *meter) bookTime(d time.Duration) {
	m.bookInstructions()
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
		s.handler.updateRate(part, s.untimed)
		s.untimed = 0
	}
}

// bookEstimate books time for instructions that ran without a clock reading before and after them.
func (m *meter) bookEstimate() {
	m.bookInstructions()
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

// spend books time to the mod and to the handler r.
func (m *Mod) spend(r *EventRecord, d time.Duration) {
	m.Usage.Time += d
	r.Time += d
	if m.Runtime.meter.cpu == nil {
		m.share.used += d // else chargeSlowness knows the CPU time
	}
	if h := m.Runtime; h.meter.event {
		before := h.overShare(m)
		m.tickTime += d
		h.meter.excess += h.overShare(m) - before
	}
}

// readHeap reads the heap if the last reading is too old. Growth is counted from the first reading
// of a root entry.
func (m *meter) readHeap(first bool) {
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
		m.used = m.inUse(h)
	}
	if first {
		m.rootHeap = m.heap + m.limit.Heap
		if m.limit.Heap == 0 {
			m.rootHeap = unlimited
		}
	}
}

// inUse returns what counts against the limit of the process, of a heap of n bytes. Up to the
// limit, that is all of it. Above the limit dead objects do not count, because they are garbage of
// anybody in the process. Then a collection is requested, and until it ends the one before decides.
func (m *meter) inUse(n uint64) uint64 {
	if n <= m.limits.Heap || m.live == nil {
		return n
	}
	live := m.live()
	if live <= m.limits.Heap && m.want != nil && m.wall-m.asked >= collectEvery {
		m.asked = m.wall
		m.want()
	}
	return live
}

// begin starts a root entry: it charges an event of a mod from now on, within the limit l. If event
// is true, the time also counts towards the tick budget.
func (m *meter) begin(mod *Mod, r *EventRecord, l *Limit, event bool) {
	r.Calls++
	m.shares, m.newest = append(m.shares[:0], share{mod: mod, handler: r}), 0
	m.mod, m.handler, m.spent, m.event, m.account = mod, r, nil, event, mod.Runtime.accountOf()
	m.seen, m.slow, m.since, m.step = false, false, m.n, min(firstStep, mod.maxCheckStep())
	m.limit, m.rootHeap, m.started = *l, unlimited, m.last
	m.bounds = unbounded
	if l.Instructions > 0 {
		m.instructions, m.config.Instructions = m.n+l.Instructions, l.Instructions
	}
	if l.Time > 0 {
		m.deadline, m.config.Time = l.Time, l.Time
	}
	if r.measured() {
		m.readClock()
		m.readHeap(true)
	}
	if !event && m.reload.over() {
		m.step = 1 // the first instruction ends it
	}
	m.arm()
}

// end finishes a root entry. It returns the limit that broke, if any.
func (m *meter) end() *Exhausted {
	r := m.handler
	m.unpin()
	if m.seen && r.measured() {
		m.readClock()
	} else {
		m.bookEstimate()
	}
	r.Max = max(r.Max, m.last-m.started)
	m.mod, m.handler, m.bounds, m.next = nil, nil, unbounded, unlimited
	if m.spent != nil {
		m.spent.Root = true
	}
	return m.spent
}

// enter starts a nested entry: it charges another event of a mod from now on. The limit l applies
// where it is tighter than the current bounds. enter stores in k the state that leave restores.
func (m *meter) enter(mod *Mod, r *EventRecord, l *Limit, k *meterState) {
	r.Calls++
	*k = meterState{m.bounds, m.mod, m.handler, m.last}
	m.bookInstructions()
	m.mod, m.handler = mod, r
	if m.step > mod.maxCheckStep() && m.spent == nil {
		m.step = mod.maxCheckStep()
		m.arm()
	}
	if *l == (Limit{}) {
		return
	}
	if l.Heap > 0 && !m.seen {
		m.readClock()
		m.readHeap(true)
	}
	b := &m.bounds
	if l.Instructions > 0 && m.n+l.Instructions < b.instructions {
		b.instructions, b.config.Instructions = m.n+l.Instructions, l.Instructions
	}
	if l.Time > 0 && m.cpuUsed+l.Time < b.deadline {
		b.deadline, b.config.Time = m.cpuUsed+l.Time, l.Time
	}
	if l.Heap > 0 && m.sample != nil && m.heap+l.Heap < b.heapMax {
		b.heapMax, b.config.Heap = m.heap+l.Heap, l.Heap
	}
	if m.spent == nil {
		m.arm()
	}
}

// leave finishes a nested entry and charges the caller again. If only the callee's own limit broke,
// leave clears it and returns it as an ordinary error. If an outer limit broke too, the meter stays
// spent.
func (m *meter) leave(k *meterState) *Exhausted {
	m.bookInstructions()
	m.handler.Max = max(m.handler.Max, m.last-k.last)
	m.mod, m.handler, m.bounds = k.mod, k.handler, k.bounds
	k.mod, k.handler = nil, nil
	e := m.spent
	if e != nil && !m.decide(VerdictRoot, m.n, m.broken() != nil) {
		m.spent = nil
		m.arm()
	}
	return e
}

// bookInstructions books the instructions of the event in charge.
func (m *meter) bookInstructions() {
	n := m.n - m.since
	if n == 0 || m.handler == nil {
		return
	}
	m.since = m.n
	m.mod.Usage.Instructions += n
	m.handler.Instructions += n
	if m.event {
		n := min(n, m.limits.Callback.Instructions) // a refused charge was not paid
		m.tickCount += n
		if m.account != nil {
			m.account.debt += n
			m.account.lead += n
			m.account.idle = 0
			m.peersUsed += n
		}
		m.mod.tickCount += n
	}
	if m.shares[m.newest].handler != m.handler {
		m.selectShare()
	}
	s := &m.shares[m.newest]
	s.n += n
	s.untimed += n
}

// selectShare makes the share of the event in charge the newest one, and adds it if it is missing.
func (m *meter) selectShare() {
	for m.newest = range m.shares {
		if m.shares[m.newest].handler == m.handler {
			return
		}
	}
	m.newest = len(m.shares)
	m.shares = append(m.shares, share{mod: m.mod, handler: m.handler})
}

// charge books work that Go does for Lua, in instructions of about 5 ns each. It raises an error
// when the budget is used up.
func (m *meter) charge(l *lua.LState, n int) {
	m.n += int64(n)
	if m.n >= m.next && m.check() {
		l.RaiseError("%s", m.spent.Text)
	}
}

// chargeBytes books the cost of copying n bytes.
func (m *meter) chargeBytes(l *lua.LState, n int) { m.charge(l, n/64) }
