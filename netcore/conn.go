package netcore

import (
	"math/rand/v2"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/congestion"
	"github.com/torc-engine/torc/netcore/seal"
)

// ConnConfig configures a connection. The zero value is valid for every field except Keys.
type ConnConfig struct {
	ID        uint32 // the result of Conn.ID
	Addr      Addr
	Keys      *seal.Session // the session's keys; required
	Peer      seal.Key      // the key that the peer proved to hold
	Initiator bool          // this side asked for the connection

	Streams func(c *Conn) []Stream // returns the sections, the most important one first

	RecvRate Rate // how much this side can receive; default DefaultRate
	MaxSend  Rate // the limit of this side's sending; default 5000/s x 1400 B
	PeerRate Rate // the peer's RecvRate from the handshake; default DefaultRate

	Route Route // on the client: what its packets name; the zero Route for packets without an id

	Timeout Time        // silence after which the connection ends; default 45 s
	Check   bool        // append the end position of each section; must be equal at both ends
	Seed    uint64      // of the connection's random numbers
	Pool    *BufferPool // buffers for held packets; can be shared; default a new Pool
	Log     *Log        // nil for no log

	Notified func(c *Conn, seq Seq, delivered bool) // each packet's fate, after Notify
	Ended    func(c *Conn, r Reason)                // called exactly once, after all other calls

	MayMove func(c *Conn, to Addr) bool // whether the peer can move to an address; nil: to none
	Moved   func(c *Conn, old Addr)     // the peer has moved, and Addr returns the new address

	// Challenge draws the challenges to new addresses, from cryptographic randomness: a peer that
	// can guess them can send this side's packets to somebody else. Required if MayMove is set.
	Challenge func() uint64
}

// Conn is one end of a connection: a state machine driven by Receive, Tick and Send. It tells its
// streams for each data packet whether the peer processed it. It does so exactly once, in order,
// and the report is always true. It never sends a packet twice.
//
// A Conn belongs to one goroutine at a time. An Endpoint can pack several connections in parallel.
// While it does, it calls only the Pack method of their streams.
type Conn struct {
	User any // for the owner; not used here

	cfg     ConnConfig
	streams []Stream
	rates   rateSection
	rng     *rand.Rand
	stats   Stats

	now            Time
	worker         int  // of Config.Parallel, in the present Send
	heard          Time // when the last authentic packet came
	arrivedAt      Time // when the packet in hand arrived; at most now
	out            sendWindow
	in             recvWindow
	held           heldPackets
	reorder        reordering
	rtt            rttEstimate
	ping           pinger
	pendingAck     pendingAck
	rate           sendRate
	end            closeState
	newestSeq      Seq              // newest authentic data packet, read or held
	newest         uint64           // authentic packets that were the newest of their kind on arrival
	from           Addr             // where the packet in hand comes from
	candidate      addressCandidate // an address that the peer may have moved to
	pathSize       pathSize
	pathEcho       uint64
	nextPathAnswer Time
	link           *connLink

	r      bitstream.Reader
	outbox *outbox // from pack to deliver; nil at other times
	alone  *outbox // of a connection without an Endpoint; nil before its first Send
	marks  []int   // of the current packet: bit positions at which its sections end
	lines  []string

	packing    bool // inside pack: log lines are kept until pass
	whole      bool // the packets of this pack name the whole connection id
	pathAnswer bool // the answer to a challenge is owed
}

// NewConn returns an open connection. now is the time of its creation.
func NewConn(now Time, cfg ConnConfig) *Conn {
	cfg.RecvRate = cfg.RecvRate.withDefaults(DefaultRate)
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.Pool == nil {
		cfg.Pool = new(BufferPool)
	}
	c := &Conn{cfg: cfg, now: now, heard: now, rng: rand.New(rand.NewPCG(cfg.Seed, 0x746f7263))}
	c.out.start(c.rng)
	c.reorder.hold = minHold
	c.ping.start(now)
	c.ping.client = cfg.Initiator
	c.ping.keepWithin(cfg.Timeout)
	c.rates.conn, c.rates.own, c.rates.keys.began = c, cfg.RecvRate, now
	c.rate.start(now, cfg.Addr, cfg.PeerRate.withDefaults(DefaultRate), cfg.MaxSend.withDefaults(Rate{MaxRate, MaxSize}))
	if cfg.Streams != nil {
		c.streams = cfg.Streams(c)
	}
	c.marks = make([]int, 0, len(c.streams)+1)
	c.Logf(1, "%v open", cfg.Addr)
	return c
}

// ID returns the number from the ConnConfig.
func (c *Conn) ID() uint32 { return c.cfg.ID }

// Addr returns the peer's address.
func (c *Conn) Addr() Addr { return c.cfg.Addr }

// Peer returns the key that the peer proved to hold.
func (c *Conn) Peer() seal.Key { return c.cfg.Peer }

// Initiator reports whether this side asked for the connection.
func (c *Conn) Initiator() bool { return c.cfg.Initiator }

// Check reports whether data packets contain the end positions of their sections.
func (c *Conn) Check() bool { return c.cfg.Check }

// Streams returns the connection's streams in order. The caller must not change the slice.
func (c *Conn) Streams() []Stream { return c.streams }

// Stats returns the running counters.
func (c *Conn) Stats() *Stats { return &c.stats }

// RTT returns the smoothed round-trip time, 0 before the first sample.
func (c *Conn) RTT() Time { return c.rtt.smooth }

// Loss returns the recent share of lost packets among those sent, 0..1.
func (c *Conn) Loss() float64 { return c.stats.loss }

// Established reports whether the peer has processed a data packet of this side. Only then is it
// certain that the peer has the connection, too.
func (c *Conn) Established() bool { return c.stats.Delivered > 0 }

// Heard returns when the last authentic packet of the peer came: at first the time when the
// connection began, or when the peer repeated its introduction.
func (c *Conn) Heard() Time { return c.heard }

// PeerAck returns the newest data packet of this side that the peer acknowledged in the packet
// being read, or in the last packet read.
func (c *Conn) PeerAck() Seq { return c.in.ackBase }

// LeastRTT returns the lowest measured round-trip time, 0 before the first sample.
func (c *Conn) LeastRTT() Time { return c.rtt.least }

// RTTVariation returns the smoothed difference between a measured round-trip time and RTT.
func (c *Conn) RTTVariation() Time { return c.rtt.variation }

// LineRate returns the rate that the congestion control allows, in bits/s with IP and UDP headers.
func (c *Conn) LineRate() float64 { return 8 * c.rate.line.Rate() }

// Capacity returns the rate at which this side can send at most, in bits/s with IP and UDP headers:
// what the line, the budget of the endpoint and the rates of both sides allow.
func (c *Conn) Capacity() float64 { return 8 * c.rate.capacity() }

// Spare returns how many bytes of a section the connection can send in further packets, so that the
// line is free again at until. It is 0 as long as a stream has something to send, or packets wait
// in the queue of the line.
func (c *Conn) Spare(now, until Time) int {
	if c.end.over || !c.out.room() || c.rate.grant.left <= 0 || c.streamsDue(now) <= now {
		return 0
	}
	room := c.rate.spare(now, until)
	packets := room/(c.PacketSize()+congestion.HeaderBytes) + 1
	return max(room-packets*(congestion.HeaderBytes+c.head()+clearBytes+tagBytes+c.marksSize()+spareHeader), 0)
}

// spareHeader is room for the header of a packet, and for the sections without anything new, in
// bytes.
const spareHeader = 16

// PacketSize returns how large the next packet can be, in bytes of UDP payload.
func (c *Conn) PacketSize() int { return min(c.rate.size(), c.pathSize.limit()) }

// SendInterval returns the time between two packets of the size in use.
func (c *Conn) SendInterval() Time { return c.rate.interval() }

// InFlight returns how many sent packets have no fate yet.
func (c *Conn) InFlight() int { return c.out.inFlight() }

// SendRate returns the rate at which this side currently sends.
func (c *Conn) SendRate() Rate { return c.rate.current }

// SetMaxSend sets the limit of this side's sending. A zero field means no limit.
func (c *Conn) SetMaxSend(r Rate) { c.rate.limit(c.now, r.withDefaults(Rate{MaxRate, MaxSize})) }

// Boost makes this side send at its own limit and ignore the peer's announced rate. It exists for
// measurements: normally the receiver sets the rate.
func (c *Conn) Boost(on bool) { c.rate.boost(c.now, on) }

// SetTimeout changes the silence after which the connection ends. 0 means the default of 45 s.
func (c *Conn) SetTimeout(t Time) {
	if t <= 0 {
		t = defaultTimeout
	}
	c.cfg.Timeout = t
	c.ping.keepWithin(t)
}

// Unanswered returns for how long the peer has answered nothing, at now: the age of the oldest data
// packet without a fate, or of the oldest ping without an answer. It includes the round-trip time.
// A line that is dead in one direction also counts. 0 means that nothing waits for an answer.
func (c *Conn) Unanswered(now Time) Time {
	since := now
	if c.out.inFlight() > 0 {
		since = c.out.oldest()
	}
	if c.ping.asked > 0 {
		since = min(since, c.ping.asked)
	}
	return max(now-since, 0)
}

// Silence returns for how long the peer is silent that should not be, at now: since its last
// authentic packet, less the pause of a peer with nothing to say.
func (c *Conn) Silence(now Time) Time {
	since := c.heard
	if c.heard-c.ping.dataAt >= quietAfter/2 { // the peer asks every quietKeepAlive now
		since += quietKeepAlive(!c.cfg.Initiator)
	}
	return max(now-since, 0)
}

// SetReceiveRate changes how much this side can receive. The next data packet announces it. If that
// packet is lost, the connection announces it again.
func (c *Conn) SetReceiveRate(r Rate) { c.rates.set(r.withDefaults(c.rates.own)) }

// ReceiveRate returns the rate that this side last announced.
func (c *Conn) ReceiveRate() Rate { return c.rates.own }
