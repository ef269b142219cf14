package fleet

import (
	"maps"
	"slices"
	"time"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/script/store"
)

// Lists are the lists of a server, to which those of its fleet are added. The goroutine of the loop
// calls them.
type Lists interface {
	// Check says what is wrong with an entry that some server has written. It depends on nothing
	// but the entry.
	Check(list string, e *Entry) error
	// Replace replaces all entries of the fleet in a list.
	Replace(list string, all []Entry)
	// Put adds an entry of the fleet, or replaces it. Remove removes one.
	Put(list string, e Entry)
	Remove(list, target string)
	// Changed follows each of several changes. A tick runs.
	Changed()
}

// lists are the lists of the fleet as this server sees them: the entries that count, and the
// changes of its operator that are on their way.
type lists struct {
	service *Service
	own     Lists
	copy    copyFile
	intake  *intake // in front of the tape
	groups  map[string]*fleetList
	changes map[uint64]bool // the batches without an outcome
	asked   []*listChange   // those whose outcome the operator waits for, in order
	ticks   uint64
	sweep   sweep
	bucketLife
	warned  bool // of a bucket that does not count
	waiting bool // joins wait for the lists
	touched bool // since the last tick
}

// A fleetList is one list.
type fleetList struct {
	name    string
	epoch   bus.Epoch              // of the bucket that it was read from; zero: it never was
	refused bool                   // the bucket that the bus has does not count
	read    bool                   // by this run
	shown   bool                   // to the operator, once at least
	entries map[string]*listed     // by target
	pending map[string]*listChange // the newest change of the operator to a target, until it is in entries
	unsaved map[string]bool        // targets whose copy on the disk is old
	whole   bool                   // the copy of all is old
}

// listed is an entry that counts.
type listed struct {
	Entry
	data []byte // as it is in the fleet
	rev  bus.Revision
	seen bool // by the operator
}

func newLists(s *Service) *lists {
	l := &lists{service: s, own: s.opts.Lists, copy: copyFile{load: s.opts.LoadCopy}, groups: map[string]*fleetList{}, changes: map[uint64]bool{}}
	l.intake, l.sweep = newIntake(l), newSweep(l)
	for _, name := range listNames {
		l.groups[name] = &fleetList{name: name, entries: map[string]*listed{}, pending: map[string]*listChange{}, unsaved: map[string]bool{}}
	}
	s.handlers.values[bus.Lists] = l
	return l
}

// decode reads an entry that some server has written. It depends on nothing but the value.
func (l *lists) decode(list string, v bus.Value) (Entry, error) {
	e, err := decodeEntry(v.Key, v.Owner, v.Data)
	if err == nil {
		err = l.own.Check(list, &e)
	}
	return e, err
}

// recall takes over the copy on the disk. It counts until the fleet has been read.
func (l *lists) recall() {
	l.epoch, l.newest = l.copy.life(listsLifeKey)
	for _, name := range listNames {
		g := l.groups[name]
		values := l.copy.list(name)
		if len(values) > 0 {
			l.take(g, values, 0)
		}
	}
	if err := l.copy.failed(); err != nil {
		l.service.core.Log.Warn("the copy of the lists of the fleet cannot be read: this server gets them from the fleet", "why", err)
	}
}

// take takes over all values of a list. Those of the operator that are on their way still count.
func (l *lists) take(g *fleetList, values []bus.Value, last bus.Revision) {
	before := g.entries
	g.entries = map[string]*listed{}
	all := make([]Entry, 0, len(values))
	for _, v := range values {
		if e, err := l.decode(g.name, v); err == nil {
			old := before[v.Key]
			g.entries[v.Key] = &listed{Entry: e, data: v.Data, rev: v.Rev, seen: old != nil && old.seen && old.rev == v.Rev}
			all = append(all, e)
		}
	}
	l.own.Replace(g.name, all)
	for _, target := range slices.Sorted(maps.Keys(g.pending)) {
		l.hears(g.pending[target], last)
	}
	l.touched = true
}

// hears settles a change of the operator if the fleet has it. Else it still counts.
func (l *lists) hears(c *listChange, rev bus.Revision) {
	c.heard = max(c.heard, rev)
	if c.written && c.heard >= c.rev {
		l.settle(c)
	} else {
		l.show(c)
	}
}

// loaded takes over all entries of a list, if the bucket counts. One that does not leaves the copy
// of this server in force.
func (l *lists) loaded(n *bus.Loaded) {
	g := l.groups[n.Name]
	if g == nil {
		return
	}
	g.read, g.refused = true, !l.counts(n.Epoch, n.Last)
	defer l.admit()
	if g.refused {
		if !l.warned {
			l.warned = true
			l.service.core.Log.Error("the fleet has lost lists that this server has, or has an older copy: those of this server count until they are restored (torc fleet restore)")
		}
		return
	}
	l.begins(n.Epoch, n.Last)
	g.epoch, g.whole, l.warned = n.Epoch, true, false
	l.take(g, n.Values, n.Last)
}

// changed takes over an entry.
func (l *lists) changed(n *bus.Changed) {
	g := l.groups[n.Name]
	if g == nil || g.refused || n.Epoch != g.epoch {
		return
	}
	l.saw(n.Epoch, n.Rev)
	e, err := l.decode(g.name, n.Value)
	if err != nil || n.Data == nil {
		delete(g.entries, n.Key)
	} else {
		g.entries[n.Key] = &listed{Entry: e, data: n.Data, rev: n.Rev}
	}
	g.unsaved[n.Key], l.touched = true, true
	if c := g.pending[n.Key]; c != nil {
		l.hears(c, n.Rev)
	} else {
		l.restore(g, n.Key)
	}
}

// restore lets the entry count that the fleet has.
func (l *lists) restore(g *fleetList, target string) {
	l.touched = true
	if e := g.entries[target]; e != nil {
		l.own.Put(g.name, e.Entry)
	} else {
		l.own.Remove(g.name, target)
	}
}

// follow follows all lists.
func (l *lists) follow() {
	for _, name := range listNames {
		l.service.do(bus.Follow{Group: bus.Group{Bucket: bus.Lists, Name: name}, Epoch: l.epoch, Newest: l.newest})
	}
}

// readTime is how long joins wait for the lists at the start. Then the copy of this server counts.
const readTime = 3 * time.Second

// Recall takes over what the last run of this server knew of its fleet. Joins wait until the lists
// of the fleet are read, so that a player who was banned meanwhile is not let in.
func (s *Service) Recall() {
	if s.lists == nil {
		return
	}
	s.lists.recall()
	s.lists.waiting = true
	s.core.Side.Host.Hold.Begin("the server reads the lists of its fleet", readTime)
}

// admit lets joins go on when all lists are read.
func (l *lists) admit() {
	if l.waiting && !slices.ContainsFunc(listNames, func(name string) bool { return !l.groups[name].read }) {
		l.waiting = false
		l.service.core.Side.Host.Hold.End()
	}
}

// beginTick tells the lists of this server that they have changed.
func (l *lists) beginTick() {
	l.ticks++
	l.lateAnswers()
	l.sweep.step()
	if l.waiting && !l.service.core.Side.Host.Hold.On() {
		l.waiting = false
		l.service.core.Log.Warn("the lists of the fleet are not read yet: players join by the copy of this server")
	}
	if l.touched {
		l.touched = false
		l.own.Changed()
	}
}

// admits takes news of the lists in front of the tape, and reports whether they pass at once.
func (l *lists) admits(n *bus.News) bool {
	switch {
	case n.Loaded != nil:
		n.Loaded = l.intake.loaded(n.Loaded)
		return n.Loaded != nil
	case n.Changed != nil:
		l.intake.changed(n.Changed)
		return false
	}
	return true
}

// saves returns what is to be written into the copy on the disk: what has changed, or everything.
func (l *lists) saves(all bool) (list []store.Write) {
	for _, name := range listNames {
		g := l.groups[name]
		bucket := listBucket + name
		keys := slices.Sorted(maps.Keys(g.unsaved))
		if all || g.whole {
			list = append(list, store.Write{Mod: bucket, Purge: true})
			keys = slices.Sorted(maps.Keys(g.entries))
		}
		for _, target := range keys {
			w := store.Write{Mod: bucket, Key: target}
			if e := g.entries[target]; e != nil {
				w.Value = encodeValue(store.Value{Rev: uint64(e.rev), Owner: e.From, Data: e.data})
			}
			list = append(list, w)
		}
		g.whole, g.unsaved = false, map[string]bool{}
	}
	return list
}
