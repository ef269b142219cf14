package netcore

import "time"

// Limits limit the cost of clients to a server. A zero field means the default, the number after
// the semicolon. Loopback, local and simulated addresses are exempt from the limits by address, but
// count in the totals.
type Limits struct {
	Connections       int     // live connections from one address; 8
	HalfOpenByAddress int     // unfinished handshakes from one address; 4
	RateByAddress     float64 // handshakes per second from one address; 10
	HalfOpen          int     // unfinished handshakes from all addresses; 64
	Rate              float64 // handshakes per second in total; 1000 (a fifth of a core)
}

func (l Limits) withDefaults() Limits {
	orInt(&l.Connections, 8)
	orInt(&l.HalfOpenByAddress, 4)
	orInt(&l.HalfOpen, 64)
	if l.RateByAddress == 0 {
		l.RateByAddress = 10
	}
	if l.Rate == 0 {
		l.Rate = 1000
	}
	return l
}

func orInt(v *int, other int) {
	if *v == 0 {
		*v = other
	}
}

// quota is a token bucket: it allows rate events per second and a burst. The zero quota has its
// whole burst left.
type quota struct {
	used float64 // of the burst, at time at
	at   Time
}

// take uses one token and reports whether there was one.
func (q *quota) take(now Time, rate, burst float64) bool {
	q.used = max(0, q.used-(now-q.at).Seconds()*rate)
	q.at = now
	if q.used+1 > burst {
		return false
	}
	q.used++
	return true
}

const (
	ledgerTurn = 10 * time.Second // longer than any quota takes to refill
	ledgerSize = 4096             // addresses remembered per turn
)

// ledger counts the handshakes of each proven address. It has two generations and drops the older
// one as a whole, so it never has to search for old entries. When a generation is full, new
// addresses must wait for the next one.
type ledger struct {
	turned         Time
	current, older map[Addr]quota // never ranged over: map order is random
}

// take counts one handshake from host and reports whether it can proceed.
func (l *ledger) take(now Time, host Addr, rate float64) bool {
	l.turn(now)
	q, known := l.current[host]
	if !known {
		if len(l.current) >= ledgerSize {
			return false
		}
		q = l.older[host]
	}
	ok := q.take(now, rate, max(rate, 1))
	l.current[host] = q
	return ok
}

func (l *ledger) turn(now Time) {
	if l.current == nil {
		l.current, l.older = make(map[Addr]quota), make(map[Addr]quota)
		l.turned = now
	}
	if now-l.turned < ledgerTurn {
		return
	}
	l.current, l.older = l.older, l.current
	clear(l.current)
	l.turned = now
}
