package store

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// shares are the sets that the servers of a fleet share. It is the remote of a Storage.
type shares struct {
	*Storage
	fleet   Fleet
	sets    []*modStore     // in memory, by name
	next    []*sharedChange // of this tick
	retries []attempt       // of updates and claims
	tick    uint64
}

// Share lets a fleet keep the sets of the global shared, and those of ShareStore. Call it before a
// mod is loaded.
func (st *Storage) Share(f Fleet) {
	st.remote = &shares{Storage: st, fleet: f}
}

func (x *shares) shares(set string) bool {
	return ownerOf(set) != set || slices.Contains(strings.Fields(x.ShareStore), set)
}

func (x *shares) load(b *modStore) {
	b.shared = newSharedSet()
	values, unsent, err := x.fleet.Load(b.name)
	if err != nil {
		b.err = fmt.Errorf("cannot read the shared values of %s: %w", b.name, err)
		return
	}
	i, found := slices.BinarySearchFunc(x.sets, b.name, func(s *modStore, name string) int { return strings.Compare(s.name, name) })
	if found {
		x.sets[i] = b
	} else {
		x.sets = slices.Insert(x.sets, i, b)
	}
	for _, c := range unsent { // before the values, which must not change what they are based on
		if _, value, err := ParseData(c.Data); err == nil || c.Data == nil {
			c.Data, c.Chained = value, false // the claim has ended with the former run
			x.add(b, &sharedChange{Change: c, value: value, based: true})
		}
	}
	for _, v := range values {
		if v.Data != nil && !Sound(v.Data) {
			v.Data = []byte{}
		}
		x.learn(b, v)
	}
	b.shared.forgetNews() // the mod has seen nothing before
}

func (x *shares) set(name string) *modStore {
	b := x.modStores[name]
	if b == nil || b.shared == nil {
		return nil
	}
	return b
}

// each visits the sets in order.
func (x *shares) each(do func(b *modStore)) {
	for _, b := range x.sets {
		do(b)
	}
}

func (x *shares) begin() {
	x.tick++
	x.hear()
	x.each(func(b *modStore) {
		if r := b.shared.refused; r != nil && (b.shared.overtaken(r.sharedBatch) || x.tick >= r.until) {
			x.endRefusal(b)
		}
		x.compare(b)
		if len(b.shared.held) > 0 && x.runtime.Mod(ownerOf(b.name)) == nil {
			x.releaseAll(b)
		}
	})
	x.retry()
}

// hear takes the news of the fleet. A change between two ticks then waits with the other changes,
// so that it fails with those that it builds on.
func (x *shares) hear() {
	x.group()
	for _, n := range x.fleet.News() {
		if b := x.set(n.Set); b != nil {
			b.hears = true
			x.take(b, n)
		}
	}
	x.each(func(b *modStore) {
		if b.hears {
			b.heard()
		}
	})
}

// take takes news of a set.
func (x *shares) take(b *modStore, n News) {
	s := b.shared
	if n.Held {
		s.ready, s.arrival = false, nil
	}
	switch {
	case n.Whole:
		x.stage(b, n)
		x.arrived(b, n.Anew)
	case n.Part:
		x.stage(b, n)
	default:
		for _, v := range n.Values {
			x.learn(b, v)
		}
	}
	if n.Whole && n.Anew {
		x.failAll(b)
	}
	if n.Outcome != nil {
		x.takeOutcome(b, n.Outcome)
	}
}

// learn notes a value of the fleet. The mod sees it at once, unless changes of its own wait.
func (x *shares) learn(b *modStore, v Value) {
	s := b.shared
	had, w := s.known[v.Key], s.pending[v.Key]
	switch {
	case v.Rev < had.rev, w != nil && v.Rev < w.seen, len(v.Key) < 1, len(v.Key) > MaxKey:
		return
	case v.Rev == had.rev && v.Data != nil && had.data != nil:
		return // the set was read again
	}
	k := x.parse(b, v)
	if x.exceeds(b, v, entrySize(v.Key, k.data)-entrySize(v.Key, had.data), s.bytes) {
		k = known{owner: v.Owner, rev: v.Rev}
	}
	s.setKnown(v.Key, k)
	if s.held[v.Key] && k.holder != x.fleet.Name() {
		delete(s.held, v.Key)
	}
	if w != nil {
		w.seen = v.Rev
		return
	}
	x.show(b, v.Key, had.rev, b.values[v.Key])
}

// parse reads a value of the fleet. One that is damaged counts as a key without a value.
func (x *shares) parse(b *modStore, v Value) known {
	k := known{data: v.Data, owner: v.Owner, rev: v.Rev}
	if v.Data == nil {
		return k
	}
	var err error
	if k.holder, k.value, err = splitData(v.Data); err != nil {
		k.data = []byte{}
		if b.shared.undecoded++; b.shared.undecoded == 1 {
			x.runtime.Log(slog.LevelWarn, "a value that another server shares is damaged, and is ignored", "set", b.name, "key", v.Key, "server", v.Owner)
		}
	}
	return k
}

// exceeds reports whether a value of another server, by which a set of so many bytes grows, is
// above the limit of the set, and counts it.
func (x *shares) exceeds(b *modStore, v Value, grown, size int) bool {
	if v.Owner == x.fleet.Name() || grown <= 0 || size+grown <= x.MaxShared {
		return false
	}
	if b.shared.dropped++; b.shared.dropped == 1 {
		x.runtime.Log(slog.LevelWarn, "the values that other servers share exceed fleet.maxShared: this server drops some", "set", b.name, "key", v.Key, "server", v.Owner)
	}
	return true
}

// show lets the mod see the newest value of a key without changes of its own. was is the value in
// the fleet that the mod knows, and rev its revision.
func (x *shares) show(b *modStore, key string, rev uint64, was []byte) {
	s := b.shared
	k := s.known[key]
	b.set(key, k.value)
	if k.rev != rev && (k.rev == 0 || k.owner != x.fleet.Name()) && !bytes.Equal(was, k.value) && !s.inNews[key] {
		x.announce(b, key)
	}
	if s.comparison != nil {
		s.comparison.was[key] = k.value
	}
	x.endFormer(b, key)
}

// maxNews is how many changed keys of a set wait for onShared.
const maxNews = 65_536

// announce lets a mod hear of a key that another server has changed.
func (x *shares) announce(b *modStore, key string) {
	s := b.shared
	switch {
	case len(s.news) < maxNews:
		s.news = append(s.news, key)
		s.inNews[key] = true
	case !s.flooded:
		s.flooded = true
		x.runtime.Log(slog.LevelWarn, "other servers change more values than onShared of a mod takes: it does not hear of some", "set", b.name, "key", key)
	}
}

// takeOutcome ends the oldest batch of a set.
func (x *shares) takeOutcome(b *modStore, o *Ended) {
	s := b.shared
	if len(s.sent) == 0 || s.sent[0].number != o.Batch {
		return // its changes have ended before
	}
	batch := s.sent[0]
	switch {
	case o.Conflict:
		s.refused = &refusal{batch, x.tick + refusalTicks}
	case o.Err != "" || len(o.Revs) != len(batch.writes):
		s.sent = s.sent[1:]
		x.fail(b, batch.changes, errors.New(o.Err), false)
	default:
		s.sent = s.sent[1:]
		x.succeed(b, batch, o.Revs)
	}
}

// succeed ends changes that have happened.
func (x *shares) succeed(b *modStore, batch sharedBatch, revs []uint64) {
	s := b.shared
	for i, w := range batch.writes {
		key := s.pending[w.Key]
		if key.base = revs[i]; w.Data == nil {
			key.base = 0
		}
		x.learn(b, Value{Key: w.Key, Data: w.Data, Rev: revs[i], Owner: x.fleet.Name()})
	}
	for _, c := range batch.changes {
		mine := s.known[c.Key].holder == x.fleet.Name()
		if c.kind == claimChange && mine {
			s.held[c.Key] = true
		}
		x.finish(b, c)
		if c.kind == claimChange {
			x.answerClaim(b, c.Key, c.done, mine)
		} else {
			x.answer(c.done, nil)
		}
	}
}

// endRefusal ends the batch that another server was faster than.
func (x *shares) endRefusal(b *modStore) {
	r := b.shared.refused
	b.shared.refused, b.shared.sent = nil, b.shared.sent[1:]
	x.fail(b, r.changes, errConflict, true)
}

// failAll ends all changes of a set as conflicts.
func (x *shares) failAll(b *modStore) {
	s := b.shared
	all := s.unfinished()
	s.sent, s.refused, s.waiting = nil, nil, nil
	x.fail(b, all, errConflict, true)
}

// fail ends changes that have not happened, and the waiting groups in which a change builds on one
// of them.
func (x *shares) fail(b *modStore, changes []*sharedChange, err error, conflict bool) {
	failed := map[string]bool{}
	end := func(changes []*sharedChange) {
		for _, c := range changes {
			failed[c.Key] = true
			x.finish(b, c)
		}
		for _, c := range changes {
			x.refuse(b, c, err, conflict)
		}
	}
	end(changes)
	b.shared.waiting = slices.DeleteFunc(b.shared.waiting, func(g changeGroup) bool {
		builds := slices.ContainsFunc(g.changes, func(c *sharedChange) bool { return c.Chained && failed[c.Key] })
		if builds {
			end(g.changes)
		}
		return builds
	})
}

// errConflict is the error of a change that another server was faster than.
var errConflict = errors.New("another server has changed the value")

// refuse answers a change that has not happened, or tries again.
func (x *shares) refuse(b *modStore, c *sharedChange, err error, conflict bool) {
	if conflict && c.again != nil && x.later(b, c) {
		return
	}
	if holder := x.claimant(b.shared.known[c.Key].holder); conflict && holder != "" {
		err = errClaimed(holder)
	}
	if c.kind == claimChange {
		x.answerClaim(b, c.Key, c.done, false)
		return
	}
	x.answer(c.done, err)
}

// finish removes a change from the pending ones. After the last one of a key, the mod sees what the
// fleet has.
func (x *shares) finish(b *modStore, c *sharedChange) {
	w := b.shared.pending[c.Key]
	w.changes--
	b.pendingChanges--
	b.pendingBytes -= len(c.Key) + len(c.Data)
	b.shared.moved = true
	if w.changes > 0 {
		return
	}
	delete(b.shared.pending, c.Key)
	x.show(b, c.Key, w.began, w.was)
}

// add makes a change. The mod sees it at once, and the fleet gets it at the end of the tick.
func (x *shares) add(b *modStore, c *sharedChange) {
	s := b.shared
	w := s.pending[c.Key]
	if w == nil {
		k := s.known[c.Key]
		w = &sharedKey{holder: k.holder, began: k.rev, was: k.value, seen: k.rev}
		s.pending[c.Key] = w
		if !c.based {
			c.Base = k.rev
		}
	} else {
		c.Chained = true
	}
	c.before, c.holderBefore = b.values[c.Key], w.holder
	w.holder, _, _ = splitData(c.Data)
	w.changes++
	b.pendingChanges++
	b.pendingBytes += len(c.Key) + len(c.Data)
	s.moved = true
	b.set(c.Key, c.value)
	c.of = b
	x.next = append(x.next, c)
}

func (x *shares) end() {
	x.group()
	x.each(func(b *modStore) {
		if s := b.shared; len(s.sent) == 0 {
			x.send(b)
		}
	})
}

// group makes groups of the changes of this tick, one for each set and more if a batch has no room.
func (x *shares) group() {
	if len(x.next) == 0 {
		return
	}
	fresh := map[*modStore]bool{}
	for _, c := range x.next {
		s := c.of.shared
		if n := len(s.waiting); !fresh[c.of] || !s.waiting[n-1].add(c) {
			var g changeGroup
			g.add(c)
			s.waiting = append(s.waiting, g)
			fresh[c.of] = true
		}
	}
	x.next = nil
}

// send sends a batch of a set, if the fleet takes changes.
func (x *shares) send(b *modStore) {
	s := b.shared
	if !s.ready || len(s.waiting) == 0 {
		return
	}
	batch := s.nextBatch()
	batch.number = x.fleet.Commit(b.name, batch.writes)
	s.sent = append(s.sent, batch)
}

func (x *shares) flush() {
	x.each(x.releaseAll)
	x.group()
	x.each(func(b *modStore) {
		if b.shared.refused != nil {
			x.endRefusal(b)
		}
		for b.shared.ready && len(b.shared.waiting) > 0 {
			x.send(b)
		}
	})
}

func (x *shares) mark() int { return len(x.next) }

func (x *shares) undo(mark int, mod string) {
	undone := func(c *sharedChange) bool { return ownerOf(c.of.name) == mod }
	for _, c := range slices.Backward(x.next[mark:]) {
		if !undone(c) {
			continue
		}
		s := c.of.shared
		c.of.set(c.Key, c.before)
		s.pending[c.Key].holder = c.holderBefore
		if c.kind == releaseChange && c.holderBefore == x.fleet.Name() {
			s.held[c.Key] = true
		}
		x.finish(c.of, c)
	}
	x.next = append(x.next[:mark], slices.DeleteFunc(x.next[mark:], undone)...)
}
