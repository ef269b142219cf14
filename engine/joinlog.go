package engine

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// A server logs one line for each join, leave, kick, refusal and new address of a peer. Bots and
// clients in the process of the server have none.

func (q *joinRequests) logRefused(r *netcore.ConnectRequest, refuse string) {
	q.host.cfg.Log.Info("join refused", "address", addressOf(r.From), "key", r.Key.String(), "name", r.Name, "reason", refuse)
}

func (q *joinRequests) logJoined(c *Connection) {
	if c.bot || c.address == localAddress {
		return
	}
	q.host.cfg.Log.Info("player joined", "address", c.address, "key", c.key.String(), "name", c.PlayerName, "id", uint32(c.ID()))
}

func (q *joinRequests) logMoved(c *Connection, from string) {
	q.host.cfg.Log.Info("player moved", "from", from, "address", c.address, "key", c.key.String(), "name", c.PlayerName, "id", uint32(c.ID()))
}

func (q *joinRequests) logLeft(c *Connection, r netcore.Reason) {
	if c.bot || c.address == localAddress || !c.Join.connected {
		return
	}
	message := "player left"
	if r.Code == netcore.Kicked {
		message = "player kicked"
	}
	q.host.cfg.Log.Info(message, "address", c.address, "key", c.key.String(), "name", c.PlayerName, "id", uint32(c.ID()),
		"reason", r.String(), "duration", (q.host.now - c.Join.since).Round(time.Millisecond).String())
}
