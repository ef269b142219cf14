package engine

// linesPerSecond is the most log lines per second with the same cause.
const linesPerSecond = 10

// A limiter limits the log lines that peers can cause. The causes are constant messages of this
// package.
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
