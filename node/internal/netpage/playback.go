package netpage

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
)

// A Rerun is a server that runs again from its journal.
type Rerun interface {
	Next() error        // runs to the end of the next tick, with the packets that follow it
	Tick() uint64       // ticks so far
	Now() time.Duration // the time of the server
	Difference() string // the first difference from the journal, "" if there is none
	Taker() *Taker
	Close() error
}

// PlaybackConfig is what a Playback plays, and how it begins.
type PlaybackConfig struct {
	Open  func() (Rerun, error) // makes the server, before its first tick
	Last  uint64                // the last tick to show
	Marks []Mark
	Clock func() time.Duration
	From  uint64  // the tick to begin at
	Speed float64 // from the first snapshot on; 0 pauses
}

// A Playback is the Timeline of a journal. The server belongs to the goroutine of Run. A journal
// has no state in its middle, so to go back, the server runs again from the beginning.
type Playback struct {
	cfg      PlaybackConfig
	requests chan func()
	done     chan struct{} // closed when Run has ended

	rerun   Rerun
	past    past
	seeking bool
	goal    uint64        // the tick to seek
	arrived chan struct{} // closed when it is reached
	speed   float64
	looked  bool          // the first snapshot was taken: nothing plays before
	since   time.Duration // of Clock, when it began to play at this speed
	then    time.Duration // of the server, at that moment
	ended   error         // why the journal has no further tick; nil: it has one
}

// errEnded is the answer to pages of a Playback that has ended.
var errEnded = errors.New("the replay has ended")

// NewPlayback makes a Playback. Run runs it.
func NewPlayback(cfg PlaybackConfig) *Playback {
	p := &Playback{cfg: cfg, requests: make(chan func()), done: make(chan struct{}), speed: cfg.Speed}
	p.seek(cfg.From)
	return p
}

// Run runs the server until ctx ends. The error is one of making or closing the server.
func (p *Playback) Run(ctx context.Context) (err error) {
	defer close(p.done)
	if p.rerun, err = p.cfg.Open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.rerun.Close()) }()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for ctx.Err() == nil {
		timer.Reset(max(p.wait(), 0))
		select {
		case f := <-p.requests:
			f()
		case <-timer.C:
			if p.wait() <= 0 {
				err = p.advance()
			}
		case <-ctx.Done():
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rest is how long a Playback waits that has nothing to do.
const rest = time.Hour

// wait returns when the next call of advance is due: at once if it is 0 or less.
func (p *Playback) wait() time.Duration {
	switch {
	case p.seeking:
		return 0
	case !p.looked || p.speed == 0 || p.over():
		return rest
	}
	wait := float64(p.rerun.Now()-p.then)/p.speed - float64(p.cfg.Clock()-p.since)
	return time.Duration(min(wait, float64(rest))) // at a speed near 0, it exceeds a Duration
}

// over reports whether there is no further tick.
func (p *Playback) over() bool { return p.ended != nil || p.rerun.Tick() >= p.cfg.Last }

// advance runs a tick, or begins again to go back. The error is one of making or closing the
// server.
func (p *Playback) advance() error {
	if p.seeking && p.goal < p.rerun.Tick() {
		return p.again()
	}
	if p.rerun.Tick() < p.cfg.Last && (!p.seeking || p.rerun.Tick() != p.goal) {
		p.next()
	}
	if p.seeking && (p.over() || p.rerun.Tick() >= p.goal) {
		p.arrive()
	}
	if p.over() {
		p.speed = 0
	}
	return nil
}

// next runs a tick, and adds the samples of the graphs.
func (p *Playback) next() {
	if p.ended = p.rerun.Next(); p.ended == nil && p.rerun.Tick()%sampleTicks == 0 {
		p.past.add(p.rerun.Taker())
	}
}

// again begins again with the first tick.
func (p *Playback) again() error {
	next, err := p.cfg.Open()
	if err != nil {
		return err
	}
	err = p.rerun.Close()
	p.rerun, p.ended = next, nil
	p.past.clear()
	return err
}

// pace plays at the speed from the present on.
func (p *Playback) pace() { p.since, p.then = p.cfg.Clock(), p.rerun.Now() }

// seek runs to a tick as fast as possible. Before the first tick there is no game to show.
func (p *Playback) seek(tick uint64) {
	if !p.seeking {
		p.seeking, p.arrived = true, make(chan struct{})
	}
	p.goal = min(max(tick, 1), p.cfg.Last)
}

// arrive ends a seek.
func (p *Playback) arrive() {
	p.seeking = false
	close(p.arrived)
	p.pace()
}

// Take implements Source. During a seek it first waits for its end, up to the time between two
// snapshots.
func (p *Playback) Take(ctx context.Context, w Want, s *Snapshot) error {
	var arrived chan struct{}
	look := func() {
		if p.seeking {
			arrived = p.arrived
		}
	}
	if err := p.do(ctx, look); err != nil {
		return err
	}
	if arrived != nil {
		late := time.NewTimer(interval)
		defer late.Stop()
		select {
		case <-arrived:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	return p.do(ctx, func() { p.take(w, s) })
}

func (p *Playback) take(w Want, s *Snapshot) {
	if !p.looked {
		p.looked = true
		p.pace()
	}
	p.rerun.Taker().Take(w, s)
	tick := p.rerun.Tick()
	c := &Course{
		Tick: tick, Last: p.cfg.Last, Goal: tick, Speed: p.speed, Why: p.why(),
		Past: p.past.since([]Sample{}, w.After, sim.ID(s.Map.Client)), Newest: p.past.newest,
	}
	if p.seeking {
		c.Goal = p.goal
	}
	if w.After == 0 {
		c.Marks = p.cfg.Marks
	}
	s.Course = c
}

// why says that this is not what the server did, or not all of it; "" if it is.
func (p *Playback) why() string {
	switch d := p.rerun.Difference(); {
	case d != "":
		return "the replay differs from the recorded server: " + console.Clean(d)
	case errors.Is(p.ended, io.EOF):
		return "the journal ends here"
	case p.ended != nil:
		return console.Clean(p.ended.Error())
	}
	return ""
}

// Steer implements Timeline.
func (p *Playback) Steer(ctx context.Context, s Steering) error {
	return p.do(ctx, func() { p.steer(s) })
}

// steer changes the speed, and then seeks. A playback that has ended begins anew if it plays on.
func (p *Playback) steer(s Steering) {
	if s.Paces {
		p.speed = s.Speed
		p.pace()
		if s.Speed > 0 && p.over() && !p.seeking {
			p.seek(0)
		}
	}
	if s.Seeks {
		p.seek(s.Tick)
	}
}

// do runs a function on the goroutine of Run.
func (p *Playback) do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case p.requests <- func() { f(); close(done) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-p.done:
		return errEnded
	}
	<-done
	return nil
}
