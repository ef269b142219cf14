package natsfleet

import (
	"context"
	"sync"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// Limits of what can wait for NATS, of one mod and of all.
const (
	maxModWrites    = 16384
	maxModBytes     = 32 << 20
	maxQueuedWrites = 16 * maxModWrites
	maxQueuedBytes  = 8 * maxModBytes
)

// outbox has the batches of a bucket that wait, with the outcomes to which later ones are chained.
type outbox struct {
	mu     sync.Mutex
	list   []bus.Batch
	mods   map[string]*share // by group; an entry goes with its last write
	total  share
	wake   chan struct{} // has a place for one
	closed bool
	links  map[place]link
	places map[uint64][]place // of the links of a batch
}

// place is a key of a group.
type place struct{ group, key string }

// A link is the outcome of the newest batch of this server that has written a key. It goes when the
// loop has taken that outcome: then no write is chained to it any more.
type link struct {
	batch  uint64
	rev    bus.Revision
	failed bool
}

func newOutbox() *outbox {
	return &outbox{mods: map[string]*share{}, wake: make(chan struct{}, 1), links: map[place]link{}, places: map[uint64][]place{}}
}

// size returns the bytes that a write takes here.
func size(w *bus.Write) int { return 128 + len(w.Key) + len(w.Data) }

// add queues a batch, or says why it cannot.
func (o *outbox) add(b bus.Batch) (why string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return "the server ends"
	}
	if why = o.room(b); why != "" {
		return why
	}
	o.count(b, 1)
	o.list = append(o.list, b)
	o.signal()
	return ""
}

// room says why a batch has no room. A mod that writes much is refused before others are.
func (o *outbox) room(b bus.Batch) string {
	total, mods := o.total, map[string]share{}
	for i := range b.Writes {
		w := &b.Writes[i]
		s := mods[w.Name]
		if old := o.mods[w.Name]; old != nil && s == (share{}) {
			s = *old
		}
		s.news++
		s.bytes += size(w)
		total.news++
		total.bytes += size(w)
		mods[w.Name] = s
		if s.news > maxModWrites || s.bytes > maxModBytes || total.news > maxQueuedWrites || total.bytes > maxQueuedBytes {
			return "too many changes wait for the fleet"
		}
	}
	return ""
}

// count adds a batch to the shares of its mods, or takes it away.
func (o *outbox) count(b bus.Batch, sign int) {
	for i := range b.Writes {
		w := &b.Writes[i]
		s := o.mods[w.Name]
		if s == nil {
			s = &share{}
			o.mods[w.Name] = s
		}
		s.news += sign
		s.bytes += sign * size(w)
		o.total.news += sign
		o.total.bytes += sign * size(w)
		if s.news == 0 {
			delete(o.mods, w.Name)
		}
	}
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// next waits for the oldest batch. It stays in the queue until ended. No batch: the end.
func (o *outbox) next(ctx context.Context) (b bus.Batch, ok bool) {
	for {
		o.mu.Lock()
		if len(o.list) > 0 {
			b = o.list[0]
			o.mu.Unlock()
			return b, true
		}
		closed := o.closed
		o.mu.Unlock()
		if closed {
			return b, false
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return b, false
		}
	}
}

// ended takes the oldest batch out, with the outcome of its keys.
func (o *outbox) ended(out bus.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.list[0]
	o.list[0] = bus.Batch{}
	o.list = o.list[1:]
	o.count(b, -1)
	for i := range b.Writes {
		l := link{batch: b.Number, failed: out.Err != ""}
		if !l.failed {
			l.rev = out.Revs[i]
		}
		p := place{b.Writes[i].Name, b.Writes[i].Key}
		o.links[p] = l
		o.places[b.Number] = append(o.places[b.Number], p)
	}
}

// link returns the outcome to which a write is chained.
func (o *outbox) link(p place) (l link, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	l, ok = o.links[p]
	return l, ok
}

// taken forgets the links of a batch whose outcome the loop has taken.
func (o *outbox) taken(number uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, p := range o.places[number] {
		if o.links[p].batch == number {
			delete(o.links, p)
		}
	}
	delete(o.places, number)
}

// close ends the queue once it is empty, and returns how many batches wait.
func (o *outbox) close() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.signal()
	return len(o.list)
}

func (o *outbox) waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.list)
}
