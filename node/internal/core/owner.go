package core

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/logs"
)

const (
	flushTime = 500 * time.Millisecond // an ending node waits this long for queued events to arrive
	leaveTime = time.Second            // and then this long for the peers to hear of the end
)

// ErrRestart is the result of Run when the server is to start again.
var ErrRestart = errors.New("node: the server is to start again")

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

// Owner is the state of the goroutine of Run: the sides of the node, its time, its queue of
// functions, and its orderly end.
type Owner struct {
	*Posts
	From    Surroundings
	hooks   Hooks
	Log     *slog.Logger
	Warned  *logs.Warnings
	Sides   []*Side             // of a server with a local client: the server, then the client; of another client: see Swap
	outputs []func(text string) // get the output of the console
	before  []func()            // run before each tick
	after   []func()            // run after each tick
	Ready   bool                // console lines may run: the server is up, the client is in the game
	ending  *ending

	mu      sync.Mutex // guards the fields below
	running chan struct{}
	cancel  context.CancelFunc
	closed  bool
}

// ending is an orderly end: the mods of the server learn of it, queued events leave, then the peers
// are told.
type ending struct {
	err     error // returned by Run
	reason  string
	restart bool // clients are told to come back
	since   netcore.Time
	asked   bool // the mods of the server have stored what they keep
	told    bool
}

// NewOwner returns the owner of a node that nobody runs yet.
func NewOwner(cfg Common, from Surroundings) *Owner {
	o := &Owner{Posts: NewPosts(), From: from, hooks: cfg.Hooks, Log: cfg.Log}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log, o.Warned = logs.Watch(o.Log)
	if cfg.Output != nil {
		o.outputs = append(o.outputs, cfg.Output)
	}
	return o
}

// Now is the time since the node was made.
func (o *Owner) Now() netcore.Time { return o.From.Clock() }

// Print passes output of the console to all outputs.
func (o *Owner) Print(text string) {
	for _, output := range o.outputs {
		output(text)
	}
}

// AddOutput lets f also get the output of the console.
func (o *Owner) AddOutput(f func(text string)) { o.outputs = append(o.outputs, f) }

// Before lets functions run before each tick, behind the earlier ones and before those of the
// program.
func (o *Owner) Before(f ...func()) { o.before = append(o.before, f...) }

// After lets a function run after each tick and what the sides have sent then, behind the earlier
// ones.
func (o *Owner) After(f func()) { o.after = append(o.after, f) }

// Ending reports whether an end has begun.
func (o *Owner) Ending() bool { return o.ending != nil }

// Stay gives up an end that has begun.
func (o *Owner) Stay() { o.ending = nil }

// Err returns what Run returns because of the end.
func (o *Owner) Err() error { return o.ending.err }

// BeforeTick runs the functions for the start of a tick.
func (o *Owner) BeforeTick() {
	for _, f := range o.before {
		f()
	}
	if o.hooks.BeforeTick != nil {
		o.hooks.BeforeTick()
	}
}

// afterTick runs the functions for the end of a tick.
func (o *Owner) afterTick() {
	for _, f := range o.after {
		f()
	}
}

// AfterRound runs the program's part of a round.
func (o *Owner) AfterRound(tick netcore.Time) {
	if o.hooks.AfterRound != nil {
		o.hooks.AfterRound(o.Now(), tick)
	}
}

// hooksDue is when the program wants its part of a round.
func (o *Owner) hooksDue() netcore.Time {
	if o.hooks.Due != nil {
		return o.hooks.Due()
	}
	return netcore.Never
}

// Quit begins the end. Only the first call counts.
func (o *Owner) Quit(reason string, err error) {
	if o.ending == nil {
		o.ending = &ending{err: err, reason: reason, since: o.Now()}
	}
}

// Restart begins the end of a server that starts again soon.
func (o *Owner) Restart(reason string) {
	if o.ending == nil {
		o.ending = &ending{err: ErrRestart, reason: reason, restart: true, since: o.Now()}
	}
}

// Leave begins the end of a server that can start again: its clients try to come back.
func (o *Owner) Leave(reason string) {
	if o.ending == nil {
		o.ending = &ending{reason: reason, restart: true, since: o.Now()}
	}
}

// Over carries the end on. It reports whether the end is complete.
func (o *Owner) Over() bool {
	e := o.ending
	if e == nil {
		return false
	}
	if !e.asked {
		e.asked = true
		for _, s := range o.Sides {
			if s.Host.IsServer() {
				s.TellEnding(e.restart)
			}
		}
		e.since = o.Now() // packets of mods get the whole flushTime, however long onShutdown took
	}
	age := o.Now() - e.since
	if !e.told {
		if !o.flushed() && age < flushTime {
			return false
		}
		for _, s := range o.Sides {
			s.Shutdown(o.Now(), e.restart, e.reason)
		}
		e.told, e.since = true, o.Now()
		return false
	}
	return o.silent() || age >= leaveTime
}

// flushed reports whether all posted events have arrived.
func (o *Owner) flushed() bool {
	for _, s := range o.Sides {
		for _, c := range s.Host.Connections() {
			if !c.Bot() && !c.Events().Idle() {
				return false
			}
		}
	}
	return true
}

// silent reports whether no side has anything left to send.
func (o *Owner) silent() bool {
	for _, s := range o.Sides {
		if s.Host.Due(o.Now()) != netcore.Never {
			return false
		}
	}
	return true
}

// Starting is the Start of a node.
type Starting struct {
	Done bool
	err  error
}

// Once runs start at the first call. Later calls return the same error.
func (s *Starting) Once(o *Owner, start func() error) error {
	if s.Done {
		return s.err
	}
	if o.isClosed() {
		return ErrEnded // an open socket would stay open
	}
	s.Done = true
	s.err = start()
	return s.err
}

// isClosed reports whether Close was called.
func (o *Owner) isClosed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// Begin lets Run start, once. The caller must call finish when Run returns.
func (o *Owner) Begin(ctx context.Context) (run context.Context, finish func(), err error) {
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
		o.Posts.close()
		close(running)
	}, nil
}

// Stop ends Run and waits for it. It returns false if it was called before.
func (o *Owner) Stop() bool {
	o.mu.Lock()
	first := !o.closed
	o.closed = true
	cancel, running := o.cancel, o.running
	o.mu.Unlock()
	if running != nil {
		cancel()
		<-running
	}
	o.Posts.close()
	return first
}

// QuitCommand is `quit`.
func QuitCommand(o *Owner) console.Command {
	return console.Command{
		Name: "quit", Params: "[REASON]", Help: "ends the process after telling every peer why",
		Run: func(args []string) (string, error) { o.Quit(strings.Join(args, " "), nil); return "", nil },
	}
}
