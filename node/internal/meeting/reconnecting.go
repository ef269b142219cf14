package meeting

import (
	"math/rand/v2"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// Reconnecting brings a client back that has lost its server in the game: after 1, 2, 4 … 30 s,
// each shortened by up to a half at random, so that the players of a restarted server do not all
// come at once.
type Reconnecting struct {
	On    bool // the client is out, and on its way back
	tries int
	At    netcore.Time // of the next try; netcore.Never while one is under way
	fault netcore.Time // the client comes back from a fault of a program at most once before this time
	until netcore.Time // a server that said it may come back is given up then; 0: there is none
}

const (
	firstReconnect = time.Second
	lastReconnect  = 30 * time.Second
	faultPause     = 10 * time.Minute // between two faults from which a client comes back
	restartTime    = time.Minute      // for a server that starts again
)

// ComesBack reports whether a client comes back after such an end at time now. Decisions of a
// person are final. A fault of a program, which one side has seen in the packets of the other, can
// be a rare one: the client comes back once, and again if ten minutes have passed without another.
func (r *Reconnecting) ComesBack(now netcore.Time, why netcore.ReasonCode) bool {
	switch why {
	case netcore.Restarting:
		r.until = now + restartTime
		return true
	case netcore.TimedOut, netcore.Forgotten, netcore.ConnectTimeout:
		return true
	case netcore.Violation, netcore.BadPacket, netcore.Overflow:
		again := now >= r.fault
		r.fault = now + faultPause
		return again
	}
	return false
}

// TryLater reports whether another try can succeed after a failed connect.
func TryLater(r netcore.Reason) bool {
	return r.Code != netcore.KeyChanged && (r.Code != netcore.Refused || engine.RefusedForNow(r))
}

// InVain reports whether a server that ended and might have come back has not: it answers nothing
// after a minute.
func (r *Reconnecting) InVain(now netcore.Time, failed netcore.Reason) bool {
	if failed.Code != netcore.ConnectTimeout {
		r.until = 0 // it is back, and lets nobody in at the moment
	}
	return r.until != 0 && now >= r.until
}

// Next schedules the next try.
func (r *Reconnecting) Next(now netcore.Time, random *rand.Rand) (wait time.Duration) {
	wait = min(firstReconnect<<min(r.tries, 5), lastReconnect)
	wait -= time.Duration(random.Int64N(int64(wait / 2)))
	r.On, r.At = true, now+wait
	r.tries++
	return wait
}

// Back forgets the tries, because the client is in the game. It remembers the last fault of a
// program.
func (r *Reconnecting) Back() { *r = Reconnecting{fault: r.fault} }
