package netcore

import "github.com/torc-engine/torc/netcore/bitstream"

// sendRate is the token bucket our packets are drawn from. The receiver
// dictates its rate, within the sender's own cap.
type sendRate struct {
	peer, own Rate
	boosted   bool
	force     Rate    // the rate in force
	tokens    float64 // packets that may be sent at the time at
	at        Time
}

func (s *sendRate) start(now Time, peer, own Rate) {
	s.peer, s.own, s.at = peer, own, now
	s.force = peer.Min(own)
	s.tokens = s.burst()
}

// burst is how many packets may follow each other after a rest: what a quarter
// of a second allows, so that a slow line has no queue of a whole second.
func (s *sendRate) burst() float64 { return min(max(s.force.Packets/4, 1), 8) }

func (s *sendRate) change(now Time) {
	s.fill(now)
	s.force = s.own
	if !s.boosted {
		s.force = s.peer.Min(s.own)
	}
	s.tokens = min(s.tokens, s.burst())
}

func (s *sendRate) limit(now Time, own Rate)  { s.own = own; s.change(now) }
func (s *sendRate) announce(now Time, r Rate) { s.peer = r; s.change(now) }
func (s *sendRate) boost(now Time, on bool)   { s.boosted = on; s.change(now) }

// spend books a packet. One that is larger than it should be counts as several.
func (s *sendRate) spend(size int) { s.tokens -= max(1, float64(size)/float64(s.force.Size)) }

func (s *sendRate) ready(now Time) bool { s.fill(now); return s.tokens >= 1 }

// due returns when the next packet may be sent.
func (s *sendRate) due() Time {
	if s.tokens >= 1 {
		return s.at
	}
	// A nanosecond more than exact, so that rounding never wakes us too early.
	return s.at + Time((1-s.tokens)/s.force.Packets*1e9) + 1
}

func (s *sendRate) fill(now Time) {
	if now > s.at {
		s.tokens = min(s.tokens+(now-s.at).Seconds()*s.force.Packets, s.burst())
		s.at = now
	}
}

// announcer is the first section of every data packet, rate changes:
//
//	1 bit  changed | [changed: Rate, 21 bits]
type announcer struct {
	own     Rate
	pending bool
	carrier Seq // newest packet that carried the announcement in force; 0 none
}

func (a *announcer) Name() string { return "rate" }

func (a *announcer) set(r Rate) {
	if r != a.own {
		a.own, a.pending, a.carrier = r, true, 0
	}
}

func (a *announcer) Pack(w *bitstream.Writer, p Outgoing) (wrote bool) {
	if !w.WriteFlag(a.pending) {
		return false
	}
	a.own.Serialize(&w.Stream)
	a.pending, a.carrier = false, p.Seq
	return true
}

func (a *announcer) Unpack(r *bitstream.Reader, p Incoming) error {
	if !r.ReadFlag() {
		return nil
	}
	var rate Rate
	if rate.Serialize(&r.Stream); r.Err() == nil {
		p.Conn.rate.announce(p.Now, rate)
	}
	return nil
}

// Notify announces again what was lost with its newest carrier.
func (a *announcer) Notify(seq Seq, delivered bool) {
	if seq == a.carrier {
		a.pending, a.carrier = !delivered, 0
	}
}
