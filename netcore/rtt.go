package netcore

// estimate is the smoothed round-trip time.
type estimate struct{ smooth Time }

// sample adds a measured round-trip time with a weight of 1/8.
func (e *estimate) sample(t Time) {
	t = max(t, 0)
	if e.smooth == 0 {
		e.smooth = max(t, 1) // 0 means that there is no sample
		return
	}
	e.smooth = max(e.smooth+(t-e.smooth)/8, 1)
}

// pinger decides when to send a ping, and matches the answers.
//
// There are two reasons for a ping. First: a packet is in flight and nothing was sent or settled
// for twice the round-trip time. The last packet was perhaps lost, and no later packet would reveal
// that. Second: the round-trip time was not measured for keepAlive. The peer is perhaps gone.
type pinger struct {
	wait    Time // before the next tail-loss ping; doubles
	moved   Time // when a packet was sent or settled, or a ping sent
	sampled Time // when the round-trip time was last measured, or a ping sent
	asked   [4]struct {
		number uint64
		at     Time
	}
	pong     bool // a pong is owed
	pongEcho uint64
}

func (p *pinger) start(now Time) { p.moved, p.sampled = now, now }

// progress restarts the tail-loss timer.
func (p *pinger) progress(now Time) { p.moved, p.wait = now, 0 }

// due returns when to send the next ping.
func (p *pinger) due(unsettled bool, rtt Time) Time {
	t := p.sampled + keepAlive
	if unsettled {
		t = min(t, p.moved+max(p.wait, tailFirst, 2*rtt))
	}
	return t
}

// sent records a ping.
func (p *pinger) sent(now Time, number uint64, unsettled bool, rtt Time) {
	if unsettled {
		p.wait = min(2*max(p.wait, tailFirst, 2*rtt), max(tailMost, 2*rtt))
	}
	p.moved, p.sampled = now, now
	slot := &p.asked[number%uint64(len(p.asked))]
	slot.number, slot.at = number, now
}

// answered returns the round-trip time of the ping that echo names. It returns false for a repeated
// answer.
func (p *pinger) answered(now Time, echo uint64) (Time, bool) {
	for i := range p.asked {
		slot := &p.asked[i]
		if slot.number != 0 && slot.number&(1<<clearBits-1) == echo {
			slot.number = 0
			return now - slot.at, true
		}
	}
	return 0, false
}
