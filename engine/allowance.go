package engine

// What a client may ask of the server by commands, unless a command says
// otherwise (hostile.md A14).
const (
	commandRate   = 64       // calls per second
	commandBurst  = 128      // calls at once
	commandBytes  = 16 << 10 // encoded bytes per second
	commandBytesB = 64 << 10 // encoded bytes at once: one call of the largest size
)

// An allowance is a token bucket on simulation time.
type allowance struct {
	rate, burst float64 // per second; at once
	left        float64
	at          int64 // ms of simulation time when left was counted
}

func newAllowance(rate, burst float64) allowance {
	return allowance{rate: rate, burst: burst, left: burst}
}

// take uses n of the allowance at simulation time now (ms), or reports false
// and uses nothing.
func (a *allowance) take(now int64, n float64) bool {
	a.left = min(a.burst, a.left+float64(now-a.at)*a.rate/1000)
	a.at = now
	if a.left < n {
		return false
	}
	a.left -= n
	return true
}

// owe uses n, of what is still to come if there is no more.
func (a *allowance) owe(n float64) { a.left -= n }
