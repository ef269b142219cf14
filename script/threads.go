package script

import (
	"cmp"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// A spawnedThread is a function that spawn has started. Only its timer refers to it, so it ends
// with the timer.
type spawnedThread struct {
	*vm.Sliced
	owner  sim.ID
	cause  vm.Peer // the client that has started it
	resume *lua.LFunction
	args   []lua.LValue
	waits  bool        // it has called wait since its last resume
	queued bool        // it has stopped, or its turn has not come
	timer  sim.TimerID // the newest
	recent usage       // its instructions
}

// A usage counts recent instructions: each tick keeps seven eighths.
type usage struct {
	n    int64
	tick uint64 // of the count
}

// at returns the count in a tick.
func (u *usage) at(tick uint64) int64 {
	for ; u.tick < tick && u.n > 0; u.tick++ {
		u.n = u.n * 7 / 8
	}
	u.tick = tick
	return u.n
}

// threadQueue divides the instructions of a mod's threads. All threads together have a quarter of
// those of a tick. A thread that begins goes on until it waits, ends or stops. Instructions beyond
// the quarter are those of the next ticks.
//
// Threads that have waited run in the order of the other timers. Threads that have stopped, or
// found nothing left, run after the timers. Then the owner with the lowest recent use comes first:
// the mod, or a client that has started threads. Of several such clients, the one with the fewest
// threads that wait from tick to tick comes first. Of its threads, the one with the lowest recent
// use comes first. So long work delays no short work.
type threadQueue struct {
	used  int64            // instructions in this tick, and those that earlier ticks owe
	own   usage            // of threads that no client has started
	due   []*spawnedThread // in this tick, after the timers
	later []*spawnedThread // queued for the next tick
	least *turn            // the first turn of those queued in the last tick; nil: there was none
	waits map[vm.Peer]int  // how many of those each client has
}

// A turn is the place of a thread among others: lower ones come first.
type turn struct {
	owner  int64
	waits  int
	thread int64
}

func (t turn) compare(other turn) int {
	return cmp.Or(cmp.Compare(t.owner, other.owner), cmp.Compare(t.waits, other.waits), cmp.Compare(t.thread, other.thread))
}

// turn returns the place of a thread in this tick.
func (x *instance) turn(t *spawnedThread) turn {
	tick := x.scripts.engine.TickNumber()
	owner, waits := x.threads.own.at(tick), 0
	if cause := x.scripts.causes.connected(t.cause); cause != 0 {
		owner, waits = x.scripts.Runtime.Ahead(cause), x.threads.waits[cause]
	}
	return turn{owner, waits, t.recent.at(tick)}
}

// threadShare returns the instructions of all threads of a mod in a tick.
func (s *Scripts) threadShare() int64 { return s.Runtime.Limits().Ticking / 4 }

// beginThreads begins a tick: it pays for a part of the instructions that earlier ticks owe.
func (x *instance) beginThreads() {
	q := &x.threads
	q.used = max(0, q.used-x.scripts.threadShare())
	clear(q.due)
	q.due, q.least = q.due[:0], nil
	q.later = slices.DeleteFunc(q.later, func(t *spawnedThread) bool {
		return !t.queued || !x.scripts.engine.Schedule().Pending(t.timer)
	})
	if q.waits = nil; len(q.later) > 0 {
		q.waits = map[vm.Peer]int{}
	}
	for _, t := range q.later {
		q.waits[x.scripts.causes.connected(t.cause)]++
	}
	for _, t := range q.later {
		if at := x.turn(t); q.least == nil || at.compare(*q.least) < 0 {
			q.least = &at
		}
	}
	clear(q.later)
	q.later = q.later[:0]
}

func spawn(a bind.Call) int { return startThread(a, 0, a.Function(1), bind.Rest(a, 2)) }

func spawnMethod(a bind.Call) int {
	id := a.Object(1).Ident().ID()
	return startThread(a, id, a.Function(2), append([]lua.LValue{a.Binding().Object(id)}, bind.Rest(a, 3)...))
}

func startThread(a bind.Call, owner sim.ID, fn *lua.LFunction, args []lua.LValue) int {
	x, s := caller(a), a.Mod.State
	t := &spawnedThread{Sliced: a.NewSliced(fn), owner: owner, cause: a.Runtime().Peer(), args: args}
	t.resume = s.Lua().NewFunction(func(l *lua.LState) int {
		l.Insert(t.Thread, 1)
		if n := t.Resume(l); n > 0 && lua.LVIsFalse(l.Get(-n)) {
			v := l.Get(-1)
			s.CarryTraceback()
			l.Error(v, 0)
		}
		if !t.Thread.Dead && !t.waits && !t.Stopped {
			l.RaiseError("a function that spawn has started must call wait, not coroutine.yield")
		}
		return 0
	})
	t.timer = after(a, threadEvent, 0, owner, t.Thread, func() { x.threadDue(t) })
	return 0
}

// threadDue runs a thread, or puts it into the queue of this tick.
func (x *instance) threadDue(t *spawnedThread) {
	q := &x.threads
	first := !t.queued && (q.least == nil || x.turn(t).compare(*q.least) <= 0)
	if first && x.mayRunThread() {
		x.run(t)
		return
	}
	q.due = append(q.due, t)
	x.queueAgain(t)
	x.scripts.engine.Schedule().Retry(1) // it goes on in the next tick if its turn does not come in this one
}

// queueAgain notes that a thread is queued in the next tick.
func (x *instance) queueAgain(t *spawnedThread) {
	t.queued = true
	x.threads.later = append(x.threads.later, t)
}

// mayRunThread reports whether this tick has instructions for one more thread.
func (x *instance) mayRunThread() bool {
	may := x.threads.used < x.scripts.threadShare() && !x.scripts.Runtime.SpentTick(x.mod)
	if !may {
		x.scripts.Runtime.Waited()
	}
	return may
}

// runThreads runs the queued threads of all mods, while they have instructions.
func (s *hooks) runThreads() {
	for _, m := range slices.Clone(s.Runtime.Mods) {
		if x := instanceOf(m); len(x.threads.due) > 0 {
			x.runDue()
		}
	}
}

// runDue runs the queued threads of a mod.
func (x *instance) runDue() {
	q, events := &x.threads, x.scripts.engine.Schedule()
	turns := make(map[*spawnedThread]turn, len(q.due))
	for _, t := range q.due {
		turns[t] = x.turn(t)
	}
	slices.SortStableFunc(q.due, func(a, b *spawnedThread) int { return turns[a].compare(turns[b]) })
	for _, t := range q.due {
		if !x.mayRunThread() || x.scripts.Runtime.BusyFor(x.mod) {
			return
		}
		if events.Pending(t.timer) && !x.scripts.Runtime.OverShare(t.cause) && x.mod.Receives(threadEvent) {
			events.Cancel(t.timer)
			x.due(threadEvent, t.cause, func() { x.run(t) })
		}
	}
}

// run runs a thread until it waits, stops or ends.
func (x *instance) run(t *spawnedThread) {
	d := x.scripts.dispatch
	d.thread = t
	t.waits, t.queued = false, false
	args := t.args
	t.args = nil
	d.call(x.mod, threadEvent, t.resume, x.values.DropDeleted(args)...)
	d.thread = nil
	x.charge(t)
	if t.Stopped {
		e := x.scripts.engine
		cause := sim.ID(x.scripts.Runtime.Peer())
		t.timer = e.Schedule().At(e.Now(), 1, sim.Owner{Object: t.owner, Mod: x.mod.Owner(), Cause: cause, What: t.Thread}, func() { x.due(threadEvent, t.cause, func() { x.threadDue(t) }) })
		x.queueAgain(t)
	}
}

// charge books the newest instructions of a thread.
func (x *instance) charge(t *spawnedThread) {
	tick := x.scripts.engine.TickNumber()
	t.recent.n = t.recent.at(tick) + t.Last
	x.threads.used += t.Last
	if x.scripts.Runtime.Peer() == 0 {
		x.threads.own.n = x.threads.own.at(tick) + t.Last
	}
}

func waitThread(a bind.Call) int {
	x, ms := caller(a), a.Delay(1)
	t := x.scripts.dispatch.thread
	if t == nil || a.L != t.Thread {
		const why = "only a function that spawn has started can wait, not a pcall, coroutine or callback in it"
		if a.Runtime().Guards() > 0 {
			x.warnOfWait(a, why)
		}
		a.Fail(why)
	}
	n := vm.Yield(a.Args)
	t.timer = after(a, threadEvent, ms, t.owner, t.Thread, func() { x.threadDue(t) })
	t.waits = true
	return n
}
