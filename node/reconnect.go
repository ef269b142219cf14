package node

import (
	"fmt"

	"github.com/torc-engine/torc/netcore"
)

// comeBack runs before each tick. It begins the tries that are due.
func (c *Client) comeBack() {
	r := &c.back
	if r.On && c.core.Now() >= r.At && !c.Ending() && !c.core.Side.Host.Dialer.Busy() {
		r.At = netcore.Never
		if err := c.core.Side.Host.Dialer.Reconnect(); err != nil {
			c.core.Quit("", fmt.Errorf("cannot reconnect: %w", err))
		}
	}
}

// lost decides whether a client that was in the game comes back. It returns false if it does not.
func (c *Client) lost(r netcore.ReasonCode) bool {
	if !c.cfg.Client.Reconnect || !c.back.ComesBack(c.core.Now(), r) {
		return false
	}
	c.tryAgain()
	return true
}

// maxJoins is how often a client tries again that the server dropped while it joined.
const maxJoins = 5

// joinsAgain lets a client try again whose join has timed out, such as on a machine that stood
// still for a moment. It returns false if it does not.
func (c *Client) joinsAgain() bool {
	if !c.cfg.Client.Reconnect || c.joins == maxJoins {
		return false
	}
	c.joins++
	c.tryAgain()
	return true
}

func (c *Client) tryAgain() {
	c.back.Next(c.core.Now(), c.random)
	c.core.Side.Host.Dialer.Returning = true
	c.core.Print("reconnecting…")
}
