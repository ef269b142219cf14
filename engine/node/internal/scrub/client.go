package scrub

import (
	"crypto/rand"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
)

// client is a made-up client. It says what the recorded client said, and knows nothing of the game.
type client struct {
	all      *Clients
	from     netcore.Addr // of the recorded client when it joined
	at       netcore.Addr // the address that the server sees now
	stage    netcore.JoinStage
	endpoint *netcore.Endpoint
	conn     *netcore.Conn // nil before the server has accepted it
	moves    *move.Stream
	events   *event.Stream
	heard    *heard    // what the recorded client says; nil before its first packet
	waiting  []message // from the server
}

// message is a datagram of the server.
type message struct {
	at netcore.Time
	b  []byte
}

// newClient begins to join.
func newClient(all *Clients, now netcore.Time, from netcore.Addr, j *join) *client {
	c := &client{all: all, from: from, at: all.Words.Addr(from)}
	c.endpoint = netcore.NewEndpoint(netcore.Config{
		Identity: all.Words.Key(j.who.Key), Entropy: rand.Reader, Classes: all.Watch.Classes, Game: "torc", RecvRate: j.who.Rate,
		Solve:   func(p seal.Puzzle, done func(uint64)) { done(solve(p)) },
		Streams: c.streams,
	})
	var args []string
	for _, a := range j.who.Args {
		args = append(args, all.Words.Argument("", a))
	}
	c.endpoint.Connect(now, server, netcore.ConnectOptions{
		Key: &all.Server, Name: all.Words.Name(j.who.Name), Password: all.Words.Password(j.who.Password), Args: args, Roles: j.who.Roles,
	})
	return c
}

// server is the address of the server for its clients.
var server = netcore.LocalAddr(1)

// solve solves a puzzle.
func solve(p seal.Puzzle) uint64 {
	const step = 1 << 16
	for first := uint64(0); ; first += step {
		if solution, found := p.Search(first, step); found {
			return solution
		}
	}
}

// streams returns the streams of the connection.
func (c *client) streams(n *netcore.Conn) []netcore.Stream {
	c.conn = n
	n.Boost(true)
	c.moves = move.New(move.Config{
		SendsMoves: true, Check: n.Check(), CopiesPerMove: func() int { return 1 }, TokenOf: func(uint32) uint32 { return 1 },
	})
	c.events = event.New(event.Config{Kinds: engine.EventKinds(), Check: n.Check(), YourRefs: c})
	return []netcore.Stream{c.moves, unread{c.events}, silent{}}
}

// ToWire returns the name by which the client knows an object of the server.
func (c *client) ToWire(object uint32) uint32 {
	for _, peer := range c.all.Host.Connections() {
		if peer.Net() != nil && peer.Addr().Remote() == c.at.Remote() {
			return peer.PeerRefs().ToWire(object)
		}
	}
	return 0
}

// FromWire knows no object.
func (*client) FromWire(uint32) uint32 { return 0 }

// read reads the datagrams of the server that the recorded client had read: those of the handshake, what it has acknowledged, and
// of the rest what is older than a round trip. So the server measures about the recorded round-trip times.
func (c *client) read(now netcore.Time) {
	arrived, acked, rest := now, netcore.Time(0), c.waiting[:0]
	least := netcore.Time(0)
	if h := c.heard; h != nil && h.conn != nil {
		acked, least = h.acked, h.conn.LeastRTT()
		arrived = min(now, acked+h.conn.RTT())
	}
	for _, l := range c.waiting {
		switch {
		case l.b[0]&3 == 0 || l.at <= acked:
			c.endpoint.Receive(max(arrived, l.at), server, l.b)
		case l.b[0]&3 != 1 && l.at+least <= now:
			c.endpoint.Receive(now, server, l.b)
		default:
			rest = append(rest, l)
		}
	}
	clear(c.waiting[len(rest):])
	c.waiting = rest
}

// speak says what the recorded client has said.
func (c *client) speak(now netcore.Time, out func(b []byte)) {
	c.read(now)
	if c.conn != nil && c.heard != nil {
		c.repeat()
	}
	c.endpoint.Tick(now)
	c.endpoint.Send(now, func(_ netcore.Addr, b []byte) { out(b) })
}

// repeat queues moves and events, or ends the connection.
func (c *client) repeat() {
	h := c.heard
	answer, _ := c.moves.Answer()
	c.moves.Forget(answer.Ack)
	c.moves.SetView(h.camera.View())
	for _, m := range h.moves {
		if !c.moves.Full() {
			c.moves.Push(m, 0)
		}
	}
	for _, e := range h.events {
		e, channel := engine.Reworded(e, c.all.Words.Command, c.all.Words.Argument)
		_ = c.events.Post(e, event.Post{Channel: channel}) // a connection that has ended takes none
	}
	h.moves, h.events = h.moves[:0], h.events[:0]
	if h.conn == nil {
		return
	}
	if why, ended := h.conn.Closed(); ended {
		c.conn.Close(netcore.Reason{Code: netcore.SelfClosed, Text: c.all.Words.Reason(why.Text)})
	}
}

// unread sends events, and reads nothing of the rest of a packet.
type unread struct{ *event.Stream }

func (unread) Unpack(r *bitstream.Reader, _ netcore.Incoming) error {
	for r.Left() > 0 {
		r.ReadBits(min(r.Left(), 64))
	}
	return nil
}

// silent is a stream of ghosts that sends none.
type silent struct{}

func (silent) Pack(w *bitstream.Writer, _ netcore.Outgoing) bool { w.WriteFlag(false); return false }
func (silent) Unpack(*bitstream.Reader, netcore.Incoming) error  { return nil }
func (silent) Notify(netcore.Seq, bool)                          {}
