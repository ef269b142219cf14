package nodetest

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// rateOracle checks V12: a player who has asked for a rate gets at most that, and the burst that
// the protocol allows after a pause.
type rateOracle struct {
	sentTo map[netcore.Addr]*recentBytes
	calm   netcore.Time // until then no limit is checked: a machine stood still or its clock jumped
}

// rateWindow is the time over which bytes are counted.
const rateWindow = 4 * time.Second

// recentBytes has the datagrams that were sent to an address in the last rateWindow.
type recentBytes struct {
	at    []netcore.Time
	bytes []int
	total int
}

// sent notes a datagram.
func (o *rateOracle) sent(now netcore.Time, from, to netcore.Addr, d []byte) {
	if from != serverAddr || len(d) == 0 || d[0]&3 == 0 {
		return // only packets of a connection count, and not answers of the handshake, which anybody can cause
	}
	if o.sentTo == nil {
		o.sentTo = map[netcore.Addr]*recentBytes{}
	}
	w := o.sentTo[to]
	if w == nil {
		w = &recentBytes{}
		o.sentTo[to] = w
	}
	w.at, w.bytes, w.total = append(w.at, now), append(w.bytes, len(d)), w.total+len(d)
	w.forget(now)
}

// forget drops the datagrams that are older than rateWindow.
func (w *recentBytes) forget(now netcore.Time) {
	n := 0
	for n < len(w.at) && w.at[n] <= now-rateWindow {
		w.total -= w.bytes[n]
		n++
	}
	w.at, w.bytes = append(w.at[:0], w.at[n:]...), append(w.bytes[:0], w.bytes[n:]...)
}

// disturbed pauses the check.
func (o *rateOracle) disturbed(s *system, _ int) { o.calm = s.net.Now() + rateWindow + 5*time.Second }

// step checks the players who have asked for a rate and have been connected for a while.
func (o *rateOracle) step(s *system) {
	if s.net.Now() < o.calm {
		return
	}
	for _, p := range s.players {
		c, v := p.connection(), p.peer()
		w := o.sentTo[p.addr]
		if p.rate == "default" || c == nil || v == nil || w == nil || v.Net().Heard() == 0 || !p.inGame() {
			continue
		}
		packets, size := p.receives()
		w.forget(s.net.Now())
		burst := max(min(max(packets/4, 1), 8), packets*.008)
		most := int((packets*rateWindow.Seconds()+burst+1)*float64(size)) + controlBytes
		if w.total > most {
			s.fail("V12", "player %d was sent %d bytes in %v, and can receive %d", p.number, w.total, rateWindow, most)
		}
	}
}

// controlBytes are the most bytes of packets in rateWindow that take nothing from the rate: pings
// and answers.
const controlBytes = 800
