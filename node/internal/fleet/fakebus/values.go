package fakebus

import (
	"cmp"
	"maps"
	"slices"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A bucket has values, and counts their revisions.
type bucket struct {
	epoch  bus.Epoch
	rev    bus.Revision
	groups map[string]map[string]bus.Value // by name and key, with deleted ones
}

func newBucket(e bus.Epoch) *bucket {
	return &bucket{epoch: e, groups: map[string]map[string]bus.Value{}}
}

// A place is a key of a group.
type place struct {
	bus.Group
	key string
}

// A result is what became of a write.
type result struct {
	rev    bus.Revision
	failed bool
}

// Value returns what a key has at the centre.
func (w *World) Value(g bus.Group, key string) bus.Value {
	return w.buckets[g.Bucket].groups[g.Name][key]
}

// Put writes a value as a stranger does. Data nil deletes it.
func (w *World) Put(g bus.Group, key string, data []byte, owner string) {
	w.write(bus.Write{Group: g, Key: key, Data: data}, owner)
}

// Wipe empties a bucket, and gives it an epoch. All servers load it anew.
func (w *World) Wipe(name bus.Bucket, e bus.Epoch) {
	w.buckets[name] = newBucket(e)
	for _, m := range w.members {
		m.catchUp()
	}
}

// Epoch returns the epoch of a bucket.
func (w *World) Epoch(name bus.Bucket) bus.Epoch { return w.buckets[name].epoch }

// load tells a server all values of a group.
func (m *Member) load(g bus.Group) {
	b := m.world.buckets[g.Bucket]
	l := &bus.Loaded{Group: g, Epoch: b.epoch, Last: b.rev}
	for _, key := range slices.Sorted(maps.Keys(b.groups[g.Name])) {
		if v := b.groups[g.Name][key]; v.Data != nil {
			l.Values = append(l.Values, sound(m.follows[g], v))
		}
	}
	m.arrives(func() {
		for _, part := range m.world.parts(l) {
			m.tell(bus.News{Loaded: part})
		}
	})
}

// parts divides all values of a group.
func (w *World) parts(l *bus.Loaded) (list []*bus.Loaded) {
	for w.Part > 0 && l.Bucket == bus.Shared && len(l.Values) > w.Part {
		part := *l
		part.Values, part.More = l.Values[:w.Part], true
		list = append(list, &part)
		rest := *l
		rest.Values = l.Values[w.Part:]
		l = &rest
	}
	return append(list, l)
}

// pump sends the first batch that has no outcome. One is on its way at a time.
func (m *Member) pump() {
	if m.sending || len(m.batches) == 0 || !m.up() {
		return
	}
	m.sending = true
	b := m.batches[0]
	m.world.after(m.world.delay, func() {
		if !m.up() {
			m.sending = false
			return
		}
		o := m.world.commit(m, b)
		m.world.after(m.world.delay, func() {
			m.sending = false
			if m.up() { // else the server asks again when the line is back
				m.batches = m.batches[1:]
				m.outcome(o)
				m.pump()
			}
		})
	})
}

// outcome tells the server what became of a batch.
func (m *Member) outcome(o bus.Outcome) { m.tell(bus.News{Outcome: &o}) }

// commit writes a batch, once.
func (w *World) commit(m *Member, b bus.Batch) bus.Outcome {
	if o, known := m.answers[b.Number]; known {
		return o
	}
	o := bus.Outcome{Number: b.Number}
	if o.Err = w.objection(m, b); o.Err != "" {
		o.Conflict = o.Err != w.Refuses
		for _, wr := range b.Writes {
			m.writes[place{wr.Group, wr.Key}] = result{failed: true}
		}
	} else {
		for _, wr := range b.Writes {
			rev := w.write(wr, m.self.Name)
			o.Revs = append(o.Revs, rev)
			m.writes[place{wr.Group, wr.Key}] = result{rev: rev}
		}
	}
	m.answers[b.Number] = o
	return o
}

// objection says why a batch is refused, "" if it is not.
func (w *World) objection(m *Member, b bus.Batch) string {
	switch {
	case w.Refuses != "":
		return w.Refuses
	case len(b.Writes) == 0 || len(b.Writes) > bus.MaxWrites:
		return "a batch must have 1 to 999 writes"
	}
	for _, wr := range b.Writes {
		in := w.buckets[wr.Bucket]
		if in.epoch != b.Epoch {
			return "the values of the fleet were restored"
		}
		base := wr.Base
		if wr.Chained {
			r := m.writes[place{wr.Group, wr.Key}]
			if base = r.rev; r.failed {
				return "the change before it has failed"
			}
		}
		now := in.groups[wr.Name][wr.Key]
		if now.Rev != base && (base != 0 || now.Data != nil) {
			return "another server has changed the value"
		}
	}
	return ""
}

// write writes a value, and tells those who follow its group.
func (w *World) write(wr bus.Write, owner string) bus.Revision {
	b := w.buckets[wr.Bucket]
	b.rev++
	v := bus.Value{Key: wr.Key, Data: slices.Clone(wr.Data), Rev: b.rev, Owner: owner}
	if b.groups[wr.Name] == nil {
		b.groups[wr.Name] = map[string]bus.Value{}
	}
	b.groups[wr.Name][wr.Key] = v
	for _, m := range w.members {
		follow, follows := m.follows[wr.Group]
		if !follows {
			continue
		}
		n := bus.News{Changed: &bus.Changed{Group: wr.Group, Epoch: b.epoch, Value: sound(follow, v)}}
		if m.self.Name == owner && !w.Early {
			m.arrives(func() { m.later(n) })
		} else {
			m.later(n)
		}
	}
	return b.rev
}

// sound returns a value without its bytes if they are not sound.
func sound(f bus.Follow, v bus.Value) bus.Value {
	if f.Sound != nil && v.Data != nil && !f.Sound(v.Data) {
		v.Data = []byte{}
	}
	return v
}

// sortedGroups returns groups in order.
func sortedGroups(set map[bus.Group]bus.Follow) []bus.Group {
	var list []bus.Group
	for g := range set { // any order: they are sorted
		list = append(list, g)
	}
	order.By(list, func(a, b bus.Group) int {
		return cmp.Or(cmp.Compare(a.Bucket, b.Bucket), cmp.Compare(a.Name, b.Name))
	})
	return list
}
