package engine

// Rate limits for a client's commands, unless a command sets its own.
const (
	commandRate       = 64       // calls per second
	commandBurst      = 128      // calls at once
	commandBytes      = 16 << 10 // encoded bytes per second
	commandBytesBurst = 64 << 10 // encoded bytes at once: one call of the largest size

	// Refused commands that end a connection. A mod of another version that sends a wrong command in
	// every tick has fewer, also after 45 s without packets.
	refusalRate  = 40   // refused calls per second
	refusalBurst = 1500 // refused calls at once
)

// An allowance is a token bucket on simulation time.
type allowance struct {
	rate, burst float64 // tokens per second; most tokens
	left        float64
	at          int64 // simulation time of the last refill in ms
}

func newAllowance(rate, burst float64) allowance {
	return allowance{rate: rate, burst: burst, left: burst}
}

// take uses n tokens at simulation time now (ms). If fewer than n are left, it uses none and
// returns false.
func (a *allowance) take(now int64, n float64) bool {
	a.left = min(a.burst, a.left+float64(now-a.at)*a.rate/1000)
	a.at = now
	if a.left < n {
		return false
	}
	a.left -= n
	return true
}

// owe uses n tokens. The balance can become negative.
func (a *allowance) owe(n float64) { a.left -= n }

// linesPerSecond is the most log lines per second about one peer with the same cause.
const linesPerSecond = 10

// A limiter limits the log lines that a peer can cause. Each connection has one, so that no peer uses
// up the lines of another. The causes are constant messages of this package.
type limiter struct {
	causes map[string]*allowance
}

func (l *limiter) allow(cause string, now int64) bool {
	if l.causes == nil {
		l.causes = map[string]*allowance{}
	}
	a := l.causes[cause]
	if a == nil {
		fresh := newAllowance(linesPerSecond, linesPerSecond)
		a = &fresh
		l.causes[cause] = a
	}
	return a.take(now, 1)
}
