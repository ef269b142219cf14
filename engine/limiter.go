package engine

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
