package node

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/pulse"
)

const (
	restTime = 250 * time.Microsecond // between two rounds without a tick
	burst    = 512                    // datagrams received before the clock is read again
)

// loop runs a server, a client, or a server with its local client on one goroutine.
type loop struct {
	*owner
	socket *socket                         // nil: there is none
	web    source                          // of browsers; nil: there is none
	out    func(to netcore.Addr, b []byte) // sends the datagrams of a stepped node; else nil
	pipe   *netcore.Pipe                   // between a server and its local client, the server's end first; else nil
	pace   pacer
	// other handles the datagrams that belong to no connection and no join. It reports whether it
	// did. nil handles none.
	other    func(from netcore.Addr, b []byte) bool
	pulse    pulse.Pulse
	phases   pulse.Phases // of a server
	crashed  func()       // runs when a panic ends the process; nil: nothing to do
	lateSaid bool         // a late tick was marked in the journal
	lateAt   netcore.Time
	tap      tap // of a client; nil: nobody captures its traffic
	stand
}

// source is where the datagrams of some peers come from, and where those to them go.
type source interface {
	Packets() <-chan *packet
	Write(to netcore.Addr, b []byte) error
}

// tap is shown the datagrams of a loop.
type tap interface {
	received(at netcore.Time, b []byte)
	sent(b []byte)
}

// run runs the loop until an end is complete.
func (l *loop) run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	l.ctx = ctx
	whole := false
	defer func() {
		if !whole && l.crashed != nil {
			l.crashed()
		}
	}()
	canceled := ctx.Done()
	for !l.over() {
		if ctx.Err() != nil && canceled != nil {
			canceled = nil
			l.quit("", nil)
		}
		timer.Reset(l.until(l.now()))
		l.wait(l.queue, timer.C, canceled)
		l.turn()
	}
	whole = true
	return l.ending.err
}

// step runs the functions that wait, and one turn. It returns io.EOF or an error when an end is complete.
func (l *loop) step() error {
	l.ctx = context.Background()
	for l.runQueued() {
	}
	if l.over() {
		return cmp.Or(l.ending.err, io.EOF)
	}
	l.turn()
	return nil
}

// runQueued runs a function that waits. It reports whether one did.
func (l *loop) runQueued() bool {
	select {
	case f := <-l.queue:
		f()
	case f := <-l.urgent:
		f()
	default:
		return false
	}
	return true
}

// turn runs the ticks that are due, or else sends what is due.
func (l *loop) turn() {
	l.goOn()
	ticks, skipped := l.pace.due(l.now(), l.sides[0].host.TickLength())
	if skipped > 0 {
		l.pulse.Skipped += uint64(skipped)
		level := slog.LevelWarn
		if !l.sides[0].host.IsServer() {
			level = slog.LevelDebug // the machine of a player slept, and they know that
		}
		l.log.Log(l.ctx, level, "the process stood still: ticks are skipped", "ticks", skipped)
	}
	for range ticks {
		l.beforeTick()
		l.round(true)
	}
	if ticks == 0 {
		l.round(false)
	}
	if l.sides[0].host.Paused() {
		l.afterRound(l.now()) // nothing moves until the next tick
	} else {
		l.afterRound(l.pace.next)
	}
}

// untilTick returns the part of the last tick of the first side that has yet to pass, 0…1.
func (l *loop) untilTick() float64 {
	host := l.sides[0].host
	if host.Paused() {
		return 0
	}
	return min(max(float64(l.pace.next-l.now())/float64(host.TickLength()), 0), 1)
}

// until is how long the loop can sleep.
func (l *loop) until(now netcore.Time) time.Duration {
	next := min(l.pace.next, l.hooksDue())
	for _, s := range l.sides {
		next = min(next, s.host.Due(now))
	}
	if next < l.pace.next {
		return max(next-now, restTime)
	}
	return max(next-now, 0)
}

// wait sleeps until something arrives or is due, and receives the packets.
func (l *loop) wait(queue <-chan func(), due <-chan time.Time, canceled <-chan struct{}) {
	var packets, fromWeb <-chan *packet
	if l.socket != nil {
		packets = l.socket.Packets()
	}
	if l.web != nil {
		fromWeb = l.web.Packets()
	}
	var first *packet // nil also if the socket is closed
	select {
	case first = <-packets:
	case first = <-fromWeb:
	case f := <-queue:
		f()
	case f := <-l.urgent:
		f()
	case <-canceled:
	case <-due:
	}
	l.phases.Start()
	if first != nil {
		l.receive(first)
	}
	l.receiveAll(packets, fromWeb)
	l.phases.End(pulse.Receive)
}

// receiveAll receives the packets that wait.
func (l *loop) receiveAll(packets, fromWeb <-chan *packet) {
	for range burst {
		select {
		case p, open := <-packets:
			if !open {
				return
			}
			l.receive(p)
		case p := <-fromWeb:
			l.receive(p)
		default:
			return
		}
	}
}

func (l *loop) receive(p *packet) {
	if l.other == nil || !l.other(p.From, p.Bytes()) {
		at := l.from.at(p.At)
		if l.tap != nil {
			l.tap.received(at, p.Bytes())
		}
		l.sides[0].receive(at, p.From, p.Bytes())
	}
	p.Free()
}

// send passes a datagram of the first side to the peer: through the pipe, to a browser, or over the
// socket.
func (l *loop) send(to netcore.Addr, b []byte) {
	if l.tap != nil {
		l.tap.sent(b)
	}
	switch {
	case l.pipe != nil && to == l.pipe.B().Addr():
		l.pipe.A().Write(to, b)
	case l.out != nil:
		l.out(to, b)
	case to.Kind == netcore.AddrWeb:
		if l.web != nil {
			_ = l.web.Write(to, b) // a failed send is a lost packet
		}
	case l.socket != nil:
		_ = l.socket.Write(to, b) // a failed send is a lost packet
	}
}

// round lets every side send and, if tick is set, simulate. A server and its local client have a
// fixed order: the client's newest moves are in the server's tick, and the results of that tick are
// in the client's.
func (l *loop) round(tick bool) {
	server, now := l.sides[0], l.now()
	if l.pipe == nil {
		if tick {
			l.tick(server, now)
		}
		l.sendAll(server)
		return
	}
	client := l.sides[1]
	client.host.Send(now, l.pipe.B().Write)
	l.pipe.A().Drain(func(from netcore.Addr, b []byte) { server.receive(now, from, b) })
	if tick {
		l.tick(server, now)
	}
	l.sendAll(server)
	l.pipe.B().Drain(func(from netcore.Addr, b []byte) { client.host.Receive(now, from, b) })
	if tick {
		client.tick(now)
	}
}

// sendAll sends the packets of the first side that are due. A tick takes time, so the clock is read again.
func (l *loop) sendAll(s *side) {
	l.phases.Start()
	s.send(l.now(), l.send)
	l.phases.End(pulse.Send)
}

// tick runs a tick of the first side. Those of a server are counted. While a script of the server stands still, none runs.
func (l *loop) tick(s *side, now netcore.Time) {
	if l.still {
		s.host.Idle(now)
		return
	}
	began, stood := l.now(), l.stood
	l.phases.Start()
	s.tick(now)
	if s.host.IsServer() {
		took := l.now() - began - (l.stood - stood)
		l.pulse.Tick(began, took)
		l.markLate(began, took)
	}
	l.goOn()
}

// lateMark is how long a tick can take before the journal marks it, and lateEvery is the time between two such marks.
const (
	lateMark  = 100 * time.Millisecond
	lateEvery = time.Minute
)

// markLate marks a late tick.
func (l *loop) markLate(began, took netcore.Time) {
	if took < lateMark || l.lateSaid && began-l.lateAt < lateEvery {
		return
	}
	l.lateSaid, l.lateAt = true, began
	l.sides[0].rec.Mark(fmt.Sprintf("late\ta tick took %v", took.Round(time.Millisecond)))
}
