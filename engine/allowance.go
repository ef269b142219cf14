package engine

import (
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

// Limits for a client's commands, unless a command sets its own. At once a client can send one call of the largest size. A mod of
// another version that sends a wrong command in every tick has fewer refusals than end a connection, also after 45 s without packets.
var (
	commandCalls = rate.Limit{PerSecond: 64, Burst: 128}
	commandBytes = rate.Limit{PerSecond: 16 << 10, Burst: 64 << 10} // encoded
	refusedCalls = rate.Limit{PerSecond: 40, Burst: 1500}
)

// peerLines limits the log lines about one peer with the same cause.
var peerLines = rate.Limit{PerSecond: 10, Burst: 10}

// A limiter limits the log lines that a peer can cause. Each connection has one, so that no peer uses
// up the lines of another. The causes are constant messages of this package.
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

// millis returns a simulation time in ms as a duration.
func millis(now int64) time.Duration { return time.Duration(now) * time.Millisecond }
