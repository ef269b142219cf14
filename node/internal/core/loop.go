package core

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/pulse"
)

const (
	RestTime = 250 * time.Microsecond // between two rounds without a tick
	Burst    = 512                    // datagrams received before the clock is read again
)

// Loop runs a server, a client, or a server with its local client on one goroutine.
type Loop struct {
	*Owner
	Socket *Socket                         // nil: there is none
	Web    source                          // of browsers; nil: there is none
	Out    func(to netcore.Addr, b []byte) // sends the datagrams of a stepped node; else nil
	Pipe   *netcore.Pipe                   // between a server and its local client, the server's end first; else nil
	pace   Pacer
	// Other handles the datagrams that belong to no connection and no join. It reports whether it
	// did. nil handles none.
	Other    func(from netcore.Addr, b []byte) bool
	Pulse    pulse.Pulse
	Phases   pulse.Phases // of a server
	Crashed  func()       // runs when a panic ends the process; nil: nothing to do
	lateSaid bool         // a late tick was marked in the journal
	lateAt   netcore.Time
	Tap      tap // of a client; nil: nobody captures its traffic
	stand
}

// source is where the datagrams of some peers come from, and where those to them go.
type source interface {
	Packets() <-chan *Packet
	Write(to netcore.Addr, b []byte) error
}

// tap is shown the datagrams of a loop.
type tap interface {
	Received(at netcore.Time, b []byte)
	Sent(b []byte)
}

// Addr returns the address of the socket; the zero value without one.
func (l *Loop) Addr() netip.AddrPort {
	if l.Socket == nil {
		return netip.AddrPort{}
	}
	return l.Socket.Addr()
}

// Run runs the loop until an end is complete.
func (l *Loop) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	l.ctx = ctx
	whole := false
	defer func() {
		if !whole && l.Crashed != nil {
			l.Crashed()
		}
	}()
	canceled := ctx.Done()
	l.pace.begin(l.Now(), l.Sides[0].Host.Pace.TickLength()) // no tick was due while mods loaded; a page, which calls Step, may skip some
	for !l.Over() {
		if ctx.Err() != nil && canceled != nil {
			canceled = nil
			l.Quit("", nil)
		}
		timer.Reset(l.Until(l.Now()))
		l.wait(l.Queue, timer.C, canceled)
		l.turn()
	}
	whole = true
	return l.ending.err
}

// Step runs the functions that wait, and one turn. It returns io.EOF or an error when an end is
// complete.
func (l *Loop) Step() error {
	l.ctx = context.Background()
	for l.runQueued() {
	}
	if l.Over() {
		return cmp.Or(l.ending.err, io.EOF)
	}
	l.turn()
	return nil
}

// runQueued runs a function that waits. It reports whether one did.
func (l *Loop) runQueued() bool {
	select {
	case f := <-l.Queue:
		f()
	case f := <-l.urgent:
		f()
	default:
		return false
	}
	return true
}

// turn runs the ticks that are due, or else sends what is due.
func (l *Loop) turn() {
	l.goOn()
	if l.Pipe == nil {
		l.removeLeft(l.Now())
	}
	ticks, skipped := l.pace.Due(l.Now(), l.Sides[0].Host.Pace.TickLength())
	if skipped > 0 {
		l.Pulse.Skipped += uint64(skipped)
		level := slog.LevelWarn
		if !l.Sides[0].Host.IsServer() {
			level = slog.LevelDebug // the machine of a player slept, and they know that
		}
		l.Log.Log(l.ctx, level, "the process stood still: ticks are skipped", "ticks", skipped)
	}
	for range ticks {
		l.BeforeTick()
		l.round(true)
		l.afterTick()
	}
	if ticks == 0 {
		l.round(false)
	}
	if l.Sides[0].Host.Pace.Paused() {
		l.AfterRound(l.Now()) // nothing moves until the next tick
	} else {
		l.AfterRound(l.pace.Next)
	}
}

// UntilTick returns the part of the last tick of the first side that has yet to pass, 0…1.
func (l *Loop) UntilTick() float64 {
	host := l.Sides[0].Host
	if host.Pace.Paused() {
		return 0
	}
	return min(max(float64(l.pace.Next-l.Now())/float64(host.Pace.TickLength()), 0), 1)
}

// Until is how long the loop can sleep.
func (l *Loop) Until(now netcore.Time) time.Duration {
	next := min(l.pace.Next, l.hooksDue())
	for _, s := range l.Sides {
		next = min(next, s.Host.Due(now))
	}
	if next < l.pace.Next {
		return max(next-now, RestTime)
	}
	return max(next-now, 0)
}

// wait sleeps until something arrives or is due, and receives the packets.
func (l *Loop) wait(queue <-chan func(), due <-chan time.Time, canceled <-chan struct{}) {
	var packets, fromWeb <-chan *Packet
	if l.Socket != nil {
		packets = l.Socket.Packets()
	}
	if l.Web != nil {
		fromWeb = l.Web.Packets()
	}
	var first *Packet // nil also if the socket is closed
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
	l.Phases.Start()
	if first != nil {
		l.receive(first)
	}
	l.receiveAll(packets, fromWeb)
	l.Phases.End(pulse.Receive)
}

// receiveAll receives the packets that wait.
func (l *Loop) receiveAll(packets, fromWeb <-chan *Packet) {
	for range Burst {
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

func (l *Loop) receive(p *Packet) {
	if l.Other == nil || !l.Other(p.From, p.Bytes()) {
		l.Receive(l.From.At(p.At), p.From, p.Bytes())
	}
	p.Free()
}

// Receive passes a datagram to the side that it is for. The traffic of the side that plays is that
// of a capture.
func (l *Loop) Receive(at netcore.Time, from netcore.Addr, b []byte) {
	s := l.sideOf(from)
	if l.Tap != nil && s == l.Sides[0] {
		l.Tap.Received(at, b)
	}
	s.Receive(at, from, b)
}

// sideOf returns the side that a datagram from an address is for. Sides of one client are on one
// socket. A side that has left a server still knows its address until the server has answered, and
// the player can be on the way back there already: that side comes last.
func (l *Loop) sideOf(from netcore.Addr) *Side {
	if l.Pipe != nil || len(l.Sides) == 1 {
		return l.Sides[0]
	}
	for _, left := range []bool{false, true} {
		for _, s := range l.Sides {
			if s.Left == left && s.Host.Knows(from) {
				return s
			}
		}
	}
	return l.Sides[0]
}

// Send passes a datagram to the peer: through the pipe, to a browser, or over the socket.
func (l *Loop) Send(to netcore.Addr, b []byte) {
	switch {
	case l.Pipe != nil && to == l.Pipe.B().Addr():
		l.Pipe.A().Write(to, b)
	case l.Out != nil:
		l.Out(to, b)
	case to.Kind == netcore.AddrWeb:
		if l.Web != nil {
			_ = l.Web.Write(to, b) // a failed send is a lost packet
		}
	case l.Socket != nil:
		_ = l.Socket.Write(to, b) // a failed send is a lost packet
	}
}

// round lets every side send and, if tick is set, simulate. A server and its local client have a
// fixed order: the client's newest moves are in the server's tick, and the results of that tick are
// in the client's.
func (l *Loop) round(tick bool) {
	server, now := l.Sides[0], l.Now()
	if l.Pipe == nil {
		for _, s := range l.Sides {
			if tick {
				l.tick(s, now)
			}
			l.sendAll(s)
		}
		return
	}
	client := l.Sides[1]
	client.Host.Send(now, l.Pipe.B().Write)
	l.Pipe.A().Drain(func(from netcore.Addr, b []byte) { server.Receive(now, from, b) })
	if tick {
		l.tick(server, now)
	}
	l.sendAll(server)
	l.Pipe.B().Drain(func(from netcore.Addr, b []byte) { client.Host.Receive(now, from, b) })
	if tick {
		client.Tick(now)
	}
}

// sendAll sends the packets of a side that are due. A tick takes time, so the clock is read again.
func (l *Loop) sendAll(s *Side) {
	l.Phases.Start()
	if send := l.Send; l.Tap != nil && s == l.Sides[0] {
		s.Send(l.Now(), func(to netcore.Addr, b []byte) { l.Tap.Sent(b); send(to, b) })
	} else {
		s.Send(l.Now(), send)
	}
	l.Phases.End(pulse.Send)
}

// tick runs a tick of a side. Those of a server are counted. While a script of the server stands
// still, none runs. Nor does one of a side that has left its server.
func (l *Loop) tick(s *Side, now netcore.Time) {
	if l.still || s.Left {
		s.Host.Idle(now)
		return
	}
	began, stood := l.Now(), l.stood
	l.Phases.Start()
	s.Tick(now)
	if s.Host.IsServer() {
		took := l.Now() - began - (l.stood - stood)
		l.Pulse.Tick(began, took)
		l.markLate(began, took)
	}
	l.goOn()
}

// lateMark is how long a tick can take before the journal marks it, and lateEvery is the time
// between two such marks.
const (
	lateMark  = 100 * time.Millisecond
	lateEvery = time.Minute
)

// markLate marks a late tick.
func (l *Loop) markLate(began, took netcore.Time) {
	if took < lateMark || l.lateSaid && began-l.lateAt < lateEvery {
		return
	}
	l.lateSaid, l.lateAt = true, began
	l.Sides[0].Rec.Mark(fmt.Sprintf("late\ta tick took %v", took.Round(time.Millisecond)))
}
