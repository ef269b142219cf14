package netcore

import "time"

// rttEstimate is the smoothed round-trip time.
type rttEstimate struct {
	smooth    Time
	variation Time // smoothed difference of a sample from smooth
	least     Time // the lowest sample
	sampled   Time // when the newest sample was taken
}

// rareSample is the time between samples from which on each counts half.
const rareSample = time.Second

// sample adds a round-trip time measured at now. Its weight is 1/8, or 1/2 if samples are rare.
func (e *rttEstimate) sample(now, t Time) {
	t = max(t, 0)
	weight := Time(8)
	if now-e.sampled >= rareSample {
		weight = 2
	}
	if e.smooth == 0 {
		e.smooth, e.variation, e.least, weight = t, t/2, t, 1
	}
	e.variation += ((t - e.smooth).Abs() - e.variation) / (2 * weight)
	e.smooth = max(e.smooth+(t-e.smooth)/weight, 1) // 0 means that there is no sample
	e.least = min(e.least, max(t, 1))
	e.sampled = now
}

// pinger decides when to send a ping, and matches the answers.
//
// There are two reasons for a ping. First: a packet is in flight and nothing was sent or settled
// for twice the round-trip time. The last packet was perhaps lost, and no later packet would reveal
// that. Second: the round-trip time was not measured for a while. The peer is perhaps gone. While
// no data packets flow, that while is longer: nobody waits for anything. A ping without an answer
// makes it short again.
type pinger struct {
	least      Time // pings in a quarter of the timeout, or more often
	dataAt     Time // when the last data packet was sent or received
	wait       Time // before the next tail-loss ping; doubles
	progressAt Time // when a packet was sent or settled, or a ping sent
	sampledAt  Time // when the round-trip time was last measured, or a ping sent
	pings      [4]struct {
		number uint64
		at     Time
	}
	client   bool // this side asked for the connection
	pong     bool // a pong is owed
	pongEcho uint16
	asked    Time // when the first ping without an answer was sent; 0 for none
	pongAt   Time // when the ping arrived that it answers
	nextPong Time // pause between two pongs
}

// pongDue returns when to send a pong, Never if none is owed.
func (p *pinger) pongDue() Time {
	if !p.pong {
		return Never
	}
	return p.nextPong
}

// ponged records a pong.
func (p *pinger) ponged(now Time) { p.pong, p.nextPong = false, now+answerPause }

func (p *pinger) start(now Time) { p.progressAt, p.sampledAt, p.dataAt = now, now, now }

// keepWithin makes pings frequent enough for a timeout: two can be lost before it.
func (p *pinger) keepWithin(timeout Time) { p.least = timeout / 4 }

// keepAlive returns the longest time of a side without a measured round-trip time. A client asks
// more often, so that both ends notice a dead line.
func keepAlive(client bool) Time {
	if client {
		return clientKeepAlive
	}
	return serverKeepAlive
}

// quietKeepAlive is the same while no data packets flow.
func quietKeepAlive(client bool) Time {
	if client {
		return quietClientKeepAlive
	}
	return quietServerKeepAlive
}

// progress restarts the tail-loss timer.
func (p *pinger) progress(now Time) { p.progressAt, p.wait = now, 0 }

// due returns when to send the next ping.
func (p *pinger) due(unsettled bool, rtt Time) Time {
	t := p.sampledAt + min(keepAlive(p.client), p.least)
	if p.asked == 0 && t-p.dataAt >= quietAfter {
		t = p.sampledAt + min(quietKeepAlive(p.client), p.least)
	}
	if unsettled {
		t = min(t, p.progressAt+max(p.wait, minTailWait, 2*rtt))
	}
	return t
}

// sent records a ping.
func (p *pinger) sent(now Time, number uint64, unsettled bool, rtt Time) {
	if unsettled {
		p.wait = min(2*max(p.wait, minTailWait, 2*rtt), max(maxTailWait, 2*rtt))
	}
	p.progressAt, p.sampledAt = now, now
	if p.asked == 0 {
		p.asked = now
	}
	slot := &p.pings[number%uint64(len(p.pings))]
	slot.number, slot.at = number, now
}

// answered returns the round-trip time of the ping that echo names. It returns false for a repeated
// answer.
func (p *pinger) answered(now Time, echo uint64) (Time, bool) {
	for i := range p.pings {
		slot := &p.pings[i]
		if slot.number != 0 && slot.number&(1<<clearBits-1) == echo {
			slot.number, p.asked = 0, 0
			return now - slot.at, true
		}
	}
	return 0, false
}
