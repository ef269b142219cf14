package node

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
)

// reconnecting brings a client back that has lost its server in the game: after 1, 2, 4 … 30 s, each
// shortened by up to a half at random, so that the players of a restarted server do not all come at
// once.
type reconnecting struct {
	on    bool // the client is out, and on its way back
	tries int
	at    netcore.Time // of the next try; netcore.Never while one is under way
	fault netcore.Time // the client comes back from a fault of a program at most once before this time
}

const (
	firstReconnect = time.Second
	lastReconnect  = 30 * time.Second
	faultPause     = 10 * time.Minute // between two faults from which a client comes back
)

// comesBack reports whether a client comes back after such an end at time now. Decisions of a person are final. A fault
// of a program, which one side has seen in the packets of the other, can be a rare one: the client comes
// back once, and again if ten minutes have passed without another.
func (r *reconnecting) comesBack(now netcore.Time, why netcore.ReasonCode) bool {
	switch why {
	case netcore.TimedOut, netcore.Forgotten, netcore.Restarting, netcore.ConnectTimeout:
		return true
	case netcore.Violation, netcore.BadPacket, netcore.Overflow:
		again := now >= r.fault
		r.fault = now + faultPause
		return again
	}
	return false
}

// tryLater reports whether another try can succeed after a failed connect.
func tryLater(r netcore.Reason) bool {
	if r.Code == netcore.Refused {
		return strings.HasPrefix(r.Text, engine.FullText) || strings.HasSuffix(r.Text, "try again")
	}
	return r.Code != netcore.KeyChanged
}

// next schedules the next try.
func (r *reconnecting) next(now netcore.Time, random *rand.Rand) (wait time.Duration) {
	wait = min(firstReconnect<<min(r.tries, 5), lastReconnect)
	wait -= time.Duration(random.Int64N(int64(wait / 2)))
	r.on, r.at = true, now+wait
	r.tries++
	return wait
}

// comeBack runs before each tick. It begins the tries that are due.
func (c *Client) comeBack() {
	r := &c.back
	if r.on && c.core.Now() >= r.at && !c.Ending() && !c.core.Side.Host.Connecting() {
		r.at = netcore.Never
		if err := c.core.Side.Host.Reconnect(); err != nil {
			c.core.Quit("", fmt.Errorf("cannot reconnect: %w", err))
		}
	}
}

// lost decides whether a client that was in the game comes back. It returns false if it does not.
func (c *Client) lost(r netcore.ReasonCode) bool {
	if !c.cfg.Client.Reconnect || !c.back.comesBack(c.core.Now(), r) {
		return false
	}
	c.tryAgain()
	return true
}

func (c *Client) tryAgain() {
	c.back.next(c.core.Now(), c.random)
	c.core.Print("reconnecting…")
}
