package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/node/bots"
	"github.com/torc-engine/torc/engine/node/data"
	"github.com/torc-engine/torc/engine/node/workers"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

const (
	flushTime  = 500 * time.Millisecond // an end waits so long for what is queued to be on its way
	leaveTime  = time.Second            // and then so long for the peers to hear of it
	restTime   = 250 * time.Microsecond // between two rounds in which only packets are due
	linesAhead = 64                     // lines read before their turn
	burst      = 512                    // datagrams taken in before the clock is looked at again
)

// loop owns the simulation, the connections, the Lua states and the console. Everything else hands it
// values: the socket's reader, the reader of stdin, the signals. The workers act for it, while it waits.
type loop struct {
	epoch   time.Time
	sides   []*side       // in play the server, then the client
	socket  *udp.Socket   // nil in play
	pipe    *netcore.Pipe // between the two sides of play, the server's end first; else nil
	term    prompt.Source
	typing  *side              // whose console gets the lines
	lines   <-chan prompt.Line // nil when no more come
	waiting []typed            // lines that have come and not yet run
	ready   bool               // lines may run: the server listens, the client is in
	inGame  *engine.Connection // the newest connection of ours that has joined
	signals <-chan os.Signal
	posts   chan func() // what others on this process's goroutines have to say, run between ticks
	pace    pacer
	log     *slog.Logger
	home    *data.Folder
	workers *workers.Pool // with a server: several of its connections pack at once
	end     *ending
	bot     *bots.Wander // makes the moves when no person does; nil: a script or nobody
	storing
	measuring
	viewing
}

// ending is the orderly way out: what is queued leaves, the peers are told, the process ends.
type ending struct {
	err    error // decides the status
	reason string
	since  netcore.Time
	told   bool
}

// run goes round until an end has come to its end.
func (l *loop) run() error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	l.term.SetPrompt(l.prompt())
	for !l.over() {
		timer.Reset(l.until(l.now()))
		l.wait(timer.C)
		l.turn()
	}
	return l.end.err
}

// turn does what is due.
func (l *loop) turn() {
	ticks, skipped := l.pace.due(l.now())
	if skipped > 0 {
		l.pulse.Skipped += uint64(skipped)
		l.log.Warn("the process stood still", "ticks", skipped)
	}
	for range ticks {
		l.enter()
		l.round(true)
	}
	if ticks == 0 {
		l.round(false)
	}
	l.frame()
}

// now is the time since the process began to run.
func (l *loop) now() netcore.Time { return time.Since(l.epoch) }

// until is how long nothing needs to be done.
func (l *loop) until(now netcore.Time) time.Duration {
	next := l.pace.next
	for _, s := range l.sides {
		next = min(next, s.host.Due(now))
	}
	if l.view != nil {
		next = min(next, l.view.Due())
	}
	if next < l.pace.next {
		return max(next-now, restTime)
	}
	return max(next-now, 0)
}

// wait sleeps until something comes or is due, and takes in what has come.
func (l *loop) wait(due <-chan time.Time) {
	var packets <-chan *udp.Packet
	if l.socket != nil {
		packets = l.socket.Packets()
	}
	select {
	case p, open := <-packets:
		if open {
			l.receive(p)
		}
	case s := <-l.signals:
		l.signal(s)
	case post := <-l.posts:
		post()
	case r := <-l.requests():
		l.wish(r)
	case r := <-l.scrapes():
		l.measure(r)
	case ask := <-l.term.Asks():
		ask.Answer(l.typing.console)
	case <-due:
	}
	for range burst {
		select {
		case p, open := <-packets:
			if !open {
				return
			}
			l.receive(p)
		default:
			return
		}
	}
}

func (l *loop) receive(p *udp.Packet) {
	l.sides[0].host.Receive(l.now(), p.From, p.Bytes())
	p.Free()
}

// round lets every side send and, when tick is set, simulate. Between two sides of one process the
// order is fixed: the client's newest input is in the server's tick, and that tick's news in the client's.
func (l *loop) round(tick bool) {
	server, now := l.sides[0], l.now()
	if l.pipe == nil {
		if tick {
			l.tick(server, now)
		}
		server.host.Send(now, func(to netcore.Addr, b []byte) { _ = l.socket.Write(to, b) })
		return
	}
	client := l.sides[1]
	client.host.Send(now, l.pipe.B().Write)
	l.pipe.A().Drain(func(from netcore.Addr, b []byte) { server.host.Receive(now, from, b) })
	if tick {
		l.tick(server, now)
	}
	server.host.Send(now, l.pipe.A().Write)
	l.pipe.B().Drain(func(from netcore.Addr, b []byte) { client.host.Receive(now, from, b) })
	if tick {
		client.host.Tick(now)
	}
}

// typed is a line from the terminal, or the news that no more come.
type typed struct {
	prompt.Line
	last bool
}

// enter runs the console lines that have come, as many as fit into a part of a tick.
func (l *loop) enter() {
	l.look()
	if l.bot != nil {
		l.bot.Tick(l.host)
	}
	l.fulfil()
	l.poll()
	for start := l.now(); l.ready && l.end == nil && len(l.waiting) > 0 && l.now()-start < linesTime; l.poll() {
		line := l.waiting[0]
		l.waiting = l.waiting[1:]
		l.line(line)
	}
}

// poll takes in lines, a few ahead of their turn. Who interrupts does not wait for a turn.
func (l *loop) poll() {
	for l.lines != nil && len(l.waiting) < linesAhead {
		select {
		case line, open := <-l.lines:
			if !open {
				l.lines = nil
			}
			if line.Event == prompt.Interrupt {
				l.quit("", nil)
			}
			l.waiting = append(l.waiting, typed{line, !open})
		default:
			return
		}
	}
}

func (l *loop) line(line typed) {
	c := l.typing.console
	switch {
	case line.last:
		if err := c.End(); err != nil {
			l.print("error: " + err.Error())
		}
	case line.Event == prompt.Cleared:
		c.Cancel()
	case line.Event == prompt.Typed:
		c.Enter(line.Text)
	}
	l.term.SetPrompt(l.prompt())
}

// prompt is what stands before the next line: in play the side that gets it.
func (l *loop) prompt() string {
	name := "torc"
	if len(l.sides) > 1 {
		name = l.typing.name
	}
	if l.typing.console.More() {
		return strings.Repeat(".", len(name)) + "> "
	}
	return name + "> "
}

// signal asks for an orderly end; the second time it ends at once.
func (l *loop) signal(s os.Signal) {
	if l.end != nil {
		l.closeTerminal()
		os.Exit(failed)
	}
	l.log.Info("ending", "signal", s.String())
	l.quit("", nil)
}

// quit begins the end. err decides the status; only the first call counts.
func (l *loop) quit(reason string, err error) {
	if l.end == nil {
		l.end = &ending{err: err, reason: reason, since: l.now()}
	}
}

// over carries the end on and reports whether it is complete.
func (l *loop) over() bool {
	e := l.end
	if e == nil {
		return false
	}
	age := l.now() - e.since
	if !e.told {
		if !l.flushed() && age < flushTime {
			return false
		}
		for _, s := range l.sides {
			s.host.Shutdown(e.reason)
		}
		e.told, e.since = true, l.now()
		return false
	}
	return l.silent() || age >= leaveTime
}

// flushed reports whether everything that was posted has arrived.
func (l *loop) flushed() bool {
	for _, s := range l.sides {
		for _, c := range s.host.Connections() {
			if !c.Bot() && !c.Events().Idle() {
				return false
			}
		}
	}
	return true
}

// silent reports whether no side has anything left to say.
func (l *loop) silent() bool {
	for _, s := range l.sides {
		if s.host.Due(l.now()) != netcore.Never {
			return false
		}
	}
	return true
}

// connected lets the lines run once a client is in the game. A change of the mission is a join too,
// but no new connection.
func (l *loop) connected(c *engine.Connection) {
	if l.inGame == c {
		return
	}
	l.inGame, l.ready = c, true
	l.print("connected to " + c.Address())
}

// disconnected says that a client's connection has ended and decides what that means for the process:
// a server that closed is an end as asked, an end of our own is none, anything else is a failure.
func (l *loop) disconnected(c *engine.Connection, reason string) {
	l.print("disconnected: " + reason)
	why, _ := c.Net().Closed()
	switch {
	case l.pipe != nil || why.Code == netcore.SelfClosed:
	case !l.ready:
		l.quit("", failure{unconnected, fmt.Errorf("could not connect to %s: %s", c.Address(), reason)})
	case why.Code == netcore.ShuttingDown:
		l.quit("", nil)
	default:
		l.quit("", failure{failed, fmt.Errorf("disconnected from %s: %s", c.Address(), reason)})
	}
}

// unreached says that a connect has failed. The first one ends a process that has nothing else to do.
func (l *loop) unreached(address, reason string) {
	err := fmt.Errorf("could not connect to %s: %s", address, reason)
	if l.ready {
		l.print("error: " + err.Error())
		return
	}
	l.quit("", failure{unconnected, err})
}
