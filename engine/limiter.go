package engine

// linesPerSecond is how often one cause may be logged (hostile.md A24).
const linesPerSecond = 10

// A limiter keeps what peers cause from flooding the log. Causes are few and
// fixed: the messages of this package.
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
