package netcore

import (
	"math/rand/v2"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// ConnConfig is what a connection is made of. The zero value of every field
// but Keys is legal.
type ConnConfig struct {
	ID        uint32 // for Conn.ID
	Addr      Addr
	Keys      *seal.Pair // the session's keys; required
	Peer      seal.Key   // who the peer proved to be
	Initiator bool       // this side asked for the connection

	Streams func(c *Conn) []Stream // the sections, first is most important

	RecvRate Rate // what this side can receive; default DefaultRate
	MaxSend  Rate // the most this side sends; default 125/s x 1200 B
	PeerRate Rate // the peer's RecvRate as the handshake told; default DefaultRate

	Timeout Time   // silence that ends the connection; default 45 s
	Check   bool   // every section says where it ends; equal at both ends
	Seed    uint64 // of the connection's own random choices
	Pool    *Pool  // buffers for held packets, may be shared; default one of its own
	Log     *Log   // nil for none

	Notified func(c *Conn, seq Seq, delivered bool) // the fate of each packet, after the streams heard it
	Ended    func(c *Conn, r Reason)                // last of all calls, exactly once
}

// Conn is one end of a connection: a pure machine driven by Receive, Tick and
// Send. Each data packet it sends is reported delivered or dropped to its
// streams, once, in order, truthfully; it never sends one twice.
//
// A Conn belongs to one goroutine at a time. What an Endpoint does at once for
// several of them is to pack: then only the Pack of their streams is called.
type Conn struct {
	User any // the owner's own, not used here

	cfg     ConnConfig
	streams []Stream
	rates   announcer
	rng     *rand.Rand
	stats   Stats

	now   Time
	heard Time // when the last authentic packet came
	out   sendWindow
	in    recvWindow
	held  heldPackets
	rtt   estimate
	ping  pinger
	owed  ackDebt
	rate  sendRate
	end   ending
	link  *connLink

	w       bitstream.Writer
	r       bitstream.Reader
	header  dataHeader
	control controlHeader
	outbox  outbox
	wire    []byte // the room of the packet at hand, in the outbox
	marks   []int  // of the packet at hand: bit positions at which its sections end
	packing bool   // within pack: lines of the log wait for pass
	lines   []string
}

// NewConn returns an open connection at now.
func NewConn(now Time, cfg ConnConfig) *Conn {
	cfg.RecvRate = cfg.RecvRate.or(DefaultRate)
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	if cfg.Pool == nil {
		cfg.Pool = new(Pool)
	}
	c := &Conn{cfg: cfg, now: now, heard: now, rng: rand.New(rand.NewPCG(cfg.Seed, 0x746f7263))}
	c.out.start(c.rng)
	c.ping.start(now)
	c.rates.own = cfg.RecvRate
	c.rate.start(now, cfg.PeerRate.or(DefaultRate), cfg.MaxSend.or(Rate{MaxRate, MaxSize}))
	if cfg.Streams != nil {
		c.streams = cfg.Streams(c)
	}
	c.marks = make([]int, 0, len(c.streams)+1)
	c.Logf(1, "%v open", cfg.Addr)
	return c
}

// ID returns the number its owner gave it.
func (c *Conn) ID() uint32 { return c.cfg.ID }

// Addr returns where the peer is.
func (c *Conn) Addr() Addr { return c.cfg.Addr }

// Peer returns the key the peer proved to hold.
func (c *Conn) Peer() seal.Key { return c.cfg.Peer }

// Initiator reports whether this side asked for the connection.
func (c *Conn) Initiator() bool { return c.cfg.Initiator }

// Check reports whether sections say where they end.
func (c *Conn) Check() bool { return c.cfg.Check }

// Streams returns the connection's streams in order; it is not to be changed.
func (c *Conn) Streams() []Stream { return c.streams }

// Stats returns the running counters.
func (c *Conn) Stats() *Stats { return &c.stats }

// RTT returns the smoothed round-trip time, 0 before the first sample.
func (c *Conn) RTT() Time { return c.rtt.smooth }

// Loss returns the recent share of our packets that were dropped, 0..1.
func (c *Conn) Loss() float64 { return c.stats.loss }

// Established reports whether a data packet of ours was delivered: only then
// is it certain that the peer holds its end.
func (c *Conn) Established() bool { return c.stats.Delivered > 0 }

// PeerAck returns the newest data packet of this side that the peer had received when it wrote the
// packet that is being read, or was read last.
func (c *Conn) PeerAck() Seq { return c.header.acks.ack }

// InFlight returns how many of our data packets have no fate yet.
func (c *Conn) InFlight() int { return c.out.inFlight() }

// SendRate returns the rate in force for what we send.
func (c *Conn) SendRate() Rate { return c.rate.force }

// SetMaxSend sets the most this side will send; zero fields mean no own limit.
func (c *Conn) SetMaxSend(r Rate) { c.rate.limit(c.now, r.or(Rate{MaxRate, MaxSize})) }

// Boost lets this side send at its own cap, whatever the peer announced. It is
// for measuring: between players the receiver dictates the rate.
func (c *Conn) Boost(on bool) { c.rate.boost(c.now, on) }

// SetReceiveRate changes what this side can receive. The next data packet
// says so, and the one after it if that is lost.
func (c *Conn) SetReceiveRate(r Rate) { c.rates.set(r.or(c.rates.own)) }

// ReceiveRate returns what this side last said it can receive.
func (c *Conn) ReceiveRate() Rate { return c.rates.own }
