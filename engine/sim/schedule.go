package sim

import (
	"container/heap"
	"math"
	"slices"
)

// EventID names something scheduled; never used again, 0 is none.
type EventID uint64

// Owner is on whose behalf something is scheduled; either part may be empty.
type Owner struct {
	Object ID     // gone with it
	Mod    string // gone with it
}

// Schedule holds what is to be done at a time of the simulation, in
// milliseconds. What is due runs in the order of its time, then in the order
// in which it was scheduled.
type Schedule struct {
	// Busy is asked before each event of a mod, "" for none: while it is true,
	// what is due of that mod waits, in the same order, for a later Run, and
	// nothing else does. nil is never.
	Busy func(mod string) bool

	world   *World
	last    EventID
	lanes   []*lane  // of the mods that have events to come, the one that began first before
	fresh   []*event // scheduled while Run is at work
	pending map[EventID]*event
	objects map[ID]*event // first of an object's list
	mods    map[string]*lane
	running bool
}

// A lane is what is to come of one mod: who is behind with much holds up nobody else.
type lane struct {
	mod   string
	queue queue
	n     int // with what is fresh
}

type event struct {
	id         EventID
	due        int64
	owner      Owner
	do         func()
	lane       *lane
	at         int    // in its queue, -1 while it is fresh
	next, prev *event // of the same object
}

// NewSchedule is an empty schedule. The objects that own events are those of
// world: what belongs to a dead one does not run. world may be nil if objects
// own nothing.
func NewSchedule(world *World) *Schedule {
	return &Schedule{world: world, pending: make(map[EventID]*event), objects: make(map[ID]*event), mods: make(map[string]*lane)}
}

// At has do run when delay milliseconds have passed since now; a negative delay
// is 0. What is scheduled by something that runs waits for the next Run.
func (s *Schedule) At(now, delay int64, owner Owner, do func()) EventID {
	s.last++
	s.put(&event{id: s.last, due: addTime(now, max(delay, 0)), owner: owner, do: do})
	return s.last
}

// put has an event wait.
func (s *Schedule) put(e *event) {
	e.at, e.next, e.prev = -1, nil, nil
	s.pending[e.id] = e
	s.link(e)
	if s.running {
		s.fresh = append(s.fresh, e)
	} else {
		heap.Push(&e.lane.queue, e)
	}
}

// addTime is the sum, or the end of time.
func addTime(now, delay int64) int64 {
	if sum := now + delay; sum >= now {
		return sum
	}
	return math.MaxInt64
}

// Cancel takes an event back and reports whether it was pending. A change of the
// world that is rolled back has it pending again.
func (s *Schedule) Cancel(id EventID) bool {
	e := s.pending[id]
	if e == nil {
		return false
	}
	if e.at >= 0 {
		heap.Remove(&e.lane.queue, e.at)
	}
	s.drop(e)
	if s.world != nil && s.world.Changing() {
		s.world.OnRollback(func() { s.put(e) })
	}
	return true
}

// Pending reports whether an event is still to come.
func (s *Schedule) Pending(id EventID) bool {
	e := s.pending[id]
	return e != nil && s.wanted(e)
}

// wanted reports whether the event's object is alive, if it has one.
func (s *Schedule) wanted(e *event) bool {
	return e.owner.Object == 0 || s.world == nil || s.world.Find(e.owner.Object) != nil
}

// Len is the number of events to come.
func (s *Schedule) Len() int { return len(s.pending) }

// OfMod is the number of events to come that belong to a mod.
func (s *Schedule) OfMod(mod string) int {
	if l := s.mods[mod]; l != nil {
		return l.n
	}
	return 0
}

// Mod is the mod that an event to come belongs to, "" for none.
func (s *Schedule) Mod(id EventID) string {
	if e := s.pending[id]; e != nil {
		return e.owner.Mod
	}
	return ""
}

// CancelOwner takes back everything that belongs to the owner's object or to
// its mod. An empty part matches nothing.
func (s *Schedule) CancelOwner(owner Owner) {
	for e := s.objects[owner.Object]; e != nil; e = s.objects[owner.Object] {
		s.Cancel(e.id)
	}
	l := s.mods[owner.Mod]
	if owner.Mod == "" || l == nil {
		return
	}
	var ids []EventID
	for _, list := range [][]*event{l.queue, s.fresh} {
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

// Run does what is due at now, but for what belongs to a mod that is busy.
func (s *Schedule) Run(now int64) {
	s.running = true
	defer s.merge()
	for l := s.next(now); l != nil; l = s.next(now) {
		e := heap.Pop(&l.queue).(*event)
		s.drop(e)
		if s.wanted(e) {
			e.do()
		}
	}
}

// next is the lane of the event that comes first of those that are due and need not wait, nil if there is none.
func (s *Schedule) next(now int64) *lane {
	var first *lane
	for _, l := range s.lanes {
		switch {
		case len(l.queue) == 0 || l.queue[0].due > now:
		case first != nil && !l.queue[0].before(first.queue[0]):
		case s.Busy == nil || !s.Busy(l.mod):
			first = l
		}
	}
	return first
}

// merge takes in what was scheduled during Run.
func (s *Schedule) merge() {
	s.running = false
	for i, e := range s.fresh {
		s.fresh[i] = nil
		if s.pending[e.id] != nil {
			heap.Push(&e.lane.queue, e)
		}
	}
	s.fresh = s.fresh[:0]
	s.lanes = slices.DeleteFunc(s.lanes, func(l *lane) bool {
		if l.n == 0 {
			delete(s.mods, l.mod)
		}
		return l.n == 0
	})
}

// drop forgets an event that is out of the queue.
func (s *Schedule) drop(e *event) {
	delete(s.pending, e.id)
	s.unlink(e)
}

func (s *Schedule) link(e *event) {
	l := s.mods[e.owner.Mod]
	if l == nil {
		l = &lane{mod: e.owner.Mod}
		s.mods[l.mod] = l
		s.lanes = append(s.lanes, l)
	}
	e.lane = l
	l.n++
	if e.owner.Object == 0 {
		return
	}
	e.next = s.objects[e.owner.Object]
	if e.next != nil {
		e.next.prev = e
	}
	s.objects[e.owner.Object] = e
}

func (s *Schedule) unlink(e *event) {
	e.lane.n--
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

// before reports whether e comes first of the two.
func (e *event) before(other *event) bool {
	if e.due != other.due {
		return e.due < other.due
	}
	return e.id < other.id
}

// queue is a heap of events, the next one first.
type queue []*event

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].before(q[j]) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].at, q[j].at = i, j
}
func (q *queue) Push(x any) {
	e := x.(*event)
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
