package fleet

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

const (
	// sweepEvery is the number of ticks between two looks for entries that are over.
	sweepEvery = uint64(10 * time.Second / engine.TickTime)
	// sweepPause is how long a server leaves the work to others, after the fleet has not taken it
	// from this one.
	sweepPause = uint64(time.Hour / engine.TickTime)
	// sweepMost is how many entries a server removes after a look.
	sweepMost = 64
	// graceTime is how long an entry stays that is over: the clock of a server can be wrong.
	graceTime = time.Hour
)

// A sweep removes entries whose time is over from the lists of the fleet, where each takes one of
// 16,384 places. One server does it: all look at the oldest of these entries. If it is there at two
// looks, its writer removes it and those that follow, because that server can write to the lists.
// If it is there at the third look, the first of the other servers by name does it, then the
// second, and so on. So nobody begins while another one is at work. A change meanwhile counts: each
// removal is compared with the entry that this server has seen.
type sweep struct {
	lists  *lists
	date   func() time.Time
	next   uint64 // tick of the next look
	oldest expired
	looks  int       // at that entry, after the first
	open   []expired // to be removed by this server, the last one first
	busy   bool      // one is on its way
}

// expired is an entry whose time is over.
type expired struct {
	list   string
	target string
	until  time.Time
	rev    bus.Revision
}

func (e expired) compare(o expired) int {
	return cmp.Or(e.until.Compare(o.until), strings.Compare(e.list, o.list), strings.Compare(e.target, o.target))
}

func newSweep(l *lists) sweep {
	return sweep{lists: l, date: func() time.Time { return l.service.core.Side.Date() }}
}

// step runs in each tick.
func (s *sweep) step() {
	l := s.lists
	if l.ticks >= s.next && len(s.open) == 0 && !s.busy {
		s.next = l.ticks + sweepEvery
		s.look()
	}
	if len(s.open) > 0 && !s.busy && l.service.up {
		s.remove()
	}
}

// look looks for entries that are over, and begins to remove them if it is the turn of this server.
func (s *sweep) look() {
	over := s.lists.expired(s.date().Add(-graceTime))
	if len(over) == 0 {
		s.oldest, s.looks = expired{}, 0
		return
	}
	if s.looks++; over[0].rev != s.oldest.rev || over[0].compare(s.oldest) != 0 {
		s.oldest, s.looks = over[0], 0
	}
	if s.looks > s.turn() {
		slices.Reverse(over)
		s.open = over
	}
}

// turn returns how many servers remove the oldest entry before this one.
func (s *sweep) turn() (n int) {
	service := s.lists.service
	writer := s.lists.groups[s.oldest.list].entries[s.oldest.target].From
	if writer == service.Name() {
		return 0
	}
	for i := range service.presence.list {
		if name := service.presence.list[i].Name; name == writer || name < service.Name() {
			n++
		}
	}
	return n
}

// remove removes the next entry, if it is as it was.
func (s *sweep) remove() {
	last := len(s.open) - 1
	e := s.open[last]
	s.open = s.open[:last]
	g := s.lists.groups[e.list]
	if now := g.entries[e.target]; g.refused || g.pending[e.target] != nil || now == nil || now.rev != e.rev {
		return
	}
	s.busy = true
	w := bus.Write{Group: bus.Group{Bucket: bus.Lists, Name: e.list}, Key: e.target, Base: e.rev}
	s.lists.service.commit(g.epoch, []bus.Write{w}, s.ended)
}

// ended takes over the outcome of a removal.
func (s *sweep) ended(o *bus.Outcome) {
	s.busy = false
	if o.Err != "" && !o.Conflict {
		s.open, s.next = nil, s.lists.ticks+sweepPause
	}
}

// expired returns the entries that were over at a time, oldest first, and no more than a server
// removes after a look.
func (l *lists) expired(then time.Time) (over []expired) {
	for _, name := range listNames {
		for target, e := range l.groups[name].entries { // any order: the oldest ones are the same
			if e.Until.IsZero() || e.Until.After(then) {
				continue
			}
			x := expired{name, target, e.Until, e.rev}
			at, _ := slices.BinarySearchFunc(over, x, expired.compare)
			if at < sweepMost {
				over = slices.Insert(over[:min(len(over), sweepMost-1)], at, x)
			}
		}
	}
	return over
}
