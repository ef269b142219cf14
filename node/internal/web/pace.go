package web

import "time"

// pace bounds how often something happens. The zero value with a rate and a burst is ready.
type pace struct {
	rate, burst float64 // per second, and at once
	tokens      float64
	at          time.Time
}

// wait waits for the turn of the next message. TCP or SCTP hold back the rest.
func (p *pace) wait() { time.Sleep(p.next(time.Now())) }

// next takes the next turn, and returns how long it is until then.
func (p *pace) next(now time.Time) time.Duration {
	p.fill(now)
	p.tokens--
	return max(0, time.Duration(-p.tokens/p.rate*float64(time.Second)))
}

// allow takes a turn if there is one now.
func (p *pace) allow(now time.Time) bool {
	if p.fill(now); p.tokens < 1 {
		return false
	}
	p.tokens--
	return true
}

func (p *pace) fill(now time.Time) {
	if p.at.IsZero() {
		p.tokens = p.burst
	} else {
		p.tokens = min(p.burst, p.tokens+now.Sub(p.at).Seconds()*p.rate)
	}
	p.at = now
}
