package web

import (
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

// pace bounds how often something happens in real time.
type pace struct {
	limit  rate.Limit
	bucket rate.Bucket
	began  time.Time // of the first turn
	at     time.Time // of the newest
}

// wait waits for the turn of the next message. TCP or SCTP hold back the rest.
func (p *pace) wait() { time.Sleep(p.next(time.Now())) }

// next takes the next turn, and returns how long it is until then.
func (p *pace) next(now time.Time) time.Duration { return p.bucket.Reserve(p.since(now), p.limit, 1) }

// allow takes a turn if there is one now.
func (p *pace) allow(now time.Time) bool { return p.bucket.Take(p.since(now), p.limit, 1) }

func (p *pace) since(now time.Time) time.Duration {
	if p.began.IsZero() {
		p.began = now
	}
	p.at = now
	return now.Sub(p.began)
}
