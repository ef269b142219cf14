package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// writer writes the batches of a bucket, one after another.
type writer struct {
	bus    *fleetBus
	bucket *bucket
	out    *outbox

	tries  uint64    // batches of this process
	record uint64    // revision of the record of this server
	known  bool      // record is right, as far as this server knows
	silent time.Time // since when NATS has not taken the batch; zero: it has
	again  time.Duration
}

func (w *writer) run() {
	for {
		b, ok := w.out.next(w.bus.ctx)
		if !ok {
			return
		}
		out, ok := w.save(b)
		if !ok {
			return // the bus has ended: nobody knows
		}
		out.Number = b.Number
		w.out.ended(out)
		w.bus.in.outcome(b.Writes[0].Group, out)
	}
}

// A change is what a batch does to one key.
type change struct {
	place
	data     []byte
	expected uint64 // revision that the key must have
	free     bool   // the writer saw no value: it agrees with a deleted one
}

// A job is a batch on its way.
type job struct {
	bus.Batch
	changes []change
	of      []int // change of each write
	stamp   stamp
	unsure  bool // an attempt had no answer, and can still land
}

const conflict = "another server has changed the value"

func conflicted() bus.Outcome { return bus.Outcome{Conflict: true, Err: conflict} }

// save writes a batch and waits until its outcome is known. It reports false if the bus ended
// before.
func (w *writer) save(b bus.Batch) (out bus.Outcome, ok bool) {
	j, ok := w.prepare(b)
	if !ok {
		return conflicted(), true
	}
	w.silent, w.again = time.Time{}, 0
	defer w.bus.mended("silence of " + w.bucket.name)
	for {
		epoch, _, _, err := w.bucket.ready(w.bus.ctx)
		if err != nil {
			return out, false
		}
		if epoch != b.Epoch {
			w.known = false
			return conflicted(), true
		}
		if out, ok = w.attempt(j); ok {
			return out, true
		}
		if w.bus.ctx.Err() != nil {
			return out, false
		}
		w.pause()
	}
}

// prepare finds what each key must be. It fails if a write is chained to one that has failed.
func (w *writer) prepare(b bus.Batch) (j *job, ok bool) {
	w.tries++
	j = &job{Batch: b, stamp: stamp{w.bus.process, w.tries}}
	index := map[place]int{}
	for i := range b.Writes {
		p := place{b.Writes[i].Name, b.Writes[i].Key}
		at, known := index[p]
		if !known {
			c := change{place: p, expected: uint64(b.Writes[i].Base), free: b.Writes[i].Base == 0}
			if b.Writes[i].Chained {
				l, linked := w.out.link(p)
				if linked && l.failed {
					return nil, false
				}
				if linked {
					c.expected, c.free = uint64(l.rev), false
				}
			}
			at = len(j.changes)
			index[p] = at
			j.changes = append(j.changes, c)
		}
		j.changes[at].data = b.Writes[i].Data
		j.of = append(j.of, at)
	}
	return j, true
}

// pause waits before the next attempt, longer each time.
func (w *writer) pause() {
	w.again = min(max(2*w.again, 20*time.Millisecond), time.Second)
	pause(w.bus.ctx, w.again)
}

// attempt tries to write the batch once, and looks what became of it. It reports whether that is
// known.
func (w *writer) attempt(j *job) (out bus.Outcome, ok bool) {
	if j.unsure || !w.known {
		if out, ok = w.look(j); ok || !w.known {
			return out, ok
		}
	}
	denied := w.bus.line.watchRefusal(w.bucket.subject(""))
	seq, err := w.publish(j, denied)
	switch {
	case err == nil:
		return w.landed(j, seq), true
	case errors.Is(err, errDenied):
		return bus.Outcome{Err: "NATS does not let this server write to " + w.bucket.name}, true
	case refusal(err, errRevisionChanges):
		return out, false // not written: later
	case refusal(err, tooMany, errIncomplete): // likewise; a full disk makes batches incomplete for ever
		w.unanswered()
		return out, false
	case refusal(err, errWrongRevision):
		return w.compare(j)
	case refusal(err) && !j.unsure:
		return bus.Outcome{Err: "the fleet does not store the value: " + clean(err.Error())}, true
	case errors.Is(err, nats.ErrMaxPayload):
		return bus.Outcome{Err: "a value is larger than NATS takes: raise its max_payload"}, true
	case errors.Is(err, nats.ErrNoResponders):
		w.bucket.again() // there is no such stream any more, or no leader
		return out, false
	}
	j.unsure = true
	w.unanswered()
	return out, false
}

var errDenied = errors.New("denied")

// publish sends the messages of a batch: one for each key, and the record.
func (w *writer) publish(j *job, denied <-chan struct{}) (seq uint64, err error) {
	ctx, cancel := context.WithCancel(w.bus.ctx)
	defer cancel()
	refused := make(chan struct{})
	go func() {
		select {
		case <-denied:
			close(refused)
			cancel()
		case <-ctx.Done():
		}
	}()
	list := make([]*nats.Msg, 0, len(j.changes)+1)
	for i := range j.changes {
		c := &j.changes[i]
		more := i+1 < len(j.changes) && j.changes[i+1].group == c.group
		m := message(w.bucket.value(c.group, c.key), content{owner: w.bus.name, batch: j.stamp, more: more, data: c.data}.encode())
		expect(m, c.expected)
		list = append(list, m)
	}
	m := message(w.bucket.subject(recordKey+w.bus.name), encodeStamp(j.stamp))
	expect(m, w.record)
	seq, err = publishBatch(ctx, w.bus.nc, append(list, m))
	if err != nil {
		select {
		case <-refused:
			return 0, errDenied
		default:
		}
	}
	return seq, err
}

// landed returns the outcome of a batch whose record has a revision: those of its keys are the ones
// before.
func (w *writer) landed(j *job, record uint64) (out bus.Outcome) {
	w.record, w.known = record, true
	w.bucket.saw(j.Epoch, record)
	first := record - uint64(len(j.changes))
	for _, at := range j.of {
		out.Revs = append(out.Revs, bus.Revision(first+uint64(at)))
	}
	return out
}

// look asks the leader for the record of this server: it says whether the batch is there.
func (w *writer) look(j *job) (out bus.Outcome, ok bool) {
	m, err := last(w.bus.ctx, w.bus.nc, w.bucket.stream(), w.bucket.subject(recordKey+w.bus.name))
	if err != nil {
		w.known = false
		w.unanswered()
		return out, false
	}
	w.record, w.known = m.Seq, true
	if s, err := decodeStamp(m.Data); err == nil && s == j.stamp {
		return w.landed(j, m.Seq), true
	}
	return out, false
}

// compare finds out why a batch was refused by revision: it is there, the record is older than
// another process of this server, a key was deleted, or another server was first.
func (w *writer) compare(j *job) (out bus.Outcome, ok bool) {
	before := w.record
	if out, ok = w.look(j); ok || !w.known || w.record != before {
		return out, ok
	}
	seen := map[bus.Group]uint64{}
	for i := range j.changes {
		c := &j.changes[i]
		m, err := last(w.bus.ctx, w.bus.nc, w.bucket.stream(), w.bucket.value(c.group, c.key))
		if err != nil {
			w.unanswered()
			return out, false
		}
		if m.Seq == c.expected {
			continue
		}
		if content, err := decodeContent(m.Data); c.free && (err != nil || content.data == nil) {
			c.expected = m.Seq
			continue
		}
		g := bus.Group{Bucket: j.Writes[0].Bucket, Name: c.group}
		seen[g] = max(seen[g], m.Seq)
	}
	if len(seen) == 0 {
		return out, false // it now agrees with a deletion, or a message of another server has not landed
	}
	w.show(seen)
	return conflicted(), true
}

const showTime = time.Second

// show waits until the loop has the values to which a batch has lost: a mod that is told of the
// conflict then sees them.
func (w *writer) show(seen map[bus.Group]uint64) {
	ctx, cancel := context.WithTimeout(w.bus.ctx, showTime)
	defer cancel()
	for g, seq := range seen { // any order: all are waited for
		if f := w.bus.follower(g); f != nil {
			f.wait(ctx, seq)
		}
	}
}

// silentLimit is how long NATS takes no write before the operator is told.
const silentLimit = 10 * time.Second

// unanswered notes that NATS has not taken the batch.
func (w *writer) unanswered() {
	if _, up, _ := w.bus.line.state(); !up {
		w.silent = time.Time{}
		return
	}
	if w.silent.IsZero() {
		w.silent = time.Now()
	}
	if time.Since(w.silent) >= silentLimit {
		w.bus.warn("silence of "+w.bucket.name, fmt.Sprintf(
			"the fleet stores nothing in %s: NATS has taken no write for %v. If its disk is full, make room and restart NATS",
			w.bucket.name, silentLimit))
	}
}
