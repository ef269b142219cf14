package fleet

import (
	"cmp"
	"container/list"
	"maps"
	"slices"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

const (
	// maxEntries is how many entries of its fleet a server keeps, in all lists.
	maxEntries = 16_384
	// entriesPerStep is how many changed entries a server takes over before a tick.
	entriesPerStep = 64
)

// An intake bounds the lists of the fleet in front of the tape. It has the newest value of each
// entry. A list that was read passes whole. Later changes wait here, each entry once, and a few of
// them pass before each tick: one of each writer in turn. So a member that writes without end
// delays no other one. When all places are taken, the writer with the most entries loses one.
type intake struct {
	lists   *lists
	epochs  map[string]bus.Epoch // of the lists, as they were read
	entries map[string]map[string]*admitted
	count   int
	writers *writers
	turns   *list.List // of *writer: those with changes that wait
	named   map[string]bool
}

// admitted is an entry with a place, or one whose end still has to pass.
type admitted struct {
	list  string
	value bus.Value // not decoded; no data: the entry is over
	told  bool      // the lists behind the tape have it
	of    *writer   // whose place it has; nil: it has none
	at    int       // its index in of.entries
	due   *list.Element
	by    *writer // whose turn passes it; nil: it does not wait
}

func newIntake(l *lists) *intake {
	return &intake{lists: l, epochs: map[string]bus.Epoch{}, entries: map[string]map[string]*admitted{}, writers: newWriters(), turns: list.New(), named: map[string]bool{}}
}

// loaded bounds a list that was read, and returns what passes.
func (i *intake) loaded(l *bus.Loaded) *bus.Loaded {
	if !slices.Contains(listNames, l.Name) {
		return nil
	}
	for _, key := range slices.Sorted(maps.Keys(i.entries[l.Name])) {
		i.forget(i.entries[l.Name][key])
	}
	i.epochs[l.Name], i.entries[l.Name] = l.Epoch, map[string]*admitted{}
	oldest := slices.Clone(l.Values)
	order.By(oldest, func(a, b bus.Value) int { return cmp.Compare(a.Rev, b.Rev) })
	for _, v := range oldest {
		i.takes(l.Name, v)
	}
	passes := *l
	passes.Values = nil
	for _, v := range l.Values {
		e := i.entries[l.Name][v.Key]
		if e == nil || e.of == nil {
			continue
		}
		i.passed(e)
		if i.objects(e) {
			i.forget(e)
			continue
		}
		e.told = true
		passes.Values = append(passes.Values, e.value)
	}
	return &passes
}

// changed takes a changed entry. It passes later.
func (i *intake) changed(c *bus.Changed) {
	if i.entries[c.Name] != nil && c.Epoch == i.epochs[c.Name] {
		i.takes(c.Name, c.Value)
	}
}

// takes takes the newest value of an entry, if there is a place for it.
func (i *intake) takes(name string, v bus.Value) {
	e := i.entries[name][v.Key]
	if e == nil {
		if v.Data == nil {
			return
		}
		e = &admitted{list: name}
	}
	i.vacate(e)
	w := i.writers.named(v.Owner) // it can have lost its last entry
	e.value = v
	switch {
	case v.Data != nil && i.room(w):
		i.entries[name][v.Key] = e
		i.count++
		i.writers.enter(w, e)
	case v.Data != nil:
		i.names(v.Owner, "the lists have more than 16,384 entries")
		e.value.Data = nil
	}
	i.waits(e, w)
	i.writers.tidy(w)
}

// room makes room for an entry of a writer: the writer with the most loses one. It reports whether
// there is.
func (i *intake) room(w *writer) bool {
	if i.count < maxEntries {
		return true
	}
	most := i.writers.most()
	if len(most.entries) <= len(w.entries)+1 {
		return false
	}
	e := most.entries[len(most.entries)-1]
	i.names(most.name, "the lists have more than 16,384 entries")
	i.vacate(e)
	e.value.Data = nil
	i.waits(e, most)
	return true
}

// vacate takes the place of an entry away.
func (i *intake) vacate(e *admitted) {
	if e.of != nil {
		i.count--
		i.writers.leave(e)
	}
}

// waits lets an entry pass in the turn of a writer. One that is over, and that nobody has heard of,
// is forgotten.
func (i *intake) waits(e *admitted, w *writer) {
	if e.value.Data == nil && !e.told {
		i.forget(e)
		return
	}
	if e.by == w {
		return
	}
	i.passed(e)
	e.by, e.due = w, w.due.PushBack(e)
	if w.turn == nil {
		w.turn = i.turns.PushBack(w)
	}
}

// passed ends the waiting of an entry.
func (i *intake) passed(e *admitted) {
	if w := e.by; w != nil {
		w.due.Remove(e.due)
		e.by, e.due = nil, nil
		if w.due.Len() == 0 {
			i.turns.Remove(w.turn)
			w.turn = nil
		}
		i.writers.tidy(w)
	}
}

// forget forgets an entry.
func (i *intake) forget(e *admitted) {
	i.vacate(e)
	i.passed(e)
	if i.entries[e.list][e.value.Key] == e {
		delete(i.entries[e.list], e.value.Key)
	}
}

// due returns the changed entries that pass now.
func (i *intake) due() (news []*bus.News) {
	for passed := 0; passed < entriesPerStep && i.turns.Len() > 0; passed++ {
		turn := i.turns.Front()
		i.turns.MoveToBack(turn)
		if n := i.passes(turn.Value.(*writer).due.Front().Value.(*admitted)); n != nil {
			news = append(news, n)
		}
	}
	return news
}

// passes returns the news of an entry, nil if it has none.
func (i *intake) passes(e *admitted) *bus.News {
	i.passed(e)
	if e.value.Data != nil && i.objects(e) {
		i.vacate(e)
		e.value.Data = nil
	}
	told := e.told
	e.told = e.value.Data != nil
	n := &bus.News{Changed: &bus.Changed{Group: bus.Group{Bucket: bus.Lists, Name: e.list}, Epoch: i.epochs[e.list], Value: e.value}}
	if e.told {
		return n
	}
	i.forget(e)
	if told {
		return n
	}
	return nil
}

// objects reports whether an entry cannot be used. Its writer is named once.
func (i *intake) objects(e *admitted) bool {
	if _, err := i.lists.decode(e.list, e.value); err != nil {
		i.names(e.value.Owner, console.Clean(err.Error()))
		return true
	}
	return false
}

// names warns of the entries of a writer, once.
func (i *intake) names(writer, why string) {
	if name := console.Clean(cut(writer)); !i.named[name] && len(i.named) < maxServers {
		i.named[name] = true
		i.lists.service.core.Log.Warn("an entry of a list of the fleet has no effect here: "+why, "server", name)
	}
}
