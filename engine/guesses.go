package engine

import (
	"time"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// guessesBy are the wrong passwords in a minute from the ranges of netcore.Addr.Ranges: an IPv4
// address or an IPv6 /64, and an IPv6 /48.
var guessesBy = [2]int{5, 20}

const (
	guessPause    = time.Minute
	maxGuessPause = time.Hour
	guessTable    = 4096 // addresses remembered per generation
	knownKeys     = 4096 // keys remembered that gave the right password
)

// guessLimiter limits wrong passwords by address. After too many, the address must pause before its
// next try, and each further pause is twice as long. There is no limit over all addresses: one
// network cannot lock the others out. A key that gave the right password before is never stopped.
// Each call takes constant time on average, and memory is bounded.
type guessLimiter struct {
	addresses rate.Generations[netcore.Addr, guesses]
	known     map[seal.Key]bool
	order     []seal.Key // of known, a ring
	oldest    int
	lines     limiter        // of the log
	limits    netcore.Limits // which addresses are exempt
}

// guesses are the wrong passwords of one address.
type guesses struct {
	count int // since the time since
	since netcore.Time
	until netcore.Time // no tries before
	pause time.Duration
}

// newGuessLimiter returns a limiter that knows some keys, oldest first.
func newGuessLimiter(known []seal.Key) *guessLimiter {
	l := &guessLimiter{known: map[seal.Key]bool{}}
	for _, key := range known {
		l.passed(key)
	}
	return l
}

// wait returns how long a client must wait before its next try; 0 means not at all.
func (l *guessLimiter) wait(now netcore.Time, from netcore.Addr, key seal.Key) (wait time.Duration) {
	if l.known[key] || l.limits.Exempt(from) {
		return 0
	}
	for _, at := range from.Ranges() {
		wait = max(wait, l.addresses.Get(at).until-now)
	}
	return wait
}

// failed counts a wrong password. It returns the pause that begins with it, or 0.
func (l *guessLimiter) failed(now netcore.Time, from netcore.Addr) (pause time.Duration) {
	if l.limits.Exempt(from) {
		return 0
	}
	l.addresses.Turn(now, guessTable, 2*maxGuessPause)
	for i, at := range from.Ranges() {
		g := l.addresses.Get(at)
		if now-g.until >= maxGuessPause {
			g.pause = 0
		}
		if g.count == 0 || now-g.since >= guessPause {
			g.count, g.since = 0, now
		}
		if g.count++; g.count >= l.limits.Scale(guessesBy[i]) {
			g.pause = min(max(2*g.pause, guessPause), maxGuessPause)
			g.count, g.until = 0, now+g.pause
			pause = max(pause, g.pause)
		}
		l.addresses.Set(at, g)
	}
	return pause
}

// passed remembers a key that gave the right password. It returns true for a new key.
func (l *guessLimiter) passed(key seal.Key) (fresh bool) {
	switch {
	case l.known[key]:
		return false
	case len(l.order) < knownKeys:
		l.order = append(l.order, key)
	default:
		delete(l.known, l.order[l.oldest])
		l.order[l.oldest] = key
		l.oldest = (l.oldest + 1) % knownKeys
	}
	l.known[key] = true
	return true
}
