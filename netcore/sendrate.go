package netcore

import (
	"time"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/congestion"
)

// sendRate decides when packets can be sent. The receiver and the sender's own limit set the
// highest rate, a token bucket of packets. Below it the congestion control finds the rate of the
// line.
type sendRate struct {
	line      congestion.Controller
	peer, own Rate
	boosted   bool
	current   Rate    // the rate in force
	tokens    float64 // packets that can be sent at the time at
	at        Time
	grant     grant // by the budget of the endpoint
}

func (s *sendRate) start(now Time, to Addr, peer, own Rate) {
	s.peer, s.own, s.at = peer, own, now
	s.current = peer.Min(own)
	s.tokens = s.burst()
	s.line.Start(now)
	s.grant.start()
	s.path(to)
}

// move begins anew with the line to another address.
func (s *sendRate) move(now Time, to Addr) {
	s.line.Move(now)
	s.path(to)
}

// path tells the congestion control of an address of this process or of this machine. A simulated
// network has lines.
func (s *sendRate) path(to Addr) {
	switch {
	case to.Kind == AddrLocal:
		s.line.NoLine()
	case to.Kind == AddrUDP && to.Loopback():
		s.line.OneMachine()
	}
}

// burst returns how many packets can be sent at once after a pause: the packets of a quarter of a
// second, 1..8, or those of 8 ms. So a slow connection never gets a queue of a whole second.
func (s *sendRate) burst() float64 {
	return max(min(max(s.current.Packets/4, 1), 8), s.current.Packets*.008)
}

func (s *sendRate) change(now Time) {
	s.fill(now)
	s.current = s.own
	if !s.boosted {
		s.current = s.peer.Min(s.own)
	}
	s.tokens = min(s.tokens, s.burst())
}

func (s *sendRate) limit(now Time, own Rate)  { s.own = own; s.change(now) }
func (s *sendRate) announce(now Time, r Rate) { s.peer = r; s.change(now) }
func (s *sendRate) boost(now Time, on bool)   { s.boosted = on; s.change(now) }

// cost returns the tokens of a packet. A packet above the rate's size counts as several packets.
func (s *sendRate) cost(size int) float64 { return max(1, float64(size)/float64(s.current.Size)) }

// spend takes the tokens of a data packet.
func (s *sendRate) spend(now Time, size int) {
	s.tokens -= s.cost(size)
	s.line.Sent(now, size+congestion.HeaderBytes)
}

// spendAck takes the token of an ack.
func (s *sendRate) spendAck(Time) { s.tokens-- }

// spendProbe takes the tokens of a probe of the path's size. It returns the time in which the rate
// gives as many.
func (s *sendRate) spendProbe(now Time, size int) Time {
	s.fill(now)
	s.tokens -= s.cost(size)
	return Time(s.cost(size) / s.current.Packets * 1e9)
}

func (s *sendRate) acked(now Time, a congestion.Ack) { s.line.Acked(now, a) }

func (s *sendRate) ready(now Time) bool {
	s.fill(now)
	return s.tokens >= 1 && (s.boosted || s.line.Allows(now))
}

// spare returns how many bytes can be sent besides the packets of each tick, so that one can leave
// at until. It leaves the packets of a burst.
func (s *sendRate) spare(now, until Time) int {
	s.fill(now)
	packets := s.tokens + (until-now).Seconds()*s.current.Packets - s.burst()
	if s.boosted || packets < 1 {
		return 0
	}
	return min(s.line.Spare(now, until, s.grant.share), int(packets)*(s.size()+congestion.HeaderBytes))
}

// wait tells the line that the connection has something to send and is not ready.
func (s *sendRate) wait(now Time) {
	if s.tokens >= 1 && !s.boosted {
		s.line.Ready(now)
	}
}

// size returns how large the next packet can be, in bytes.
func (s *sendRate) size() int {
	if s.boosted {
		return s.current.Size
	}
	return min(s.current.Size, congestion.SizeAt(s.rate(), MaxDatagram+congestion.HeaderBytes)-congestion.HeaderBytes)
}

// rate returns the bytes per second that the line and the budget allow.
func (s *sendRate) rate() float64 { return min(s.line.Rate(), s.grant.share) }

// capacity returns the bytes per second, with headers, that all limits together allow.
func (s *sendRate) capacity() float64 {
	all := s.current.Packets * float64(s.size()+congestion.HeaderBytes)
	if s.boosted {
		return all
	}
	return min(all, s.rate())
}

// interval returns the time between two packets of the full size.
func (s *sendRate) interval() Time {
	packets := s.current.Packets
	if s.peer.auto() && !s.boosted {
		packets = min(packets, DefaultPackets)
	}
	t := Time(float64(time.Second) / packets)
	if s.boosted {
		return t
	}
	return max(t, Time(float64(s.size()+congestion.HeaderBytes)/s.rate()*1e9))
}

// due returns when the next packet can be sent.
func (s *sendRate) due() Time {
	line := s.at
	if !s.boosted {
		line = s.line.Due()
	}
	if s.tokens >= 1 {
		return max(s.at, line)
	}
	// The extra nanosecond ensures that rounding never wakes us too early.
	return max(s.at+Time((1-s.tokens)/s.current.Packets*1e9)+1, line)
}

func (s *sendRate) fill(now Time) {
	if now > s.at {
		s.tokens = min(s.tokens+(now-s.at).Seconds()*s.current.Packets, s.burst())
		s.at = now
	}
}

// rateSection is the first section of every data packet: changes of the rate and of the key.
//
//	1 bit  change | [change: 16 bits, all ones: a new key; all ones but the lowest: a new Route of
//	       192 bits; else the beginning of a Rate of 27 bits]
type rateSection struct {
	conn  *Conn
	own   Rate
	rate  announcement
	keys  keyRenewal
	route routeAnnouncement
}

// These codes are in the place of a rate's packets per second. No rate has one of them.
const (
	newKeyCode   = 1<<packetsBits - 1
	newRouteCode = 1<<packetsBits - 2
)

func (a *rateSection) Name() string { return "rate" }

func (a *rateSection) set(r Rate) {
	if r != a.own {
		a.own, a.rate = r, announcement{pending: true}
	}
}

// wants reports whether there is something to announce.
func (a *rateSection) wants() bool { return a.rate.pending || a.keys.pending || a.route.pending }

func (a *rateSection) Pack(w *bitstream.Writer, p Outgoing) (wrote bool) {
	switch {
	case !w.WriteFlag(a.wants()):
		return false
	case a.keys.pending:
		w.WriteBits(newKeyCode, packetsBits)
		a.keys.carry(p.Seq)
	case a.route.pending:
		w.WriteBits(newRouteCode, packetsBits)
		a.route.next.serialize(&w.Codec)
		a.route.carry(p.Seq)
	default:
		a.own.Serialize(&w.Codec)
		a.rate.carry(p.Seq)
	}
	return true
}

func (a *rateSection) Unpack(r *bitstream.Reader, p Incoming) error {
	if !r.ReadFlag() {
		return nil
	}
	var rate Rate
	switch code := rate.read(&r.Codec); {
	case r.Err() != nil:
	case code == newRouteCode:
		return p.Conn.readRoute(r)
	case code != newKeyCode:
		p.Conn.rate.announce(p.Now, rate)
	case !p.Conn.cfg.Keys.ExpectNewKey():
		return Violationf("a new key before the last one was used")
	}
	return nil
}

// Notify repeats an announcement whose packet was lost. A new key that the peer expects is used.
func (a *rateSection) Notify(seq Seq, delivered bool) {
	a.rate.settle(seq, delivered)
	a.route.settle(seq, delivered)
	if a.keys.settle(seq, delivered) {
		a.conn.useNewKey()
	}
}
