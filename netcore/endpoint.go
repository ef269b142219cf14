package netcore

import (
	"encoding/binary"
	"io"

	"github.com/torc-engine/torc/netcore/seal"
)

// Config is what an Endpoint is made of. Callbacks run on the owner, inside
// Receive, Tick or Close; nil ones are not called.
type Config struct {
	Identity  seal.Identity
	Entropy   io.Reader // cryptographic randomness; required, and must not fail
	Accepting bool      // whether others may connect; see SetAccepting
	Version   uint32    // wire format spoken; ProtocolVersion when 0
	Classes   uint64    // hash of the sorted class list; must be equal on both sides
	Game      string    // must be equal on both sides; at most 255 bytes

	RecvRate Rate // what this side can receive
	MaxSend  Rate // the most this side sends on one connection
	Timeout  Time // silence after which a connection ends
	Check    bool // ask for marks between sections; on when either side asks
	Log      *Log
	Limits   Limits

	// Decide answers a proven request with "" or the sentence that refuses it.
	// It is called once per request; nil accepts all.
	Decide func(r *Request) (refuse string)
	// Streams makes the streams of a new connection, in their order on the wire.
	Streams func(c *Conn) []Stream
	// Connected reports a new connection: on the side that asked with the
	// server's welcome, on the other side with the one that Decide gave.
	Connected func(c *Conn, welcome []byte)
	// Ended reports the end of a connection that Connected reported.
	Ended func(c *Conn, r Reason)
	// Failed reports a Connect of this side that came to nothing.
	Failed func(p *Pending, r Reason)

	// Parallel calls f(0) to f(n-1), at once and in any order, and returns when
	// all have returned; nil calls them one by one. With it Send has several
	// connections pack at once: see Stream for what that asks of their streams.
	// The bytes sent, and the order of what is sent and logged, are the same.
	Parallel func(n int, f func(i int))
}

// session is a connection and what is left of the handshake that made it.
type session struct {
	conn      *Conn
	cookie    seal.Cookie
	reply     []byte // the accept, repeated to a repeated request
	replyDue  bool
	opened    Time
	responder bool
}

// Endpoint is the one door for datagrams of one program at one socket: packets
// of connections go to their Conn by address, all else to the handshake. It is
// server and client at once. It is a machine: Receive, Tick, Send, Due.
//
// Before an address has proven that it receives, an Endpoint keeps nothing for
// it but a place in a ring of fixed size, and answers with less than it got.
type Endpoint struct {
	cfg     Config
	limits  Limits
	cookies *seal.Cookies
	scratch [challengeResponseSize]byte
	address []byte

	byAddr  map[Addr]*session // never ranged over
	ordered []*session        // by id
	conns   []*Conn           // the same, for callers
	lastID  uint32
	pool    Pool // of the connections' held packets
	pending []*Pending

	challenges challengeRing
	waiting    []waiting
	budget     quota // handshakes per second, in all
	refused    [refusals]refusal
	nextRefuse int
	ledger     ledger

	forked   []*Conn     // those that pack, in id order; see fork
	forkedAt Time        // and when
	packOne  func(i int) // e.pack, made once
}

// NewEndpoint returns an endpoint without connections. It panics when
// cfg.Entropy cannot be read, for no promise could be kept without it.
func NewEndpoint(cfg Config) *Endpoint {
	if cfg.Version == 0 {
		cfg.Version = ProtocolVersion
	}
	cookies, err := seal.NewCookies(cfg.Entropy)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	e := &Endpoint{
		cfg:     cfg,
		limits:  cfg.Limits.withDefaults(),
		cookies: cookies,
		byAddr:  make(map[Addr]*session),
	}
	e.packOne = e.pack
	return e
}

// SetAccepting opens or closes the endpoint to others. A closed endpoint does
// not answer; connections that exist go on.
func (e *Endpoint) SetAccepting(on bool) { e.cfg.Accepting = on }

// Accepting reports whether others may connect.
func (e *Endpoint) Accepting() bool { return e.cfg.Accepting }

// SetLimits replaces the limits; what is connected stays connected.
func (e *Endpoint) SetLimits(l Limits) { e.limits = l.withDefaults() }

// Conns returns the connections in id order, ended ones included until their
// last words are said. The slice is valid until the next call of the endpoint.
func (e *Endpoint) Conns() []*Conn { return e.conns }

// Connect starts a connection to an address; Connected or Failed tells how it
// went. A connection or attempt that leads there already is replaced.
func (e *Endpoint) Connect(now Time, to Addr, o ConnectOptions) *Pending {
	p, err := newPending(now, e.cfg.Entropy, to, o, offer{
		Version: e.cfg.Version, Game: e.cfg.Game, Classes: e.cfg.Classes,
		Name: o.Name, Password: o.Password, Args: o.Args, Roles: o.Roles,
		Rate: e.cfg.RecvRate.or(DefaultRate), Check: e.cfg.Check,
	})
	if err != nil {
		p.fault = &Reason{Code: Refused, Text: err.Error()} // told by the next Tick
	}
	if old := e.pendingTo(to); old != nil {
		e.fail(old, Reason{Code: Replaced})
	}
	e.pending = append(e.pending, p)
	return p
}

// Receive takes one datagram. It never keeps b.
func (e *Endpoint) Receive(now Time, from Addr, b []byte) {
	if len(b) == 0 || len(b) > MaxDatagram {
		return
	}
	if b[0]&3 != 0 { // a packet of a connection
		if s := e.byAddr[from]; s != nil {
			s.conn.Receive(now, b)
		}
		return
	}
	switch b[0] {
	case packetChallengeRequest:
		if nonce, ok := parseChallengeRequest(b); ok && e.cfg.Accepting {
			e.challenges.push(challenge{from, nonce})
		}
	case packetConnectRequest:
		e.requested(now, from, b)
	case packetChallengeResponse:
		e.challenged(now, from, b)
	case packetConnectReply:
		e.replied(now, from, b)
	}
}

// Tick lets time pass: handshakes that wait are done as the budget allows,
// connections and attempts that are over are removed.
func (e *Endpoint) Tick(now Time) {
	e.admit(now)
	for _, s := range e.ordered {
		s.conn.Tick(now)
		if s.unheard() && now-s.opened >= connectTimeout {
			s.conn.Close(Reason{Code: ConnectTimeout})
		}
	}
	e.expire(now)
	e.sweep()
}

// Send passes on every datagram that is due: answers of the handshake, then
// the packets of the connections in id order. out must not keep b. The
// connections pack before the first of their packets is passed on.
func (e *Endpoint) Send(now Time, out func(to Addr, b []byte)) {
	for c, ok := e.challenges.pop(); ok; c, ok = e.challenges.pop() {
		cookie := e.cookies.Make(now, e.addressBytes(c.from), c.nonce)
		out(c.from, appendChallengeResponse(e.scratch[:0], c.nonce, cookie, e.cfg.Identity.Public))
	}
	for i := range e.refused {
		if r := &e.refused[i]; r.due {
			r.due = false
			out(r.from, r.reply)
		}
	}
	for _, p := range e.pending {
		p.send(now, out)
	}
	e.fork(now)
	for _, s := range e.ordered {
		s.join(now, out)
	}
}

// Due returns when Tick or Send next has something to do.
func (e *Endpoint) Due(now Time) Time {
	if e.challenges.n > 0 || len(e.waiting) > 0 {
		return now
	}
	due := Never
	for _, p := range e.pending {
		if p.over || p.fault != nil {
			return now
		}
		due = min(due, p.next, p.deadline)
	}
	for i := range e.refused {
		if e.refused[i].due {
			return now
		}
	}
	for _, s := range e.ordered {
		if s.replyDue {
			return now
		}
		due = min(due, s.conn.Due(now))
	}
	return max(due, now)
}

// Close ends every connection and attempt and stops accepting. Send goes on
// until the peers were told; Conns is empty then, after a Tick.
func (e *Endpoint) Close(now Time, r Reason) {
	e.cfg.Accepting = false
	e.waiting = nil
	for _, p := range e.pending {
		e.fail(p, r)
	}
	for _, s := range e.ordered {
		if _, ended := s.conn.Closed(); !ended {
			s.conn.Close(r)
		}
	}
}

// open makes the connection of a finished handshake and puts it in the place
// of whatever was at its address before.
func (e *Endpoint) open(now Time, s *session, cfg ConnConfig, user any) *Conn {
	if old := e.byAddr[cfg.Addr]; old != nil {
		e.replace(old)
	}
	e.lastID++
	cfg.ID, cfg.Seed, cfg.Pool = e.lastID, e.seed(), &e.pool
	cfg.Streams = func(c *Conn) []Stream {
		c.User = user // known to the streams from the start
		if e.cfg.Streams == nil {
			return nil
		}
		return e.cfg.Streams(c)
	}
	cfg.RecvRate, cfg.MaxSend = e.cfg.RecvRate, e.cfg.MaxSend
	cfg.Timeout, cfg.Log, cfg.Ended = e.cfg.Timeout, e.cfg.Log, e.cfg.Ended
	s.opened = now
	s.conn = NewConn(now, cfg)
	e.byAddr[cfg.Addr] = s
	e.ordered = append(e.ordered, s)
	e.conns = append(e.conns, s.conn)
	return s.conn
}

// seed draws the start of a connection's own random choices.
func (e *Endpoint) seed() uint64 {
	var b [8]byte
	if _, err := io.ReadFull(e.cfg.Entropy, b[:]); err != nil {
		panic("BUG: no entropy: " + err.Error())
	}
	return binary.LittleEndian.Uint64(b[:])
}

// replace takes a session out of the map at once: its last words, if it has
// any, are still sent, but what comes from the address is the new one's.
func (e *Endpoint) replace(old *session) {
	delete(e.byAddr, old.conn.Addr())
	if _, ended := old.conn.Closed(); !ended {
		old.conn.Close(Reason{Code: Replaced})
	}
}

// sweep removes the sessions that have said their last words.
func (e *Endpoint) sweep() {
	kept := 0
	for _, s := range e.ordered {
		if s.conn.Done() {
			if addr := s.conn.Addr(); e.byAddr[addr] == s {
				delete(e.byAddr, addr)
			}
			continue
		}
		e.ordered[kept], e.conns[kept] = s, s.conn
		kept++
	}
	clear(e.ordered[kept:])
	clear(e.conns[kept:])
	e.ordered, e.conns = e.ordered[:kept], e.conns[:kept]
}

// addressBytes is an address in the fixed form that cookies are made of.
func (e *Endpoint) addressBytes(a Addr) []byte {
	e.address = append(e.address[:0], byte(a.Kind), byte(a.Port), byte(a.Port>>8))
	e.address = append(e.address, a.IP[:]...)
	return e.address
}

// Configure changes what new connections begin with: what this side can
// receive, the most it sends, the silence that ends a connection, and whether
// it asks for marks.
func (e *Endpoint) Configure(receive, send Rate, timeout Time, check bool) {
	e.cfg.RecvRate, e.cfg.MaxSend, e.cfg.Timeout, e.cfg.Check = receive, send, timeout, check
}
