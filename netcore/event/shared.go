package event

// The queues of hundreds of streams do not fit into the CPU cache: to fill those of 256 streams
// with one event takes 1.6 ms of the owner's tick. So such an event waits beside the queues, and
// Pack fills them. It needs the queues anyway, and it packs several streams at once.

const (
	mostShared  = 512 // bytes of the largest event that waits
	mostWaiting = 64  // events that wait in a stream
	sharedLanes = 64  // lanes, the first ones, whose events can wait
	mostWorkers = 64  // workers that have memory to measure events
)

// A Shared is an event that is the same for several streams, and how it is sent. Make it with
// Share.
type Shared struct {
	event Event
	post  Post
}

// Share returns an event for several streams. It returns nil if the event cannot wait and must be
// posted to each: it is too large, it has a life, or it is in none of the first lanes of commands.
// size is an upper bound of the event, in bytes. Several goroutines serialize the event at once, so
// its Serialize must change nothing when it writes. The event must have no references.
func Share(ev Event, p Post, size int) *Shared {
	if size > mostShared || p.Lane >= sharedLanes || p.Channel != 0 || p.Life > 0 {
		return nil
	}
	return &Shared{ev, p}
}

// PostShared is Post of a shared event. It returns false and does nothing where Post might refuse
// the event.
func (e *Stream) PostShared(s *Shared) bool {
	if e.ended || len(e.waiting) == mostWaiting || e.quarterFull&s.lane() != 0 || !e.Knows(s.event.KindID()) {
		return false
	}
	e.waiting = append(e.waiting, s)
	return true
}

// lane is the bit of the event's lane in Stream.quarterFull.
func (s *Shared) lane() uint64 { return 1 << s.post.Lane }

// noteQuarterFull remembers whether a quarter of a lane of commands is full. Only a lane with less
// takes shared events, so all that wait have room.
func (e *Stream) noteQuarterFull(l *lane) {
	bit := uint64(1) << l.id // 0 of a lane that takes no shared events
	e.quarterFull &^= bit
	if l.events > maxQueuedEvents/4 || l.bytes > maxQueuedBytes/4 {
		e.quarterFull |= bit
	}
}

// of returns the memory of a worker. One beyond mostWorkers gets new memory each time.
func (s *Scratch) of(worker int) *measure {
	if uint(worker) >= mostWorkers {
		return new(measure)
	}
	if s.workers[worker] == nil {
		s.workers[worker] = new(measure)
	}
	return s.workers[worker]
}

// postWaiting posts the shared events that wait, and measures them in memory of the goroutine that
// runs.
func (e *Stream) postWaiting(m *measure) {
	if len(e.waiting) == 0 {
		return
	}
	waiting, owner := e.waiting, e.measure
	e.waiting, e.measure = nil, m // Post asks for both
	for i, s := range waiting {
		if e.Post(s.event, s.post) != nil {
			e.undeliverable = append(e.undeliverable, s.event)
		}
		waiting[i] = nil
	}
	e.waiting, e.measure = waiting[:0], owner
}
