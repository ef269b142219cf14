package engine

import (
	"time"

	"github.com/torc-engine/torc/internal/rate"
)

// Limits for all commands of a client together. At once it can send one call of the largest size.
// allowCommand of a mod adds a limit for one command. A mod of another version that sends a wrong
// command in every tick has fewer refusals than end a connection, also after 45 s without packets.
var (
	commandCalls = rate.Limit{PerSecond: 64, Burst: 128}
	commandBytes = rate.Limit{PerSecond: 16 << 10, Burst: 64 << 10} // encoded
	refusedCalls = rate.Limit{PerSecond: 40, Burst: 1500}
)

// millis returns a simulation time in ms as a duration.
func millis(now int64) time.Duration { return time.Duration(now) * time.Millisecond }
