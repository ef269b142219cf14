package engine

import "github.com/torc-engine/torc/internal/rate"

// peerLines limits the log lines about one peer with the same cause.
var peerLines = rate.Limit{PerSecond: 10, Burst: 10}

// A limiter limits the log lines that a peer can cause. Each connection has one, so that no peer
// uses up the lines of another. The causes are constant messages of this package.
type limiter struct {
	causes map[string]*rate.Bucket
}

// allow takes one line at simulation time now (ms).
func (l *limiter) allow(cause string, now int64) bool {
	if l.causes == nil {
		l.causes = map[string]*rate.Bucket{}
	}
	b := l.causes[cause]
	if b == nil {
		b = new(rate.Bucket)
		l.causes[cause] = b
	}
	return b.Take(millis(now), peerLines, 1)
}
