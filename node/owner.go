package node

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/logs"
)

const (
	flushTime = 500 * time.Millisecond // an ending node waits this long for queued events to arrive
	leaveTime = time.Second            // and then this long for the peers to hear of the end
)

// Hooks let a program take part in the loop of a node. They run on the goroutine of Run. Each may
// be nil.
type Hooks struct {
	// BeforeTick runs before each tick. Here a program runs console lines and reads its keyboard.
	BeforeTick func()
	// AfterRound runs each time the loop has done its work. Here a program draws. tick is when the
	// next tick is due.
	AfterRound func(now, tick netcore.Time)
	// Due says when AfterRound must run again; netcore.Never leaves that to the loop.
	Due func() netcore.Time
}

// owner is the state of the goroutine of Run: the sides of the node, its time, its queue of functions,
// and its orderly end.
type owner struct {
	*posts
	from    surroundings
	hooks   Hooks
	log     *slog.Logger
	warned  *logs.Warnings
	sides   []*side             // of a server with a local client: the server, then the client
	outputs []func(text string) // get the output of the console
	before  []func()            // run before each tick
	ready   bool                // console lines may run: the server is up, the client is in the game
	ending  *ending

	mu      sync.Mutex // guards the fields below
	running chan struct{}
	cancel  context.CancelFunc
	closed  bool
}

// ending is an orderly end: the mods of the server learn of it, queued events leave, then the peers are
// told.
type ending struct {
	err     error // returned by Run
	reason  string
	restart bool // clients are told to come back
	since   netcore.Time
	asked   bool // the mods of the server have stored what they keep
	told    bool
}

func newOwner(cfg Common, from surroundings) *owner {
	o := &owner{posts: newPosts(), from: from, hooks: cfg.Hooks, log: cfg.Log}
	if o.log == nil {
		o.log = slog.New(slog.DiscardHandler)
	}
	o.log, o.warned = logs.Watch(o.log)
	if cfg.Output != nil {
		o.outputs = append(o.outputs, cfg.Output)
	}
	return o
}

// now is the time since the node was made.
func (o *owner) now() netcore.Time { return o.from.Clock() }

// print passes output of the console to all outputs.
func (o *owner) print(text string) {
	for _, output := range o.outputs {
		output(text)
	}
}

// AddOutput lets f also get the output of the console.
func (o *owner) AddOutput(f func(text string)) { o.outputs = append(o.outputs, f) }

// Before lets functions run before each tick, behind the earlier ones and before those of the program.
func (o *owner) Before(f ...func()) { o.before = append(o.before, f...) }

// Ending reports whether an end has begun.
func (o *owner) Ending() bool { return o.ending != nil }

// Stay gives up an end that has begun.
func (o *owner) Stay() { o.ending = nil }

// Err returns what Run returns because of the end.
func (o *owner) Err() error { return o.ending.err }

// beforeTick runs the functions for the start of a tick.
func (o *owner) beforeTick() {
	for _, f := range o.before {
		f()
	}
	if o.hooks.BeforeTick != nil {
		o.hooks.BeforeTick()
	}
}

// afterRound runs the program's part of a round.
func (o *owner) afterRound(tick netcore.Time) {
	if o.hooks.AfterRound != nil {
		o.hooks.AfterRound(o.now(), tick)
	}
}

// hooksDue is when the program wants its part of a round.
func (o *owner) hooksDue() netcore.Time {
	if o.hooks.Due != nil {
		return o.hooks.Due()
	}
	return netcore.Never
}

// quit begins the end. Only the first call counts.
func (o *owner) quit(reason string, err error) {
	if o.ending == nil {
		o.ending = &ending{err: err, reason: reason, since: o.now()}
	}
}

// restart begins the end of a server that starts again soon.
func (o *owner) restart(reason string) {
	if o.ending == nil {
		o.ending = &ending{err: ErrRestart, reason: reason, restart: true, since: o.now()}
	}
}

// over carries the end on. It reports whether the end is complete.
func (o *owner) over() bool {
	e := o.ending
	if e == nil {
		return false
	}
	if !e.asked {
		e.asked = true
		for _, s := range o.sides {
			if s.host.IsServer() {
				s.tellEnding(e.restart)
			}
		}
	}
	age := o.now() - e.since
	if !e.told {
		if !o.flushed() && age < flushTime {
			return false
		}
		for _, s := range o.sides {
			s.shutdown(o.now(), e.restart, e.reason)
		}
		e.told, e.since = true, o.now()
		return false
	}
	return o.silent() || age >= leaveTime
}

// flushed reports whether all posted events have arrived.
func (o *owner) flushed() bool {
	for _, s := range o.sides {
		for _, c := range s.host.Connections() {
			if !c.Bot() && !c.Events().Idle() {
				return false
			}
		}
	}
	return true
}

// silent reports whether no side has anything left to send.
func (o *owner) silent() bool {
	for _, s := range o.sides {
		if s.host.Due(o.now()) != netcore.Never {
			return false
		}
	}
	return true
}

// starting is the Start of a node.
type starting struct {
	done bool
	err  error
}

// once runs start at the first call. Later calls return the same error.
func (s *starting) once(o *owner, start func() error) error {
	if s.done {
		return s.err
	}
	if o.isClosed() {
		return ErrEnded // an open socket would stay open
	}
	s.done = true
	s.err = start()
	return s.err
}

// isClosed reports whether Close was called.
func (o *owner) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// begin lets Run start, once. The caller must call finish when Run returns.
func (o *owner) begin(ctx context.Context) (run context.Context, finish func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return nil, nil, ErrEnded
	case o.running != nil:
		return nil, nil, errors.New("node: Run can be called only once")
	}
	run, o.cancel = context.WithCancel(ctx)
	cancel, running := o.cancel, make(chan struct{})
	o.running = running
	return run, func() {
		cancel()
		o.posts.close()
		close(running)
	}, nil
}

// stop ends Run and waits for it. It returns false if it was called before.
func (o *owner) stop() bool {
	o.mu.Lock()
	first := !o.closed
	o.closed = true
	cancel, running := o.cancel, o.running
	o.mu.Unlock()
	if running != nil {
		cancel()
		<-running
	}
	o.posts.close()
	return first
}
