package sim

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// TimerID identifies a scheduled event. Ids are never reused; 0 is none.
type TimerID uint64

// Owner is the object or mod, or both, that an event belongs to. Either part can be empty.
type Owner struct {
	Object ID     // its death cancels the event
	Mod    string // unloading it cancels the event
	Cause  ID     // the connection that caused the event; see Schedule.Waits
	What   any    // what runs, for lists of timers
}

// Timer describes a pending event. Times are simulation milliseconds.
type Timer struct {
	ID     TimerID
	Owner  Owner
	Due    int64
	Repeat int64 // the time between two runs; 0 runs once
}

// Schedule holds events with a due time in simulation milliseconds. Due events run in the order of
// their time, then in the order of scheduling.
type Schedule struct {
	// Busy is called before each event of a mod, with "" for events without a mod. While it returns
	// true, due events of this mod wait for a later Run, in the same order. Events of other mods
	// run. A nil Busy means that no mod is busy.
	Busy func(mod string) bool

	// Waits is called before each due event with a cause. If it returns true, the event waits for a
	// later Run. Other events run. A nil Waits means that no event waits.
	Waits func(cause ID) bool

	// Ahead tells how much a cause has used recently beyond its fair part, 0 for most. When events
	// of a mod are late because it is busy, those of the cause with the smallest lead run first.
	// Among these, the cause with the fewest due events is first. A nil Ahead is 0 for all.
	Ahead func(cause ID) int64

	world   *World
	last    TimerID
	lanes   []*lane  // of the mods with pending events, in order of creation
	added   []*timer // scheduled during Run
	pending map[TimerID]*timer
	objects map[ID]*timer // first of an object's list
	mods    map[string]*lane
	running bool
	current *timer // its callback runs
}

// A lane is the queue of one mod's events. A mod with a backlog does not delay other mods.
type lane struct {
	mod    string
	queue  queue
	n      int        // including fresh events
	causes map[ID]int // how many of n each cause has; one without any is left out

	behind bool     // the last Run has left due events
	ready  []*timer // of a lane that is behind, during Run: the due events, in the order of fair
}

type timer struct {
	id         TimerID
	due        int64
	owner      Owner
	do         func()
	begun      int64 // when it was scheduled, or last ran
	repeat     int64 // the time between two runs in ms; 0 runs once
	retry      int64 // see Schedule.Retry
	lane       *lane
	at         int    // index in its queue, -1 while it is fresh
	next, prev *timer // of the same object
}

// NewSchedule returns an empty schedule. The objects that own events are those of world: events of
// dead objects do not run. world may be nil if no object owns an event.
func NewSchedule(world *World) *Schedule {
	return &Schedule{world: world, pending: make(map[TimerID]*timer), objects: make(map[ID]*timer), mods: make(map[string]*lane)}
}

// At schedules do to run delay milliseconds after now. A negative delay is 0. Events scheduled
// during a Run wait for the next Run.
func (s *Schedule) At(now, delay int64, owner Owner, do func()) TimerID {
	s.last++
	s.put(&timer{id: s.last, begun: now, due: addTime(now, max(delay, 0)), owner: owner, do: do})
	return s.last
}

// Every schedules do to run every interval milliseconds, at least 1, until it is cancelled. A run
// that is late because its mod is busy is not repeated.
func (s *Schedule) Every(now, interval int64, owner Owner, do func()) TimerID {
	s.last++
	interval = max(interval, 1)
	s.put(&timer{id: s.last, begun: now, due: addTime(now, interval), repeat: interval, owner: owner, do: do})
	return s.last
}

// Times returns when an event was scheduled or last ran, and when it is due. Both are 0 unless it
// is pending.
func (s *Schedule) Times(id TimerID) (begun, due int64) {
	if !s.Pending(id) {
		return 0, 0
	}
	e := s.find(id)
	return e.begun, e.due
}

// put adds an event.
func (s *Schedule) put(e *timer) {
	e.at, e.next, e.prev = -1, nil, nil
	s.pending[e.id] = e
	s.link(e)
	if s.running {
		s.added = append(s.added, e)
	} else {
		heap.Push(&e.lane.queue, e)
	}
}

// addTime returns the sum, or math.MaxInt64 on overflow.
func addTime(now, delay int64) int64 {
	if sum := now + delay; sum >= now {
		return sum
	}
	return math.MaxInt64
}

// Cancel removes an event and reports whether it was pending. The rollback of an open change adds
// it again.
func (s *Schedule) Cancel(id TimerID) bool {
	e := s.pending[id]
	if c := s.current; c != nil && c.id == id && c.repeat > 0 {
		s.stopRepeating()
		return true
	}
	if e == nil {
		return false
	}
	if e.at >= 0 {
		heap.Remove(&e.lane.queue, e.at)
	}
	s.drop(e)
	if s.world != nil && s.world.InTransaction() {
		s.world.OnRollback(func() { s.put(e) })
	}
	return true
}

// stopRepeating makes the run of the present event its last one. The rollback of an open change
// reverts that, during the run or later.
func (s *Schedule) stopRepeating() {
	c := s.current
	was := c.repeat
	c.repeat = 0
	if was == 0 || s.world == nil || !s.world.InTransaction() {
		return
	}
	s.world.OnRollback(func() {
		if c.repeat = was; s.current != c {
			s.put(c)
		}
	})
}

// Pending reports whether an event is still to run.
func (s *Schedule) Pending(id TimerID) bool {
	e := s.find(id)
	return e != nil && s.ownerAlive(e)
}

// ownerAlive reports whether the event's object, if any, is alive.
func (s *Schedule) ownerAlive(e *timer) bool {
	return e.owner.Object == 0 || s.world == nil || s.world.Find(e.owner.Object) != nil
}

// List returns the pending events of an object, those that are due first at the beginning. 0
// selects all events.
func (s *Schedule) List(object ID) []Timer {
	var list []Timer
	add := func(e *timer) {
		if (object == 0 || e.owner.Object == object) && s.ownerAlive(e) {
			list = append(list, Timer{e.id, e.owner, e.due, e.repeat})
		}
	}
	if c := s.current; c != nil && c.repeat > 0 {
		add(c)
	}
	if object == 0 {
		for _, e := range s.pending { // any order: the list is sorted below
			add(e)
		}
	} else {
		for e := s.objects[object]; e != nil; e = e.next {
			add(e)
		}
	}
	slices.SortFunc(list, func(a, b Timer) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ID, b.ID)) })
	return list
}

// Len returns the number of pending events.
func (s *Schedule) Len() int { return len(s.pending) }

// OfMod returns the number of pending events that belong to a mod.
func (s *Schedule) OfMod(mod string) int {
	if l := s.mods[mod]; l != nil {
		return l.n
	}
	return 0
}

// OfCause returns the number of pending events of a mod with a cause; 0 is no cause.
func (s *Schedule) OfCause(mod string, cause ID) int {
	if l := s.mods[mod]; l != nil {
		return l.causes[cause]
	}
	return 0
}

// Mod returns the mod that a pending event belongs to, "" for none.
func (s *Schedule) Mod(id TimerID) string {
	if e := s.find(id); e != nil {
		return e.owner.Mod
	}
	return ""
}

// CancelOwner cancels all events that belong to the owner's object or to its mod. An empty part
// matches nothing.
func (s *Schedule) CancelOwner(owner Owner) {
	if c := s.current; c != nil && (owner.Object != 0 && c.owner.Object == owner.Object || owner.Mod != "" && c.owner.Mod == owner.Mod) {
		s.stopRepeating()
	}
	for e := s.objects[owner.Object]; e != nil; e = s.objects[owner.Object] {
		s.Cancel(e.id)
	}
	l := s.mods[owner.Mod]
	if owner.Mod == "" || l == nil {
		return
	}
	var ids []TimerID
	for _, list := range [][]*timer{l.queue, l.ready, s.added} {
		for _, e := range list {
			if e.owner.Mod == owner.Mod {
				ids = append(ids, e.id)
			}
		}
	}
	for _, id := range ids {
		s.Cancel(id)
	}
}

// Run runs the events due at now, except those of busy mods.
func (s *Schedule) Run(now int64) {
	s.running = true
	defer func() { s.merge(now) }()
	for _, l := range s.lanes {
		if l.behind {
			s.fair(l, now)
		}
	}
	for l := s.next(now); l != nil; l = s.next(now) {
		e := l.take()
		if s.pending[e.id] != e {
			continue // cancelled meanwhile
		}
		if s.Waits != nil && e.owner.Cause != 0 && s.Waits(e.owner.Cause) {
			s.added = append(s.added, e)
			continue
		}
		s.drop(e)
		if s.ownerAlive(e) {
			s.do(e, now)
		}
	}
}

// fair puts the due events of a lane that is behind into another order: many events of a few causes
// must not delay the event of another one. The events of one cause keep their order.
func (s *Schedule) fair(l *lane, now int64) {
	due, lead := map[ID]int{}, map[ID]int64{}
	for len(l.queue) > 0 && l.queue[0].due <= now {
		e := heap.Pop(&l.queue).(*timer)
		l.ready = append(l.ready, e)
		if due[e.owner.Cause]++; due[e.owner.Cause] == 1 && e.owner.Cause != 0 && s.Ahead != nil {
			lead[e.owner.Cause] = s.Ahead(e.owner.Cause)
		}
	}
	due[0] = min(due[0], 1) // a mod's own events are as light as those of a light client
	slices.SortStableFunc(l.ready, func(a, b *timer) int {
		one, other := a.owner.Cause, b.owner.Cause
		return cmp.Or(cmp.Compare(lead[one], lead[other]), cmp.Compare(due[one], due[other]))
	})
}

// first returns the event of a lane that runs next, nil if none is due.
func (l *lane) first(now int64) *timer {
	switch {
	case len(l.ready) > 0:
		return l.ready[0]
	case len(l.queue) > 0 && l.queue[0].due <= now:
		return l.queue[0]
	}
	return nil
}

// take removes that event.
func (l *lane) take() *timer {
	if len(l.ready) == 0 {
		return heap.Pop(&l.queue).(*timer)
	}
	e := l.ready[0]
	l.ready = l.ready[1:]
	return e
}

// do runs an event. If the event is repeated, its next run is pending meanwhile.
func (s *Schedule) do(e *timer, now int64) {
	e.begun = e.due
	if e.due = addTime(e.due, e.repeat); e.due <= now {
		e.begun, e.due = now, addTime(now, e.repeat)
	}
	s.current = e
	e.do()
	s.current = nil
	if e.retry > 0 {
		e.due, e.retry = addTime(now, e.retry), 0
		s.put(e)
	} else if e.repeat > 0 && s.ownerAlive(e) {
		s.put(e)
	}
}

// Retry postpones the event that runs now: its callback is called again delay milliseconds later,
// at least
// 1. The event keeps its id. A repeated event just waits for its next run.
func (s *Schedule) Retry(delay int64) {
	if c := s.current; c != nil && c.repeat == 0 {
		c.retry = max(delay, 1)
	}
}

// find returns a pending event, nil for none.
func (s *Schedule) find(id TimerID) *timer {
	if c := s.current; c != nil && c.id == id && c.repeat > 0 {
		return c
	}
	return s.pending[id]
}

// next returns the lane of the first due event that need not wait, nil if there is none.
func (s *Schedule) next(now int64) *lane {
	var first *lane
	var head *timer
	for _, l := range s.lanes {
		e := l.first(now)
		switch {
		case e == nil:
		case head != nil && !e.before(head):
		case s.Busy == nil || !s.Busy(l.mod):
			first, head = l, e
		}
	}
	return first
}

// merge adds the events scheduled during Run to their queues, and those that have not had their
// turn.
func (s *Schedule) merge(now int64) {
	s.running = false
	for _, l := range s.lanes {
		l.behind = l.first(now) != nil
		s.added = append(s.added, l.ready...)
		l.ready = nil
	}
	for i, e := range s.added {
		s.added[i] = nil
		if s.pending[e.id] == e && e.at < 0 { // one that was cancelled and restored can be here twice
			heap.Push(&e.lane.queue, e)
		}
	}
	s.added = s.added[:0]
	s.lanes = slices.DeleteFunc(s.lanes, func(l *lane) bool {
		if l.n == 0 {
			delete(s.mods, l.mod)
		}
		return l.n == 0
	})
}

// drop removes an event that is out of its queue from the other tables.
func (s *Schedule) drop(e *timer) {
	delete(s.pending, e.id)
	s.unlink(e)
}

func (s *Schedule) link(e *timer) {
	l := s.mods[e.owner.Mod]
	if l == nil {
		l = &lane{mod: e.owner.Mod, causes: map[ID]int{}}
		s.mods[l.mod] = l
		s.lanes = append(s.lanes, l)
	}
	e.lane = l
	l.n++
	l.causes[e.owner.Cause]++
	if e.owner.Object == 0 {
		return
	}
	e.next = s.objects[e.owner.Object]
	if e.next != nil {
		e.next.prev = e
	}
	s.objects[e.owner.Object] = e
}

func (s *Schedule) unlink(e *timer) {
	e.lane.n--
	if e.lane.causes[e.owner.Cause]--; e.lane.causes[e.owner.Cause] == 0 {
		delete(e.lane.causes, e.owner.Cause)
	}
	if e.owner.Object == 0 {
		return
	}
	if e.next != nil {
		e.next.prev = e.prev
	}
	switch {
	case e.prev != nil:
		e.prev.next = e.next
	case e.next != nil:
		s.objects[e.owner.Object] = e.next
	default:
		delete(s.objects, e.owner.Object)
	}
}

// before reports whether e runs before other.
func (e *timer) before(other *timer) bool {
	if e.due != other.due {
		return e.due < other.due
	}
	return e.id < other.id
}

// queue is a heap of events, the first due on top.
type queue []*timer

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}
func (q *queue) Push(x any) {
	e := x.(*timer)
	e.at = len(*q)
	*q = append(*q, e)
}
func (q *queue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	e.at = -1
	return e
}
