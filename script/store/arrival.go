package store

import (
	"bytes"
	"maps"
	"slices"
)

// An arrival is all values that a set has in the fleet, while they come in parts. The mod sees none
// of them before the last one is there. Then they replace at once what the mod sees, which costs
// the same for few and many values.
type arrival struct {
	known  map[string]known
	size   int               // of known, with entryOverhead per entry
	values map[string][]byte // of known, as scripts see them
	keys   []string          // of values, in order
	bytes  int               // of values, with entryOverhead per entry
	claims []string          // keys without a value that another run of this server has claimed
	kept   int               // keys that the set had before
	fresh  []string          // keys whose revision the copy on the disk lacks
}

// manyFresh is how many new revisions make the copy on the disk old as a whole.
const manyFresh = 1024

// stage takes a part of all values of a set.
func (x *shares) stage(b *modStore, n News) {
	s := b.shared
	if s.arrival == nil {
		s.arrival = &arrival{known: map[string]known{}, values: map[string][]byte{}}
	}
	for _, v := range n.Values {
		if len(v.Key) >= 1 && len(v.Key) <= MaxKey {
			x.arrive(b, v, n.Anew)
		}
	}
}

// arrive takes one of all values. The value that this server knew counts, unless the value is
// newer.
func (x *shares) arrive(b *modStore, v Value, anew bool) {
	var had known
	seen := uint64(0)
	s, a := b.shared, b.shared.arrival
	if !anew {
		had = s.known[v.Key]
		if w := s.pending[v.Key]; w != nil {
			seen = w.seen
		}
	}
	k := had
	if v.Rev >= seen && (v.Rev > had.rev || had.data == nil) {
		k = x.parse(b, v)
	}
	if k.data == nil || x.exceeds(b, v, entrySize(v.Key, k.data), a.size) {
		return
	}
	a.add(v.Key, k)
	if had.data != nil {
		a.kept++
	}
	if k.rev != had.rev {
		a.fresh = append(a.fresh, v.Key)
	}
	if k.value == nil && k.holder == x.fleet.Name() {
		a.claims = append(a.claims, v.Key)
	}
}

func (a *arrival) add(key string, k known) {
	a.known[key] = k
	a.size += entrySize(key, k.data)
	if k.value != nil {
		a.values[key] = k.value
		a.keys = append(a.keys, key)
		a.bytes += entrySize(key, k.value)
	}
}

// arrived lets the mod see all values. Its own changes that wait stay in front of them.
func (x *shares) arrived(b *modStore, anew bool) {
	s, a := b.shared, b.shared.arrival
	for s.comparison != nil { // of an arrival before
		x.compare(b)
	}
	c := &comparison{was: b.values, keys: slices.Concat(b.keys, a.keys, a.claims)}
	s.arrived(a, anew)
	b.values, b.keys, b.bytes = a.values, a.keys, a.bytes
	for _, key := range slices.Sorted(maps.Keys(s.pending)) {
		w := s.pending[key]
		if anew {
			w.seen, w.began = 0, 0
		}
		w.seen = max(w.seen, s.known[key].rev)
		b.set(key, c.was[key])
		c.was[key] = w.was // show compares it after the last change
	}
	for key := range s.held { // any order: each is judged alone
		if s.known[key].holder != x.fleet.Name() {
			delete(s.held, key)
		}
	}
	s.comparison = c
	x.compare(b)
}

// arrived replaces what the set knows of the fleet.
func (s *sharedSet) arrived(a *arrival, anew bool) {
	if s.whole = s.whole || anew || a.kept < len(s.known) || len(a.fresh) > manyFresh; !s.whole {
		for _, key := range a.fresh {
			s.unsaved[key] = true
		}
	}
	s.known, s.bytes = a.known, a.size
	s.arrival, s.ready = nil, true
}

// A comparison looks which values an arrival has changed, a bounded number in each tick, so that
// the mod hears of them.
type comparison struct {
	was  map[string][]byte // what the mod has seen or heard of
	keys []string          // to be compared; some are twice in it
}

// comparedAtOnce is how many keys of a set are compared in a tick.
const comparedAtOnce = 2048

// compare compares the next keys of a set.
func (x *shares) compare(b *modStore) {
	s := b.shared
	c := s.comparison
	if c == nil {
		return
	}
	for _, key := range c.keys[:min(len(c.keys), comparedAtOnce)] {
		k, w := s.known[key], s.pending[key]
		value, foreign := k.value, k.rev == 0 || k.owner != x.fleet.Name()
		if w != nil {
			value, foreign = w.was, true
		}
		if foreign && !bytes.Equal(c.was[key], value) && !s.inNews[key] {
			x.announce(b, key)
		}
		c.was[key] = value
		if w == nil {
			x.endFormer(b, key)
		}
	}
	if c.keys = c.keys[min(len(c.keys), comparedAtOnce):]; len(c.keys) == 0 {
		s.comparison = nil
	}
}

// endFormer ends the claim of another run of this server to a key without own changes.
func (x *shares) endFormer(b *modStore, key string) {
	if s := b.shared; s.known[key].holder == x.fleet.Name() && !s.held[key] {
		x.release(b, key)
	}
}
