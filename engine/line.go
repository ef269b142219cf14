package engine

import "time"

// A peer that answers nothing for this long is interrupted. A server is slower to say so than a
// client, because its log is for others than the player.
const (
	interruptedAtClient = time.Second
	interruptedAtServer = 3 * time.Second
)

// Interrupted returns for how long the peer has answered nothing, or 0 while the line works. A line
// that is dead in one direction counts.
func (c *Connection) Interrupted() time.Duration {
	if c.net == nil || c.ended {
		return 0
	}
	silent, limit := c.net.Unanswered(c.host.now), interruptedAtClient
	if c.inbound {
		silent, limit = max(silent, c.net.Silence(c.host.now)), interruptedAtServer
	}
	if silent < max(limit, 2*c.net.RTT()+limit/2) {
		return 0
	}
	return silent
}

// watchLines logs on a server when a player's line is interrupted, and when it works again. A client tells
// its scripts.
func (h *Host) watchLines() {
	for _, c := range h.conns {
		c.stepScreen()
		if !c.inbound || !c.connected || c.bot {
			continue
		}
		silent := c.Interrupted()
		switch {
		case silent > 0 && c.silentSince == 0:
			c.silentSince = h.now - silent
			c.logPeer("player interrupted", "player", c.PlayerName)
		case silent == 0 && c.silentSince > 0:
			c.silentSince = 0
			c.logPeer("player answers again", "player", c.PlayerName)
		}
	}
}
