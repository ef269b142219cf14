package fleet

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// HereOnly is the error of a change that the fleet does not take, whoever was first. The change can
// then hold on this server.
type HereOnly string

func (h HereOnly) Error() string { return string(h) }

// A listChange is a change of the operator on its way to the fleet.
type listChange struct {
	list    *fleetList
	entry   Entry
	remove  bool
	base    bus.Revision
	written bool // the fleet has it, as rev
	rev     bus.Revision
	heard   bus.Revision // the newest of the target that this server has heard of meanwhile
	until   uint64       // the tick in which the operator hears that the fleet does not answer
	done    func(error)  // nil: it was called
}

// tell tells the operator the outcome, once.
func (c *listChange) tell(err error) {
	if done := c.done; done != nil {
		c.done = nil
		done(err)
	}
}

// answerTicks is how long the operator waits for the fleet. A change without an answer can still
// happen.
const answerTicks = uint64(5 * time.Second / engine.TickTime)

// lateAnswers tells the operator of changes whose outcome is late.
func (l *lists) lateAnswers() {
	for len(l.asked) > 0 && (l.asked[0].done == nil || l.ticks >= l.asked[0].until) {
		c := l.asked[0]
		l.asked = l.asked[1:]
		c.tell(HereOnly("the fleet has not answered in 5 s"))
	}
}

// Shown notes that the operator has seen a list of the fleet. Changes are compared with it.
func (s *Service) Shown(list string) {
	if s.lists == nil {
		return
	}
	g := s.lists.groups[list]
	g.shown = true
	for _, e := range g.entries { // any order: all are seen
		e.seen = true
	}
}

// PutEntry asks the fleet to take an entry of a list. It counts here at once, until done tells the
// outcome. done is called once, also before PutEntry returns.
func (s *Service) PutEntry(list string, e Entry, done func(error)) {
	e.From = s.Name()
	s.lists.order(&listChange{list: s.lists.groups[list], entry: e, done: done})
}

// RemoveEntry asks the fleet to remove an entry. It counts here until the fleet has done so.
func (s *Service) RemoveEntry(list, target string, done func(error)) {
	s.lists.order(&listChange{list: s.lists.groups[list], entry: Entry{Target: target}, remove: true, done: done})
}

// Roles returns the roles of a key in the fleet, with what the operator has asked for.
func (s *Service) Roles(target string) []string {
	g := s.lists.groups[RoleList]
	if c := g.pending[target]; c != nil {
		return slices.Clone(c.entry.Roles)
	}
	if e := g.entries[target]; e != nil {
		return slices.Clone(e.Roles)
	}
	return nil
}

// order gives a change to the bus.
func (l *lists) order(c *listChange) {
	if err := l.objection(c); err != nil {
		c.tell(err)
		return
	}
	g, target := c.list, c.entry.Target
	w := bus.Write{Group: bus.Group{Bucket: bus.Lists, Name: g.name}, Key: target, Base: c.base}
	if !c.remove {
		w.Data = c.entry.encode()
	}
	if before := g.pending[target]; before != nil {
		w.Base, w.Chained = before.rev, !before.written
		if w.Chained {
			w.Base = before.base
		}
		c.base = w.Base
	}
	g.pending[target], c.until = c, l.ticks+answerTicks
	l.asked = append(l.asked, c)
	l.show(c)
	l.service.commit(g.epoch, []bus.Write{w}, func(o *bus.Outcome) { l.ended(c, o) })
	l.changes[l.service.handlers.batch] = true
}

// objection says why a change cannot go to the fleet now. It sets what the change is compared with.
func (l *lists) objection(c *listChange) error {
	g := c.list
	switch {
	case !l.service.up:
		return HereOnly("the line to the fleet is down")
	case g.refused:
		return HereOnly("the fleet has lost its lists (torc fleet restore)")
	case g.epoch == bus.Epoch{}:
		return HereOnly("the lists of the fleet are not read yet")
	}
	e := g.entries[c.entry.Target]
	if e == nil {
		return nil
	}
	if c.base = e.rev; g.shown && !e.seen {
		return changedBy(e.From, c.entry.Target, g.name)
	}
	return nil
}

// changedBy is the error of a change that came too late.
func changedBy(server, target, list string) error {
	if server == "" {
		server = "another server"
	}
	return fmt.Errorf("%s has changed the entry of %s meanwhile: look at %s, and try again", console.Clean(server), target, commandOf(list))
}

// commandOf returns the command that shows a list.
func commandOf(list string) string {
	if list == RoleList {
		return "role"
	}
	return list
}

// show lets a change of the operator count here, before the fleet has it. An entry that it removes
// stays.
func (l *lists) show(c *listChange) {
	if !c.remove {
		l.own.Put(c.list.name, c.entry)
		l.touched = true
	}
}

// giveUp ends the changes of which nobody knows whether the fleet has them, when the server ends.
func (l *lists) giveUp() {
	for _, number := range slices.Sorted(maps.Keys(l.changes)) {
		l.service.tell(&bus.News{Outcome: &bus.Outcome{Number: number, Err: "the fleet has not answered before the end of this server"}})
	}
}

// ended takes over the outcome of a change.
func (l *lists) ended(c *listChange, o *bus.Outcome) {
	delete(l.changes, o.Number)
	g, target := c.list, c.entry.Target
	newest := g.pending[target] == c
	if o.Err == "" && len(o.Revs) == 1 {
		c.written, c.rev = true, o.Revs[0]
		l.saw(g.epoch, c.rev)
		if newest && c.heard >= c.rev {
			l.settle(c)
		}
		c.tell(nil)
		return
	}
	if newest {
		delete(g.pending, target)
		l.restore(g, target)
	}
	switch e := g.entries[target]; {
	case !o.Conflict:
		c.tell(HereOnly(console.Clean(o.Err)))
	case e != nil && e.rev > c.base:
		c.tell(changedBy(e.From, target, g.name))
	default: // what it has lost to comes later
		c.tell(changedBy("", target, g.name))
	}
}

// settle ends a change that the fleet has: its entry is that of the fleet from now on.
func (l *lists) settle(c *listChange) {
	g, target := c.list, c.entry.Target
	if e := g.entries[target]; e != nil && e.rev == c.rev {
		e.seen = true
	}
	delete(g.pending, target)
	l.restore(g, target)
}
