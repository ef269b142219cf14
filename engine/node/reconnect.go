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

	interrupted netcore.Time // when the line of the present connection broke; 0 while it works
}

const (
	firstReconnect = time.Second
	lastReconnect  = 30 * time.Second
)

// comesBack reports whether a client comes back after such an end. The other reasons are decisions of
// a person or a mistake of a program, which another try does not change.
func comesBack(r netcore.ReasonCode) bool {
	switch r {
	case netcore.TimedOut, netcore.Forgotten, netcore.Restarting, netcore.ConnectTimeout:
		return true
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
func (r *reconnecting) next(now netcore.Time) (wait time.Duration) {
	wait = min(firstReconnect<<min(r.tries, 5), lastReconnect)
	wait -= time.Duration(rand.Int64N(int64(wait / 2)))
	r.on, r.at = true, now+wait
	r.tries++
	return wait
}

// comeBack runs before each tick. It begins the tries that are due, and tells the player about the
// line.
func (c *Client) comeBack() {
	r := &c.back
	if r.on && c.now() >= r.at && !c.Ending() && !c.side.host.Connecting() {
		r.at = netcore.Never
		if err := c.side.host.Reconnect(); err != nil {
			c.quit("", fmt.Errorf("cannot reconnect: %w", err))
		}
	}
	c.watchLine()
}

// watchLine prints when the line to the server breaks, and when it works again.
func (c *Client) watchLine() {
	r, server := &c.back, c.side.host.Server()
	silent := time.Duration(0)
	if server != nil {
		silent = server.Interrupted()
	}
	switch {
	case silent > 0 && r.interrupted == 0:
		r.interrupted = c.now() - silent
		c.print(fmt.Sprintf("connection interrupted (%d s)", silent/time.Second))
	case silent == 0 && r.interrupted > 0:
		if server != nil {
			c.print(fmt.Sprintf("connection restored after %v", (c.now() - r.interrupted).Round(100*time.Millisecond)))
		}
		r.interrupted = 0
	}
}

// lost decides whether a client that was in the game comes back. It returns false if it does not.
func (c *Client) lost(r netcore.ReasonCode) bool {
	if !c.cfg.Reconnect || !comesBack(r) {
		return false
	}
	c.tryAgain()
	return true
}

func (c *Client) tryAgain() {
	c.back.next(c.now())
	c.print("reconnecting…")
}

// LineState describes the line of a client to its server for a person, "" while it works.
func (c *Client) LineState() string {
	if c.back.on {
		return "reconnecting…"
	}
	return lineState(c.side.host.Server())
}

func lineState(server *engine.Connection) string {
	if server == nil {
		return ""
	}
	if silent := server.Interrupted(); silent > 0 {
		return fmt.Sprintf("connection interrupted (%d s)", silent/time.Second)
	}
	return ""
}
