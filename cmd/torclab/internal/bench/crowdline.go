package bench

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/udp"
)

// hearingEvery is the share of clients of replicate that decode ghosts although the others are
// deaf: one in this many.
const hearingEvery = 100

// deafGhosts is the ghost stream of a client. A deaf client skips the section, and so acknowledges
// updates that it has not read.
type deafGhosts struct {
	*ghost.Stream
	client *simClient
}

// streams wraps the ghost stream of a deaf client, which is the last one of a connection. A deaf
// player makes its moves itself, so its move stream replaces the one of the engine, the first one.
func (e *simClient) streams(own []netcore.Stream) []netcore.Stream {
	if g, is := own[len(own)-1].(*ghost.Stream); is && e.deaf {
		own[len(own)-1] = deafGhosts{g, e}
		if e.player != nil {
			own[0] = e.player.newMoves()
		}
	}
	return own
}

// Unpack skips the section if the client is deaf and has all its ghosts. The section of ghosts is
// the last one, so it ends with the packet.
func (d deafGhosts) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	if !d.client.joined {
		return d.Stream.Unpack(r, p)
	}
	for r.Left() > 0 {
		r.ReadBits(min(r.Left(), 64))
	}
	return nil
}

// hearing returns the clients that decode their ghosts.
func (c *clientProcess) hearing() []*simClient {
	return slices.DeleteFunc(slices.Clone(c.all), func(e *simClient) bool { return e.deaf })
}

// crowdTurns is the clock of clients in lockstep.
type crowdTurns struct {
	now      netcore.Time
	received int // datagrams from the server
	sent     int // datagrams to the server
}

// crowdLine is the simulated line of a client in lockstep: packets arrive late, and some get lost.
type crowdLine struct {
	rnd  splitmix64
	loss float64      // share of the packets, in each direction
	late netcore.Time // added to the delay of packets from the server
	held []lateDatagram
}

type lateDatagram struct {
	due netcore.Time
	p   *udp.Packet
}

func (l *crowdLine) drops() bool { return l.rnd.between(0, 1) < l.loss }

// enter gives the i-th client a line, and the clock of the turns. The round-trip times are spread
// evenly. A turn takes one tick of them.
func (t *crowdTurns) enter(task crowdTask, i int, e *simClient) {
	low, high := max(task.RTT[0], 1), max(task.RTT[1], 1)
	ticks := low + i%(high-low+1)
	line := &crowdLine{rnd: splitmix64(i + 1), loss: float64(task.Loss) / 100, late: time.Duration(ticks-1) * tickTime}
	e.line = line
	e.clock = func() time.Time { return task.Epoch.Add(t.now) }
	out := e.out
	e.out = func(to netcore.Addr, b []byte) {
		if !line.drops() {
			out(to, b)
			t.sent++
		}
	}
}

// turn reads the datagrams that the server has sent, makes every client tick, and reports.
func (c *clientProcess) turn(total string) error {
	sent, err := strconv.Atoi(total)
	if err != nil {
		return fmt.Errorf("%s %q: not a number", tellTurn, total)
	}
	t := &c.turns
	t.now += tickTime
	c.readAll(sent)
	for _, e := range c.all {
		e.joined = e.joined || e.ready(c.task.Objects)
		e.deliver(t.now)
		c.tick(e, t.now)
		e.host.Send(t.now, e.out)
	}
	return c.reports.Encode(crowdReport{Turn: true, Sent: t.sent})
}

// readAll reads datagrams until as many have come as the server has sent. It gives up after a time
// without any.
func (c *clientProcess) readAll(sent int) {
	t := &c.turns
	for last := time.Now(); t.received < sent; {
		before := t.received
		for _, e := range c.all {
			t.received += e.hold(t.now)
		}
		switch {
		case t.received > before:
			last = time.Now()
		case time.Since(last) > lostAfter:
			t.received = sent
		default:
			time.Sleep(50 * time.Microsecond) // the readers of the sockets run
		}
	}
}

// hold reads the queued datagrams of a client and returns their number.
func (e *simClient) hold(now netcore.Time) (n int) {
	for ; ; n++ {
		select {
		case p, open := <-e.socket.Packets():
			switch {
			case !open:
				return n
			case e.line.drops():
				p.Free()
			default:
				e.line.held = append(e.line.held, lateDatagram{now + e.line.late, p})
			}
		default:
			return n
		}
	}
}

// deliver passes on the datagrams that are due.
func (e *simClient) deliver(now netcore.Time) {
	held := e.line.held
	for len(held) > 0 && held[0].due <= now {
		e.host.Receive(now, held[0].p.From, held[0].p.Bytes())
		held[0].p.Free()
		held = held[1:]
	}
	e.line.held = append(e.line.held[:0], held...)
	e.take()
}
