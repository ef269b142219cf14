package netcore

import "github.com/torc-engine/torc/netcore/bitstream"

// sendRate is the token bucket of the packets sent. The receiver sets the rate, up to the sender's
// own limit.
type sendRate struct {
	peer, own Rate
	boosted   bool
	current   Rate    // the rate in force
	tokens    float64 // packets that can be sent at the time at
	at        Time
}

func (s *sendRate) start(now Time, peer, own Rate) {
	s.peer, s.own, s.at = peer, own, now
	s.current = peer.Min(own)
	s.tokens = s.burst()
}

// burst returns how many packets can be sent at once after a pause: the packets of a quarter of a
// second, 1..8. So a slow connection never gets a queue of a whole second.
func (s *sendRate) burst() float64 { return min(max(s.current.Packets/4, 1), 8) }

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

// spend takes the tokens of a packet. A packet above the rate's size counts as several packets.
func (s *sendRate) spend(size int) { s.tokens -= max(1, float64(size)/float64(s.current.Size)) }

func (s *sendRate) ready(now Time) bool { s.fill(now); return s.tokens >= 1 }

// due returns when the next packet can be sent.
func (s *sendRate) due() Time {
	if s.tokens >= 1 {
		return s.at
	}
	// The extra nanosecond ensures that rounding never wakes us too early.
	return s.at + Time((1-s.tokens)/s.current.Packets*1e9) + 1
}

func (s *sendRate) fill(now Time) {
	if now > s.at {
		s.tokens = min(s.tokens+(now-s.at).Seconds()*s.current.Packets, s.burst())
		s.at = now
	}
}

// rateSection is the first section of every data packet: rate changes.
//
//	1 bit  changed | [changed: Rate, 21 bits]
type rateSection struct {
	own     Rate
	pending bool
	carrier Seq // newest packet that carries the current announcement; 0 for none
}

func (a *rateSection) Name() string { return "rate" }

func (a *rateSection) set(r Rate) {
	if r != a.own {
		a.own, a.pending, a.carrier = r, true, 0
	}
}

func (a *rateSection) Pack(w *bitstream.Writer, p Outgoing) (wrote bool) {
	if !w.WriteFlag(a.pending) {
		return false
	}
	a.own.Serialize(&w.Codec)
	a.pending, a.carrier = false, p.Seq
	return true
}

func (a *rateSection) Unpack(r *bitstream.Reader, p Incoming) error {
	if !r.ReadFlag() {
		return nil
	}
	var rate Rate
	if rate.Serialize(&r.Codec); r.Err() == nil {
		p.Conn.rate.announce(p.Now, rate)
	}
	return nil
}

// Notify repeats the announcement if its newest carrier was lost.
func (a *rateSection) Notify(seq Seq, delivered bool) {
	if seq == a.carrier {
		a.pending, a.carrier = !delivered, 0
	}
}
