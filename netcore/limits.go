package netcore

import (
	"net/netip"
	"slices"
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

// Limits limit the cost of clients to a server. A zero field means the default, the number after
// the semicolon. Local and simulated addresses are exempt from the limits by address, but count in
// the totals. So are loopback addresses, unless Loopback is set. Browsers at loopback addresses are
// exempt only if LocalWeb is set. A client is unheard from the key exchange to its introduction.
type Limits struct {
	Connections       int            // live connections from one address; 8
	HalfOpenByAddress int            // unheard clients of one address; 8 (see Scale), and 4 times as many of an IPv6 /48
	RateByAddress     float64        // handshakes per second from one address; 10 (see Scale), and 4 times as many of a /48
	HalfOpen          int            // unheard and refused clients of all addresses; 2048. A new one replaces the oldest
	Rate              float64        // handshakes per second in total; 1000 (a fifth of a core)
	Loopback          bool           // loopback addresses are not exempt
	LocalWeb          bool           // browsers at loopback addresses are exempt, unless Loopback is set
	Allow             []netip.Prefix // further addresses that are exempt: many players come from each
}

// The defaults of Limits that bound what addresses hold.
const (
	defaultConnections       = 8
	defaultHalfOpenByAddress = 8
	defaultHalfOpen          = 2048
)

// Exempt reports whether the limits by address do not apply to an address.
func (l Limits) Exempt(a Addr) bool {
	if l.Allows(a) {
		return true
	}
	if a.Kind == AddrWeb {
		return l.LocalWeb && !l.Loopback && netip.AddrFrom16(a.IP).Unmap().IsLoopback()
	}
	return a.Loopback() && (a.Kind != AddrUDP || !l.Loopback)
}

// Allows reports whether Allow has an address.
func (l Limits) Allows(a Addr) bool {
	if len(l.Allow) == 0 || !a.hasIP() {
		return false
	}
	ip := a.endpoint().Addr().WithZone("")
	return slices.ContainsFunc(l.Allow, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// Scale returns how much of something an address can have if it can have n at the default of
// Connections. It rises with Connections. It does not fall: a program needs it to connect once.
func (l Limits) Scale(n int) int { return max(n, n*l.Connections/defaultConnections) }

func (l Limits) withDefaults() Limits {
	setDefault(&l.Connections, defaultConnections)
	setDefault(&l.HalfOpenByAddress, l.Scale(defaultHalfOpenByAddress))
	setDefault(&l.HalfOpen, defaultHalfOpen)
	if l.RateByAddress == 0 {
		l.RateByAddress = float64(l.Scale(10))
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

const (
	limiterPeriod = 10 * time.Second // longer than any bucket takes to fill
	limiterSize   = 4096             // addresses remembered per generation
)

// AddressLimiter limits the requests of each address. Many addresses cannot keep out a new one, nor
// make it forget one that has used up its requests. The zero value is ready for use.
type AddressLimiter struct {
	addresses rate.Generations[Addr, rate.Bucket]
}

// requests returns the limit of an address: perSecond, and as many at once but at least 1.
func requests(perSecond float64) rate.Limit {
	return rate.Limit{PerSecond: perSecond, Burst: max(perSecond, 1)}
}

// Admit counts one request of an address and reports whether it can proceed. The limit is that many
// per second, and as many at once but at least 1. An IPv6 /48 has four times as much as an address.
func (l *AddressLimiter) Admit(now Time, from Addr, perSecond float64) bool {
	var room [maxRanges]Addr
	ranges := from.appendRanges(room[:0])
	for i, at := range ranges {
		if !l.allows(now, at, perSecond*float64(shares[i])) {
			return false
		}
	}
	for i, at := range ranges {
		l.take(now, at, perSecond*float64(shares[i]))
	}
	return true
}

// take counts one request of host and reports whether it can proceed.
func (l *AddressLimiter) take(now Time, host Addr, perSecond float64) bool {
	l.addresses.Turn(now, limiterSize, limiterPeriod)
	b := l.addresses.Get(host)
	ok := b.Take(now, requests(perSecond), 1)
	l.addresses.Set(host, b)
	return ok
}

// allows reports whether a request of host can proceed. It counts and stores nothing.
func (l *AddressLimiter) allows(now Time, host Addr, perSecond float64) bool {
	b := l.addresses.Get(host)
	return b.Has(now, requests(perSecond), 1)
}

// sharedPeriod is for how long a SharedLimiter counts what an address took.
const sharedPeriod = 30 * time.Second

// SharedLimiter limits the requests of each address and of all together. The limit of the address
// comes first, and a refused request uses nothing. Of the requests of all, an address gets one only
// while enough are left, and the more it took lately, the more that is. So many addresses at their
// limits leave room for the others. The zero value is ready for use.
type SharedLimiter struct {
	all       rate.Bucket
	addresses rate.Generations[Addr, taken]
}

// taken is what an address took of a SharedLimiter.
type taken struct {
	own    rate.Bucket
	recent rate.Recent
}

// Admit counts one request of an address and reports whether it can proceed. An IPv6 /48 can have
// four times as many as an address.
func (l *SharedLimiter) Admit(now Time, from Addr, own, all rate.Limit) bool {
	l.addresses.Turn(now, limiterSize, sharedPeriod)
	var room [maxRanges]Addr
	var uses [maxRanges]taken
	ranges := from.appendRanges(room[:0])
	for i, at := range ranges {
		uses[i] = l.addresses.Get(at)
		if !uses[i].own.Has(now, scaled(own, shares[i]), 1) {
			return false
		}
	}
	if !l.all.HasShare(now, all, l.Recent(now, from)) {
		return false
	}
	l.all.Take(now, all, 1)
	for i, at := range ranges {
		uses[i].own.Take(now, scaled(own, shares[i]), 1)
		uses[i].recent.Add(now, sharedPeriod, 1)
		l.addresses.Set(at, uses[i])
	}
	return true
}

// Recent returns about how many requests of an address proceeded in the last 30 s; for a /48 with
// more, a quarter of them.
func (l *SharedLimiter) Recent(now Time, from Addr) (n float64) {
	var room [maxRanges]Addr
	for i, at := range from.appendRanges(room[:0]) {
		use := l.addresses.Get(at)
		n = max(n, use.recent.Count(now, sharedPeriod)/float64(shares[i]))
	}
	return n
}

// Return gives back the request of an address that turned out to be welcome.
func (l *SharedLimiter) Return(now Time, from Addr) {
	l.addresses.Turn(now, limiterSize, sharedPeriod)
	var room [maxRanges]Addr
	for _, at := range from.appendRanges(room[:0]) {
		use := l.addresses.Get(at)
		use.own.Return(1)
		use.recent.Return(1)
		l.addresses.Set(at, use)
	}
}

// scaled returns n times a limit.
func scaled(l rate.Limit, n int) rate.Limit {
	return rate.Limit{PerSecond: l.PerSecond * float64(n), Burst: l.Burst * float64(n)}
}
