package natsfleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// bucket is a stream with values.
type bucket struct {
	keys
	bus *fleetBus

	mu      sync.Mutex
	checked uint64    // the connection over which the bucket was looked at; 0: look again
	epoch   bus.Epoch // the zero one before the first look
	seen    uint64    // highest revision
	wrong   time.Time // since when it is refused

	earlier struct { // what this server has seen in earlier runs
		sync.Mutex
		epoch bus.Epoch
		seen  uint64
	}
}

func newBucket(b *fleetBus, name string) *bucket {
	return &bucket{keys: keys{b.config.prefix() + "_" + name}, bus: b}
}

// settings are those of a stream that torc depends on.
type settings struct {
	Name     string        `json:"name"`
	Subjects []string      `json:"subjects"`
	Latest   int           `json:"max_msgs_per_subject"`
	MaxAge   time.Duration `json:"max_age"`
	MaxSize  int           `json:"max_msg_size"`
	Storage  string        `json:"storage"`
	Replicas int           `json:"num_replicas"`
	Discard  string        `json:"discard"`
	Atomic   bool          `json:"allow_atomic"`
	Direct   bool          `json:"allow_direct"`
	Deny     bool          `json:"deny_delete"`
}

const (
	maxMessage = 640 << 10 // bytes of a message with a value, its headers included
	inMemory   = "memory"
	inFiles    = "file"
)

func (k keys) settings(servers int) settings {
	s := settings{Name: k.stream(), Subjects: []string{k.all()}, Latest: 1, MaxSize: maxMessage, Storage: inFiles, Replicas: 1, Discard: "new", Atomic: true, Direct: true, Deny: true}
	if servers >= 3 {
		s.Replicas = 3
	}
	return s
}

// check says what is wrong with the settings of a stream, and the command that mends it.
func (s settings) check(is settings) string {
	edit := "nats stream edit " + s.Name + " "
	switch {
	case is.Replicas < s.Replicas:
		return fmt.Sprintf("the bucket %s has %d replica of %d: run %s--replicas %d", s.Name, is.Replicas, s.Replicas, edit, s.Replicas)
	case !is.Atomic && s.Atomic:
		return fmt.Sprintf("the bucket %s takes no atomic batches: run %s--allow-batch", s.Name, edit)
	case is.MaxAge != s.MaxAge:
		return fmt.Sprintf("the bucket %s forgets values after %v: run %s--max-age %s", s.Name, is.MaxAge, edit, s.MaxAge)
	case is.Latest != s.Latest:
		return fmt.Sprintf("the bucket %s keeps %d messages of a key: run %s--max-msgs-per-subject 1", s.Name, is.Latest, edit)
	case is.Storage != s.Storage:
		return fmt.Sprintf("the bucket %s is stored in the wrong place (%s): back it up, remove it, and restore it", s.Name, is.Storage)
	}
	return ""
}

type streamInfo struct {
	Config settings `json:"config"`
	State  struct {
		Last uint64 `json:"last_seq"`
	} `json:"state"`
}

func (k keys) info(ctx context.Context, nc *nats.Conn) (i streamInfo, err error) {
	return i, request(ctx, nc, "STREAM.INFO."+k.stream(), struct{}{}, &i)
}

// create makes the stream. Another server can do it at the same time.
func (k keys) create(ctx context.Context, nc *nats.Conn, s settings) (i streamInfo, err error) {
	if err = request(ctx, nc, "STREAM.CREATE."+k.stream(), s, &i); refusal(err) {
		if old, again := k.info(ctx, nc); again == nil {
			return old, nil
		}
	}
	return i, err
}

var (
	errLost      = errors.New("the bucket is empty, although this server has seen values in it: run torc fleet restore")
	errOlder     = errors.New("the bucket is an older copy of what this server has seen: run torc fleet restore")
	errOther     = errors.New("the bucket is not the one that this server has seen: run torc fleet restore")
	errRestoring = errors.New("the bucket is being restored")
)

// recalls notes what this server has seen of the bucket in earlier runs. It does not wait for a
// look.
func (b *bucket) recalls(e bus.Epoch, seen uint64) {
	b.earlier.Lock()
	defer b.earlier.Unlock()
	b.earlier.epoch, b.earlier.seen = e, seen
}

// recall takes over what this server has seen in earlier runs, if it has seen nothing in this one.
func (b *bucket) recall() {
	b.earlier.Lock()
	defer b.earlier.Unlock()
	if b.epoch == (bus.Epoch{}) {
		b.epoch, b.seen = b.earlier.epoch, b.earlier.seen
	}
}

const lookAgain = 500 * time.Millisecond

// ready waits until the bucket can be read and written over the present connection. It returns the
// number of that connection, and the highest revision that is known.
func (b *bucket) ready(ctx context.Context) (e bus.Epoch, seen, number uint64, err error) {
	for b.bus.line.wait(ctx) {
		number, _, _ = b.bus.line.state()
		if e, seen, err = b.look(ctx, number); err == nil {
			return e, seen, number, nil
		}
		pause(ctx, lookAgain)
	}
	return e, 0, 0, ctx.Err()
}

// look looks at the bucket once over each connection. It returns the highest revision that is
// known.
func (b *bucket) look(ctx context.Context, number uint64) (bus.Epoch, uint64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.checked == number {
		return b.epoch, b.seen, nil
	}
	b.recall()
	info, l, err := b.fetch(ctx)
	if err == nil {
		err = b.judge(l, info.State.Last)
	}
	if err != nil {
		b.refused(err)
		return b.epoch, b.seen, err
	}
	b.bus.mended("bucket " + b.name)
	b.wrong = time.Time{}
	b.checked, b.epoch = number, l.Epoch
	b.seen = max(b.seen, info.State.Last)
	return b.epoch, b.seen, nil
}

// refuseTime is how long a bucket is wrong before the operator is told: a new leader can lag.
const refuseTime = 3 * time.Second

func (b *bucket) refused(err error) {
	if b.wrong.IsZero() {
		b.wrong = time.Now()
	}
	if time.Since(b.wrong) < refuseTime || b.bus.ctx.Err() != nil {
		return
	}
	why := err.Error()
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		why = "NATS has no JetStream, or the bucket has no leader"
	case errors.Is(err, context.DeadlineExceeded):
		why = "NATS does not answer, or does not let this server make the bucket"
	}
	b.bus.warn("bucket "+b.name, b.name+": "+clean(why))
}

// fetch reads the settings and the epoch, and makes what is missing at a first start.
func (b *bucket) fetch(ctx context.Context) (i streamInfo, l life, err error) {
	nc, want := b.bus.nc, b.settings(len(b.bus.config.URLs))
	i, err = b.info(ctx, nc)
	if refusal(err, errNoStream) {
		if b.epoch != (bus.Epoch{}) {
			return i, l, errLost
		}
		i, err = b.create(ctx, nc, want)
	}
	if err != nil {
		return i, l, err
	}
	if wrong := want.check(i.Config); wrong != "" {
		b.bus.warn("settings of "+b.name, wrong)
	}
	m, err := last(ctx, nc, b.stream(), b.subject(epochKey))
	switch {
	case err != nil:
		return i, l, err
	case m.Seq > 0:
		l, err = decodeLife(m.Data)
		return i, l, err
	case b.epoch != (bus.Epoch{}):
		return i, l, errLost
	}
	l = life{Epoch: bus.Epoch{Count: 1, ID: draw()}}
	_, err = put(ctx, nc, message(b.subject(epochKey), l.encode()), 0)
	return i, l, err
}

// judge says why a life of the bucket is not taken.
func (b *bucket) judge(l life, last uint64) error {
	known := b.epoch != (bus.Epoch{})
	switch {
	case l.restoring:
		return errRestoring
	case known && l.Epoch == b.epoch && last < b.seen:
		return errOlder
	case known && l.Epoch != b.epoch && !l.Follows(b.epoch):
		return errOther
	}
	if l.Epoch != b.epoch {
		b.seen = 0 // revisions of another life
	}
	return nil
}

// again makes the next ready look again.
func (b *bucket) again() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checked = 0
}

// saw notes a revision.
func (b *bucket) saw(e bus.Epoch, seq uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e == b.epoch {
		b.seen = max(b.seen, seq)
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
