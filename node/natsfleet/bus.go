package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/torc-engine/torc/internal/names"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A fleetBus is the bus of one server.
type fleetBus struct {
	config  Config
	name    string // of the server; "" only looks
	key     seal.Key
	process uint64 // random, of this process
	nc      *nats.Conn
	ctx     context.Context
	end     context.CancelFunc
	work    sync.WaitGroup // goroutines that end with ctx
	writers sync.WaitGroup

	in       *inbox
	line     *line
	tally    *tally
	buckets  map[bus.Bucket]*bucket
	out      map[bus.Bucket]*outbox
	presence *presence
	talk     *talk

	follows  sync.Mutex
	followed map[bus.Group]*follower
	closed   bool // the loop's
}

// openTime is how long a start waits for NATS.
const openTime = 3 * time.Second

// Open joins a fleet as a server with a name and a key. Without a name, it only looks. A NATS that
// does not answer is no error: the bus goes on trying. A name of a server that lives is one.
func (c Config) Open(self bus.Server) (bus.Bus, error) {
	name, key := self.Name, self.Key
	if err := c.Check(); err != nil {
		return nil, err
	}
	if name != "" && !names.Server(name) {
		return nil, fmt.Errorf("%q is not the name of a server: 1 to %d of a-z, 0-9 and -", name, maxName)
	}
	b := &fleetBus{config: c, name: name, key: key, process: draw(), in: newInbox(), followed: map[bus.Group]*follower{}}
	b.ctx, b.end = context.WithCancel(context.Background())
	b.tally = newTally(b)
	b.line = newLine(b)
	if err := b.connect(); err != nil {
		b.end()
		return nil, err
	}
	b.presence, b.talk = newPresence(b), newTalk(b)
	b.buckets, b.out = map[bus.Bucket]*bucket{}, map[bus.Bucket]*outbox{}
	for _, k := range []bus.Bucket{bus.Shared, bus.Lists} {
		b.buckets[k], b.out[k] = newBucket(b, string(k)), newOutbox()
	}
	if err := b.join(); err != nil {
		b.end()
		b.nc.Close()
		return nil, err
	}
	b.start()
	return b, nil
}

// join takes the name, if NATS answers soon.
func (b *fleetBus) join() error {
	if b.name == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(b.ctx, openTime)
	defer cancel()
	if !b.line.wait(ctx) {
		b.line.absent()
		return nil
	}
	err := b.presence.claim(ctx)
	var other *nameTaken
	if errors.As(err, &other) {
		return err
	}
	return nil // the presenter tries again
}

func (b *fleetBus) start() {
	for _, run := range []func(){b.line.run, b.talk.run, b.presence.watch, b.presence.run, b.tally.run(b.ctx)} {
		b.work.Go(run)
	}
	for _, k := range []bus.Bucket{bus.Shared, bus.Lists} {
		w := &writer{bus: b, bucket: b.buckets[k], out: b.out[k]}
		b.writers.Go(w.run)
	}
}

// Do queues an order.
func (b *fleetBus) Do(o bus.Order) {
	if b.closed {
		return
	}
	switch o := o.(type) {
	case bus.Present:
		b.presence.tell(o.Server)
	case bus.Send:
		b.talk.send(o)
	case bus.Ask:
		b.talk.ask(o)
	case bus.Answer:
		b.talk.answer(o)
	case bus.Follow:
		b.follow(o)
	case bus.Commit:
		b.commit(o.Batch)
	}
}

// Take returns the news since the last call, and of values as many as the loop takes at once. After
// Close it returns everything.
func (b *fleetBus) Take() []bus.News {
	list := b.in.take(b.closed)
	for _, n := range list {
		if n.Outcome != nil {
			for _, o := range b.out {
				o.taken(n.Outcome.Number)
			}
		}
	}
	return list
}

// follow begins to follow a group once.
func (b *fleetBus) follow(o bus.Follow) {
	g := o.Group
	if b.follower(g) != nil {
		return
	}
	bucket := b.buckets[g.Bucket]
	if why := checkGroup(bucket, g.Name); why != "" {
		b.warn("group "+g.Name, why)
		return
	}
	bucket.recalls(o.Epoch, uint64(o.Newest))
	f := &follower{bus: b, bucket: bucket, group: g, sound: o.Sound, passed: make(chan struct{})}
	b.follows.Lock()
	b.followed[g] = f
	b.follows.Unlock()
	b.work.Go(f.run)
}

// follower returns what follows a group; nil for none.
func (b *fleetBus) follower(g bus.Group) *follower {
	b.follows.Lock()
	defer b.follows.Unlock()
	return b.followed[g]
}

// commit queues a batch, or refuses it at once.
func (b *fleetBus) commit(batch bus.Batch) {
	if why := b.refuse(batch); why != "" {
		b.in.add(bus.News{Outcome: &bus.Outcome{Number: batch.Number, Err: why}})
		return
	}
	g := batch.Writes[0].Group
	if why := b.out[g.Bucket].add(batch); why != "" {
		b.in.outcome(g, bus.Outcome{Number: batch.Number, Err: why})
	}
}

// refuse says why a batch can never be written.
func (b *fleetBus) refuse(batch bus.Batch) string {
	if len(batch.Writes) == 0 || len(batch.Writes) > bus.MaxWrites {
		return fmt.Sprintf("a batch must have 1 to %d changes, not %d", bus.MaxWrites, len(batch.Writes))
	}
	bytes := 0
	for i := range batch.Writes {
		w := &batch.Writes[i]
		switch why := checkGroup(b.buckets[w.Bucket], w.Name); {
		case why != "":
			return why
		case w.Bucket != batch.Writes[0].Bucket:
			return "a batch must have changes of one bucket"
		case len(w.Key) == 0 || len(w.Key) > maxKey:
			return fmt.Sprintf("a key must have 1 to %d bytes, not %d", maxKey, len(w.Key))
		case len(w.Data) > maxValue:
			return fmt.Sprintf("a value must have at most %d bytes, not %d", maxValue, len(w.Data))
		}
		bytes += len(w.Data)
	}
	if bytes > bus.MaxBatch {
		return fmt.Sprintf("a batch must have at most %d bytes, not %d", bus.MaxBatch, bytes)
	}
	return ""
}

// maxGroup is the longest name of a group: that of a mod, with an end for values that were the
// store of one server.
const maxGroup = maxName + len("-store")

// checkGroup says why a group cannot be followed or written.
func checkGroup(b *bucket, name string) string {
	if b == nil {
		return "no such bucket"
	}
	good := name != "" && name[0] != '-' && len(name) <= maxGroup
	for _, c := range []byte(name) {
		good = good && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-')
	}
	if !good {
		return fmt.Sprintf("a group must have a name of 1 to %d of a-z, 0-9, _ and -, without - at its start", maxGroup)
	}
	return ""
}

// Close ends the bus.
func (b *fleetBus) Close(most time.Duration) error {
	if b.closed {
		return nil
	}
	b.closed = true
	late := time.After(most)
	for _, o := range b.out {
		o.close()
	}
	left := make(chan struct{})
	go func() {
		b.writers.Wait()
		b.presence.leave()
		b.end()
		b.nc.Close()
		b.work.Wait()
		close(left)
	}()
	select {
	case <-left:
	case <-late:
		b.end()
		go b.nc.Close() // a NATS that stands still can hold it up
	}
	waiting := 0
	for _, o := range b.out {
		waiting += o.waiting()
	}
	if waiting > 0 {
		return fmt.Errorf("%d batches of values have not reached the fleet", waiting)
	}
	return nil
}
