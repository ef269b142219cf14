package scrub

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
)

// A Watch sees what the clients of a replayed server say.
type Watch struct {
	Joins     Joins
	Classes   uint64 // that the clients must have
	datagrams int    // so far
	newest    map[netcore.Addr]introduced
	heard     []*heard // one for each connection, oldest first
	byConn    map[*netcore.Conn]*heard
}

// Joins are the attempts to join whose introduction was complete, by nonce.
type Joins map[seal.Nonce]*join

// Meet notes the names and the passwords of all who wanted to join.
func (all Joins) Meet(words *Words) {
	for _, j := range all {
		words.Name(j.who.Name)
		words.Password(j.who.Password)
	}
}

// join is an attempt to join.
type join struct {
	who  netcore.ConnectRequest
	done int // number of the datagram that completes the introduction
}

// introduced is the newest packet of an introduction from an address.
type introduced struct {
	nonce    seal.Nonce
	datagram int
}

// heard is what a client has said since it was asked last.
type heard struct {
	conn   *netcore.Conn // nil before the first packet
	moves  []move.Move
	camera *move.Stream
	events []event.Event
	copied *move.Stream // reads the moves a second time
	sent   map[netcore.Seq]netcore.Time
	acked  netcore.Time // when the newest packet that the client has acknowledged was sent
}

// NewWatch returns a Watch that has seen nothing.
func NewWatch() *Watch {
	return &Watch{Joins: Joins{}, newest: map[netcore.Addr]introduced{}, byConn: map[*netcore.Conn]*heard{}}
}

// Observe makes a host tell what its clients say.
func (w *Watch) Observe(cfg *engine.Config) {
	w.Classes = cfg.Classes.Hash() ^ engine.EventKinds().Hash()
	cfg.Asked, cfg.Heard, cfg.Streams = w.asked, w.hear, w.streams
}

// Received notes a datagram before the host gets it.
func (w *Watch) Received(from netcore.Addr, b []byte) {
	w.datagrams++
	if nonce, stage := netcore.Stage(b); stage == netcore.Introducing {
		w.newest[from] = introduced{nonce, w.datagrams}
	}
}

// asked notes a complete introduction.
func (w *Watch) asked(r *netcore.ConnectRequest) {
	last := w.newest[r.From]
	if w.Joins[last.nonce] == nil {
		w.Joins[last.nonce] = &join{who: *r, done: last.datagram}
	}
}

// streams returns the streams of a new connection, which tell what they read.
func (w *Watch) streams(own []netcore.Stream) []netcore.Stream {
	h := &heard{camera: own[0].(*move.Stream), sent: map[netcore.Seq]netcore.Time{}}
	w.heard = append(w.heard, h)
	return append([]netcore.Stream{&watchedMoves{h.camera, h, w}}, own[1:]...)
}

// hear keeps an event.
func (w *Watch) hear(c *engine.Connection, e event.Event) {
	if h := w.byConn[c.Net()]; h != nil {
		kept, _ := engine.Reworded(e, same, func(_, text string) string { return text }) // the host uses its own again
		h.events = append(h.events, kept)
	}
}

func same(text string) string { return text }

// watchedMoves is the first stream of a connection.
type watchedMoves struct {
	*move.Stream
	to *heard
	w  *Watch
}

func (m *watchedMoves) meet(c *netcore.Conn) {
	if m.to.conn == nil {
		m.to.conn, m.w.byConn[c] = c, m.to
		m.to.copied = move.New(move.Config{ReceivesMoves: true, Check: c.Check()})
	}
}

func (m *watchedMoves) Pack(w *bitstream.Writer, o netcore.Outgoing) bool {
	m.meet(o.Conn)
	m.to.sent[o.Seq] = o.Now
	return m.Stream.Pack(w, o)
}

func (m *watchedMoves) Unpack(r *bitstream.Reader, in netcore.Incoming) error {
	m.meet(in.Conn)
	again := *r
	if m.to.copied.Unpack(&again, in) == nil {
		for m.to.copied.Queued() > 0 {
			v, _, _, _ := m.to.copied.Next()
			m.to.moves = append(m.to.moves, v)
		}
	}
	return m.Stream.Unpack(r, in)
}

func (m *watchedMoves) Notify(n netcore.Seq, delivered bool) {
	if delivered {
		m.to.acked = m.to.sent[n]
	}
	delete(m.to.sent, n)
	m.Stream.Notify(n, delivered)
}
