package netcore

import (
	"net/netip"
	"time"
)

// Limits limit the cost of clients to a server. A zero field means the default, the number after
// the semicolon. Local and simulated addresses are exempt from the limits by address, but count in
// the totals. So are loopback addresses, unless Loopback is set. Browsers at loopback addresses are
// exempt only if LocalWeb is set. A client is unheard from the key exchange to its introduction.
type Limits struct {
	Connections       int     // live connections from one address; 8
	HalfOpenByAddress int     // unheard clients of one address; 8, and 4 times as many of an IPv6 /48
	RateByAddress     float64 // handshakes per second from one address; 10, and 4 times as many of a /48
	HalfOpen          int     // unheard and refused clients of all addresses; 2048. A new one replaces the oldest
	Rate              float64 // handshakes per second in total; 1000 (a fifth of a core)
	Loopback          bool    // loopback addresses are not exempt
	LocalWeb          bool    // browsers at loopback addresses are exempt, unless Loopback is set
}

// The defaults of Limits that bound what addresses hold.
const (
	defaultConnections       = 8
	defaultHalfOpenByAddress = 8
	defaultHalfOpen          = 2048
)

// Exempt reports whether the limits by address do not apply to an address.
func (l Limits) Exempt(a Addr) bool {
	if a.Kind == AddrWeb {
		return l.LocalWeb && !l.Loopback && netip.AddrFrom16(a.IP).Unmap().IsLoopback()
	}
	return a.Loopback() && (a.Kind != AddrUDP || !l.Loopback)
}

func (l Limits) withDefaults() Limits {
	setDefault(&l.Connections, defaultConnections)
	setDefault(&l.HalfOpenByAddress, defaultHalfOpenByAddress)
	setDefault(&l.HalfOpen, defaultHalfOpen)
	if l.RateByAddress == 0 {
		l.RateByAddress = 10
	}
	if l.Rate == 0 {
		l.Rate = 1000
	}
	return l
}

func setDefault(v *int, other int) {
	if *v == 0 {
		*v = other
	}
}

// rateLimiter is a token bucket: it allows rate events per second and a burst. The zero quota has its
// whole burst left.
type rateLimiter struct {
	used float64 // of the burst, at time at
	at   Time
}

// take uses one token and reports whether there was one.
func (q *rateLimiter) take(now Time, rate, burst float64) bool {
	if !q.ready(now, rate, burst) {
		return false
	}
	q.used++
	return true
}

// ready reports whether there is a token.
func (q *rateLimiter) ready(now Time, rate, burst float64) bool {
	q.used = max(0, q.used-(now-q.at).Seconds()*rate)
	q.at = now
	return q.used+1 <= burst
}

const (
	limiterPeriod = 10 * time.Second // longer than any quota takes to refill
	limiterSize   = 4096             // addresses remembered per generation
)

// AddressLimiter limits the requests of each address. It has two generations and drops the older one
// as a whole, so it never has to search for old entries. When a generation is full, the next one
// begins early: many addresses cannot keep out a new one. The zero value is ready for use.
type AddressLimiter struct {
	rotatedAt         Time
	current, previous map[Addr]rateLimiter // never ranged over: map order is random
}

// Admit counts one request of an address and reports whether it can proceed. The limit is rate per
// second, and as many at once but at least 1. An IPv6 /48 has four times as much as an address.
func (l *AddressLimiter) Admit(now Time, from Addr, rate float64) bool {
	ranges := from.Ranges()
	for i, at := range ranges {
		if !l.allows(now, at, rate*float64(shares[i])) {
			return false
		}
	}
	for i, at := range ranges {
		l.take(now, at, rate*float64(shares[i]))
	}
	return true
}

// take counts one request of host and reports whether it can proceed.
func (l *AddressLimiter) take(now Time, host Addr, rate float64) bool {
	if l.current == nil || now-l.rotatedAt >= limiterPeriod || len(l.current) >= limiterSize {
		l.rotate(now)
	}
	q := l.quota(host)
	ok := q.take(now, rate, max(rate, 1))
	l.current[host] = q
	return ok
}

// allows reports whether a request of host can proceed. It counts and stores nothing.
func (l *AddressLimiter) allows(now Time, host Addr, rate float64) bool {
	q := l.quota(host)
	return q.ready(now, rate, max(rate, 1))
}

func (l *AddressLimiter) quota(host Addr) rateLimiter {
	if q, known := l.current[host]; known {
		return q
	}
	return l.previous[host]
}

func (l *AddressLimiter) rotate(now Time) {
	if l.current == nil {
		l.current, l.previous = make(map[Addr]rateLimiter), make(map[Addr]rateLimiter)
	}
	l.current, l.previous = l.previous, l.current
	clear(l.current)
	l.rotatedAt = now
}
