package testenv

import (
	"testing"
	"time"
)

// Limit returns a channel that is ready shortly before `go test -timeout` ends the test binary.
// Until then, a test waits for an event however long that takes. At the limit, it can fail and say
// what it waited for.
func Limit(t testing.TB) <-chan time.Time {
	limited, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return nil
	}
	end, ok := limited.Deadline()
	if !ok {
		return nil
	}
	return time.After(time.Until(end) - 10*time.Second)
}

// Expired reports whether the limit has been reached.
func Expired(limit <-chan time.Time) bool {
	select {
	case <-limit:
		return true
	default:
		return false
	}
}

// Pause waits a millisecond. Loops that wait for a state call it after each look. Without a pause,
// even with runtime.Gosched, such a loop keeps a single processor busy: Go then polls timers and
// the network only every 10 ms.
func Pause() { time.Sleep(time.Millisecond) }
