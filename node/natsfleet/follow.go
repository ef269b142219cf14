package natsfleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Limits of what a server keeps of one group. It drops the rest.
const (
	maxGroupKeys  = 65536
	maxGroupStore = 64 << 20
)

// follower tells the loop the values of a group, and each change.
type follower struct {
	bus    *fleetBus
	bucket *bucket
	group  bus.Group
	sound  func([]byte) bool // as in bus.Follow

	epoch  bus.Epoch
	last   uint64
	loaded bool
	alive  bool // the record of the epoch has come
	told   int  // values that the loop was told at once, the last time
	values map[string]bus.Value
	bytes  int
	held   []bus.News // changes of a batch that is not complete
	size   int        // of held
	batch  stamp      // of held

	standing map[string]bus.Value // the entries of a list that servers have written in this epoch

	mu     sync.Mutex
	at     uint64        // revision that the loop has
	passed chan struct{} // closed when it grows
}

var errEpoch = errors.New("the bucket has another epoch")

const (
	followAgain = 200 * time.Millisecond
	valueAgain  = 30 * time.Microsecond
)

// rest returns how long a follower waits before it begins anew: longer after many values. They cost
// the loop a microsecond each, so a member that breaks the bucket again and again must not get them
// read each time.
func (f *follower) rest() time.Duration { return followAgain + time.Duration(f.told)*valueAgain }

func (f *follower) run() {
	ctx := f.bus.ctx
	for {
		epoch, last, number, err := f.bucket.ready(ctx)
		if err != nil {
			return
		}
		if epoch != f.epoch {
			f.standing = map[string]bus.Value{}
		}
		f.epoch, f.last, f.loaded, f.alive = epoch, last, false, false
		f.values, f.bytes = map[string]bus.Value{}, 0
		f.held, f.size = nil, 0
		w := &watch{
			keys: f.bucket.keys, nc: f.bus.nc, alive: func() bool { return f.bus.line.on(number) },
			filters: []string{f.bucket.group(f.group.Name), f.bucket.subject(epochKey)},
			hurry:   func() bool { return len(f.held) > 0 }, idle: func() error { return f.idle(ctx) },
		}
		// After any end of a watch, the next one begins with all values.
		_ = w.run(ctx, func() error { return errEpoch }, func(e entry) error { return f.take(ctx, e) })
		if ctx.Err() != nil {
			return
		}
		if f.bus.line.on(number) { // else the next connection looks anyway
			f.bucket.again()
		}
		pause(ctx, f.rest())
	}
}

// take takes one message.
func (f *follower) take(ctx context.Context, e entry) error {
	if e.subject == f.bucket.subject(epochKey) {
		l, err := decodeLife(e.data)
		if err != nil || l.restoring || l.Epoch != f.epoch {
			return errEpoch
		}
		f.alive = true
	} else if v, c, ok := f.decode(e); ok {
		if !f.add(ctx, f.stands(v, e), c) {
			return ctx.Err()
		}
	}
	f.last = max(f.last, e.seq)
	if e.pending == 0 && !f.loaded {
		if err := f.tell(ctx); err != nil {
			return err
		}
	}
	if f.loaded && len(f.held) == 0 {
		f.pass(e.seq)
	}
	f.bucket.saw(f.epoch, e.seq)
	return nil
}

// decode reads a value. One that another program wrote counts as deleted, so it can be written
// anew.
func (f *follower) decode(e entry) (v bus.Value, c content, ok bool) {
	key, err := f.bucket.key(f.group.Name, e.subject)
	if err != nil {
		f.bus.tally.add("a key of the group " + f.group.Name + " that torc has not written")
		return v, c, false
	}
	if c, err = decodeContent(e.data); err != nil {
		f.bus.tally.add("the value of a key of the group " + f.group.Name + " that torc has not written, or a newer one")
	}
	if f.group.Bucket == bus.Lists && len(c.data) > maxListValue {
		f.bus.tally.add("an entry of the list " + f.group.Name + " that is larger than 2 KiB")
		c.data = nil
	}
	if f.sound != nil && c.data != nil && !f.sound(c.data) {
		c.data = []byte{}
	}
	return bus.Value{Key: key, Data: c.data, Rev: bus.Revision(e.seq), Owner: c.owner}, c, true
}

// add keeps a value until all are there, or passes it on.
func (f *follower) add(ctx context.Context, v bus.Value, c content) bool {
	if f.loaded {
		return f.change(ctx, v, c)
	}
	f.bytes -= len(f.values[v.Key].Data)
	delete(f.values, v.Key)
	if v.Data == nil {
		return true
	}
	listed := f.group.Bucket == bus.Lists
	if !listed && (len(f.values) >= maxGroupKeys || f.bytes+len(v.Data) > maxGroupStore) {
		f.bus.tally.add("values of the group " + f.group.Name + ", which has too many")
		return true
	}
	f.bytes += len(v.Data)
	if f.values[v.Key] = v; listed && len(f.values) > 2*maxListKeys {
		f.share()
	}
	return true
}

// share leaves a list with as many entries as a server keeps.
func (f *follower) share() {
	for _, server := range fair(f.values, maxListKeys) {
		f.bus.tally.add("entries of " + server + " in the list " + f.group.Name + ", which has too many")
	}
	f.bytes = 0
	for _, v := range f.values { // any order: it is a sum
		f.bytes += len(v.Data)
	}
}

// change passes on a change. Those of one batch come together. NATS can send the first of them
// before it has stored the others.
func (f *follower) change(ctx context.Context, v bus.Value, c content) bool {
	if len(f.held) > 0 && c.batch != f.batch && !f.release(ctx) {
		return false
	}
	f.held = append(f.held, bus.News{Changed: &bus.Changed{Group: f.group, Epoch: f.epoch, Value: v}})
	f.size += len(v.Data) + 128
	f.batch = c.batch
	if c.more && len(f.held) < bus.MaxWrites && f.size < bus.MaxBatch {
		return true
	}
	return f.release(ctx)
}

// idle passes on what waits for the rest of a batch: whoever wrote it has lied about a rest.
func (f *follower) idle(ctx context.Context) error {
	if len(f.held) > 0 && !f.release(ctx) {
		return ctx.Err()
	}
	if f.loaded {
		f.pass(f.last)
	}
	return nil
}

func (f *follower) release(ctx context.Context) bool {
	ok := f.bus.in.value(ctx, f.group, f.size, f.held...)
	f.held, f.size = nil, 0
	return ok
}

// tell tells the loop all values.
func (f *follower) tell(ctx context.Context) error {
	if !f.alive {
		return errEpoch
	}
	if f.group.Bucket == bus.Lists {
		f.share()
	}
	l := &bus.Loaded{Group: f.group, Epoch: f.epoch, Last: bus.Revision(f.last)}
	for _, v := range f.values {
		l.Values = append(l.Values, v)
	}
	slices.SortFunc(l.Values, func(a, b bus.Value) int { return cmp.Compare(a.Key, b.Key) })
	f.loaded, f.values, f.told = true, nil, len(l.Values)
	units := partsOf(l)
	if f.group.Bucket == bus.Lists { // it is bounded, and counts as a whole
		units = []unit{{[]bus.News{{Loaded: l}}, share{1 + len(l.Values), f.bytes}}}
	}
	if !f.bus.in.units(ctx, f.group, units...) {
		return ctx.Err()
	}
	return nil
}

// pass notes which revision the loop has.
func (f *follower) pass(seq uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq > f.at {
		f.at = seq
		close(f.passed)
		f.passed = make(chan struct{})
	}
}

// wait waits until the loop has a revision.
func (f *follower) wait(ctx context.Context, seq uint64) {
	for {
		f.mu.Lock()
		at, passed := f.at, f.passed
		f.mu.Unlock()
		if at >= seq {
			return
		}
		select {
		case <-passed:
		case <-ctx.Done():
			return
		}
	}
}
