package netcore

import (
	"encoding/binary"
	"io"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore/seal"
)

// Config configures an Endpoint. The Endpoint calls the callbacks on the owner's goroutine, inside
// Receive, Tick, Send or Close. A callback can be nil.
type Config struct {
	Identity  seal.KeyPair
	Entropy   io.Reader // cryptographic randomness; required, and must not fail
	Accepting bool      // whether other programs can connect; see SetAccepting
	Version   uint32    // version of the wire format; 0 for ProtocolVersion
	Classes   uint64    // hash of the sorted class list; must be equal on both sides unless both have Parts
	Game      string    // must be equal on both sides; at most 255 bytes

	// Parts returns the fingerprints of everything that the hash stands for, at most 1024. A client
	// with another hash sends its own to the server. If it is nil, an unequal hash is refused. As a
	// client, this side can do with the lists of another program if Adapts is set.
	Parts  func() []uint32
	Adapts bool

	RecvRate Rate // how much this side can receive
	MaxSend  Rate // the limit of this side's sending, per connection
	Timeout  Time // silence after which a connection ends
	Check    bool // request marks between sections; they are on when either side requests them
	Log      *Log
	Limits   Limits

	// Gated means that the owner decides on introductions, by Asked and Answer. Without it Send
	// accepts all.
	Gated bool
	// Refused reports a refused request: by Answer, or an unequal version, game or class
	// list, or too many connections. With an unequal version, game or class list only From and Key
	// are known.
	Refused func(r *ConnectRequest, refuse string)
	// Solve solves a server's puzzle. It calls done once, at once or later, on the goroutine that
	// owns the endpoint. If it is nil, each Tick does a part of the work.
	Solve func(p seal.Puzzle, done func(solution uint64))
	// Streams returns the streams of a new connection, in their order on the wire.
	Streams func(c *Conn) []Stream
	// Connected reports a new connection. On the client, welcome is the server's welcome. On the
	// server it is the welcome that the owner set.
	Connected func(c *Conn, welcome []byte)
	// Ended reports the end of a connection that Connected reported.
	Ended func(c *Conn, r Reason)
	// Failed reports that a Connect of this side failed.
	Failed func(p *Pending, r Reason)

	// Keys gets the keys of each session as soon as this side has them, for a capture. Nobody else
	// may have them, so it is nil in normal operation. from is the other side.
	Keys func(from Addr, k seal.SessionKeys)

	// MayMove reports whether a connection can go on with another address of its client. If it is
	// nil, only the limit of connections per address applies. Moved reports that a connection has
	// moved.
	MayMove func(c *Conn, to Addr) bool
	Moved   func(c *Conn, old Addr)

	// Parallel calls f(worker, i) for each i below n, in parallel and in any order, and returns
	// when all have returned. Calls with the same worker must not overlap; workers count from 0. If
	// Parallel is nil, the calls run one after another. With Parallel, Send packs several
	// connections in parallel; see Stream for the requirements on their streams. The bytes sent and
	// the order of packets and log lines do not change.
	Parallel func(n int, f func(worker, i int))
}

// connEntry is a connection with the remaining state of its handshake.
type connEntry struct {
	conn      *Conn
	nonce     seal.Nonce
	reply     []byte // the verdict, sent again for each repeated introduction
	replyDue  bool
	opened    Time
	responder bool
	routes    [2]uint64 // of a responder: the connection ids that are valid, the newest last
}

// Endpoint handles all datagrams of one socket. It passes packets of connections to their Conn, by
// address, and handles the handshake itself. An Endpoint is server and client at once. Its owner
// drives it with Receive, Tick, Send and Due.
//
// Until an address has proven that it can receive, the Endpoint stores nothing for it except a
// place in a ring of fixed size. The answer to such an address is never larger than its request.
type Endpoint struct {
	cfg     Config
	limits  Limits
	now     Time // of the latest call
	turned  Time // of the latest Tick or Send
	cookies *seal.Cookies
	scratch [challengeResponseSize]byte
	address []byte

	byAddr  map[Addr]*connEntry   // never ranged over: map order is random
	byID    map[uint16]*connEntry // inbound connections by the lowest bits of their routes; never ranged over
	ordered []*connEntry          // by id
	conns   []*Conn               // the same connections, for Conns
	lastID  uint32
	pool    BufferPool // of the connections' held packets
	pending []*Pending

	tokens  seal.Agent // makes reset tokens
	resets  resets
	guesses SharedLimiter // of packets that name a connection of another address
	budget  budget

	challenges      challengeRing
	waiting         []pendingRequest // for their key exchange
	halfOpen        *halfOpenTable
	deferred        *deferredTable
	introduced      []*halfOpen // whose introduction is complete and not decided yet
	introductions   int         // complete ones so far
	putOff          bool        // the owner wants to answer after the next Tick
	asked           *halfOpen   // the owner makes up its mind about it; nil: about none
	owed            []*halfOpen // with an answer that the next Send passes on
	repeats         []*halfOpen // with an answer that the next Send passes on again
	difficulty      difficulty
	handshakeBucket rate.Bucket // handshakes per second from all addresses
	addressLimiter  AddressLimiter

	packing  []*Conn             // the connections that pack, in id order; see fork
	outboxes []*outbox           // of the connections that pack, at most forkSize
	packTime Time                // the time of that fork
	packOne  func(worker, i int) // e.pack, bound once so that Send allocates nothing
}

// NewEndpoint returns an endpoint without connections. It panics when cfg.Entropy cannot be read,
// because every security guarantee depends on it.
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
		byAddr:  make(map[Addr]*connEntry),
		byID:    make(map[uint16]*connEntry),

		tokens:   cfg.Identity.Agent(),
		halfOpen: newHalfOpenTable(),
		deferred: newDeferredTable(),
	}
	e.packOne = e.pack
	return e
}

// SetAccepting sets whether other programs can connect. An endpoint that does not accept sends no
// answers, and forgets the handshakes that have begun; existing connections continue.
func (e *Endpoint) SetAccepting(on bool) {
	e.cfg.Accepting = on
	if !on {
		e.challenges, e.waiting, e.introduced, e.owed, e.repeats = challengeRing{}, nil, nil, nil, nil
		e.halfOpen.clear()
		e.deferred.dropIf(func(*halfOpen) bool { return true })
	}
}

// Accepting reports whether other programs can connect.
func (e *Endpoint) Accepting() bool { return e.cfg.Accepting }

// SetLimits replaces the limits. Existing connections stay.
func (e *Endpoint) SetLimits(l Limits) { e.limits = l.withDefaults() }

// Conns returns the connections in id order. A connection that has ended is included until it has
// sent its last packets. The slice is valid until the next call of an Endpoint method.
func (e *Endpoint) Conns() []*Conn { return e.conns }

// Connect starts a connection to an address. Connected or Failed reports the result. It replaces an
// existing connection or attempt to the same address.
func (e *Endpoint) Connect(now Time, to Addr, o ConnectOptions) *Pending {
	p, err := newPending(now, e.cfg.Entropy, to, o,
		greeting{Version: e.cfg.Version, Game: e.cfg.Game, Classes: e.cfg.Classes},
		introduction{
			Name: o.Name, Password: o.Password, Args: o.Args, Roles: o.Roles, Language: o.Language, Ticket: o.Ticket,
			Rate: e.cfg.RecvRate.withDefaults(DefaultRate), Check: e.cfg.Check,
		})
	if err != nil {
		p.fault = &Reason{Code: Refused, Text: err.Error()} // the next Tick reports it
	}
	for _, to := range append([]Addr{to}, o.Others...) {
		if old := e.pendingTo(to); old != nil {
			e.fail(old, Reason{Code: Replaced})
		}
	}
	e.pending = append(e.pending, p)
	return p
}

// Receive handles one datagram. It does not keep b. at is when the datagram arrived, and can be
// before the last Tick or Send: then the owner was late to take it.
func (e *Endpoint) Receive(at Time, from Addr, b []byte) {
	if !e.ReceiveStateless(at, from, b) {
		e.ReceiveStateful(at, from, b)
	}
}

// ReceiveStateful handles a datagram that ReceiveStateless has just left.
func (e *Endpoint) ReceiveStateful(at Time, from Addr, b []byte) {
	if b[0]&3 != 0 { // a packet of a connection
		e.byAddr[from].conn.Receive(at, b)
		return
	}
	now := e.advance(at)
	switch b[0] {
	case packetRouted, packetShort:
		e.handleRouted(at, from, b)
	case packetReset:
		e.handleReset(now, from, b)
	case packetConnectRequest:
		e.handleConnectRequest(now, from, b)
	case packetChallengeResponse:
		e.handleChallengeResponse(now, from, b)
	case packetConnectReply:
		e.handleConnectReply(now, from, b)
	case packetIntroduction:
		e.handleIntroduction(now, from, b)
	case packetVerdict:
		e.handleVerdict(now, from, b)
	case packetSessionUnknown:
		e.handleSessionUnknown(now, from, b)
	case packetBusy:
		e.handleBusy(now, from, b)
	case packetDeferred:
		e.handleDeferred(now, from, b)
	}
}

// advance returns the time, which never goes backward.
func (e *Endpoint) advance(to Time) Time {
	e.now = max(e.now, to)
	return e.now
}

// Tick lets time pass: it removes the connections and attempts that are over, and lets Asked return
// introductions again that were put off.
func (e *Endpoint) Tick(now Time) {
	now = e.advance(now)
	for _, p := range e.pending {
		p.tick(now)
	}
	e.excuse(now)
	e.solve(now)
	e.putOff = false
	e.halfOpen.expire(now)
	e.expireDeferred(now)
	for _, s := range e.ordered {
		s.conn.Tick(now)
		if s.unconfirmed() && now-s.opened >= connectTimeout {
			s.conn.Close(Reason{Code: ConnectTimeout})
		}
	}
	e.expire(now)
	e.sweep()
}

// Send completes the waiting key exchanges as the rate limit allows. If it accepts introductions,
// or the owner decides on them after Send and sends again, a join waits for no tick. The other
// clients are told that they wait. Then it passes on every datagram that is due: first the answers
// of the handshake, then the packets of the connections in id order. The connections pack in groups
// of forkSize: those of a group pack before the first packet of it is passed on. out must not keep
// b.
func (e *Endpoint) Send(now Time, out func(to Addr, b []byte)) {
	now = e.advance(now)
	e.excuse(now)
	e.admit(now)
	if !e.cfg.Gated {
		e.acceptAll(now)
	}
	e.tellWaiting()
	e.sendAnswers(now, out)
	for _, p := range e.pending {
		p.send(now, out)
	}
	e.budget.grant(now, e.conns)
	for from := 0; from < len(e.ordered); from += forkSize {
		group := e.ordered[from:min(from+forkSize, len(e.ordered))]
		e.fork(now, group)
		for _, s := range group {
			s.join(now, out)
		}
	}
	e.budget.settle(now, e.conns)
}

// sendAnswers passes on the answers of the handshake.
func (e *Endpoint) sendAnswers(now Time, out func(to Addr, b []byte)) {
	e.SendStateless(now, out)
	for _, s := range e.owed {
		out(s.from, s.due)
		s.due = nil
	}
	clear(e.owed)
	e.owed = e.owed[:0]
}

// Due returns when Tick or Send next has something to do.
func (e *Endpoint) Due(now Time) Time {
	if e.challenges.n > 0 || len(e.resets.due) > 0 || len(e.waiting) > 0 || len(e.owed) > 0 || len(e.repeats) > 0 || len(e.introduced) > 0 && !e.putOff && e.asked == nil {
		return now
	}
	due := Never
	for _, p := range e.pending {
		if p.over || p.fault != nil {
			return now
		}
		due = min(due, p.due(), p.deadline)
	}
	for _, s := range e.ordered {
		if s.replyDue {
			return now
		}
		hold := Time(0)
		if e.budget.counts(s.conn) {
			hold = e.budget.due()
		}
		due = min(due, s.conn.dueAfter(now, hold))
	}
	return max(due, now)
}

// Close ends every connection and attempt, and stops accepting. The next Send tells the clients
// whose handshake has begun. Keep calling Tick and Send until Conns is empty: then all peers were
// told.
func (e *Endpoint) Close(now Time, r Reason) {
	told := e.refuseAll(r)
	e.SetAccepting(false)
	e.owed = told
	for _, p := range e.pending {
		e.fail(p, r)
	}
	for _, s := range e.ordered {
		if _, ended := s.conn.Closed(); !ended {
			s.conn.Close(r)
		}
	}
}

// open makes the connection of a completed handshake. It replaces an existing connection at the
// same address.
func (e *Endpoint) open(now Time, s *connEntry, cfg ConnConfig, user any) *Conn {
	if old := e.byAddr[cfg.Addr]; old != nil {
		e.replace(old)
	}
	e.lastID++
	cfg.ID, cfg.Seed, cfg.Pool = e.lastID, e.seed(), &e.pool
	cfg.Streams = func(c *Conn) []Stream {
		c.User = user // set before the streams are made: they can read it
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

// reveal returns a function that passes the keys of a session to Config.Keys, nil without it.
func (e *Endpoint) reveal(from Addr) func(seal.SessionKeys) {
	if e.cfg.Keys == nil {
		return nil
	}
	return func(k seal.SessionKeys) { e.cfg.Keys(from, k) }
}

// seed returns a random seed for a connection.
func (e *Endpoint) seed() uint64 {
	var b [8]byte
	if _, err := io.ReadFull(e.cfg.Entropy, b[:]); err != nil {
		panic("BUG: no entropy: " + err.Error())
	}
	return binary.LittleEndian.Uint64(b[:])
}

// replace removes a session from the map at once. Its last packets are still sent, but packets from
// the address now belong to the new session.
func (e *Endpoint) replace(old *connEntry) {
	delete(e.byAddr, old.conn.Addr())
	if _, ended := old.conn.Closed(); !ended {
		old.conn.Close(Reason{Code: Replaced})
	}
}

// sweep removes the sessions that have sent their last packets.
func (e *Endpoint) sweep() {
	kept := 0
	for _, s := range e.ordered {
		if s.conn.Done() {
			if addr := s.conn.Addr(); e.byAddr[addr] == s {
				delete(e.byAddr, addr)
			}
			e.removeRoute(s, 0)
			e.removeRoute(s, 1)
			s.conn.cfg.Keys.Erase()
			continue
		}
		e.ordered[kept], e.conns[kept] = s, s.conn
		kept++
	}
	clear(e.ordered[kept:])
	clear(e.conns[kept:])
	e.ordered, e.conns = e.ordered[:kept], e.conns[:kept]
}

// addressBytes returns an address in the fixed form that cookies are computed from.
func (e *Endpoint) addressBytes(a Addr) []byte {
	e.address = a.AppendRemote(e.address[:0])
	return e.address
}

// Configure changes the settings of new connections: how much this side can receive, the limit of
// its sending, the timeout, and whether it requests marks. Existing connections get the timeout.
func (e *Endpoint) Configure(receive, send Rate, timeout Time, check bool) {
	e.cfg.RecvRate, e.cfg.MaxSend, e.cfg.Timeout, e.cfg.Check = receive, send, timeout, check
	for _, c := range e.conns {
		c.SetTimeout(timeout)
	}
}
