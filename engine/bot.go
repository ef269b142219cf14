package engine

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// AddBot adds a player that no person plays: a connection without a peer. It
// takes a place of MaxClients; scripts are told of it as of any client, at the
// next tick, let it into the game with EnterGame and give it a control object,
// whose moves come from its Pilot. What is sent to it is swallowed. Disconnect
// takes it away.
func (h *Host) AddBot(name string) (*Connection, error) {
	if !h.cfg.Server {
		return nil, fmt.Errorf("only a server has bots")
	}
	if n := h.callers(); n >= h.cfg.MaxClients {
		return nil, fmt.Errorf("the server is full (%d)", h.cfg.MaxClients)
	}
	c := h.newConnection(true)
	c.bot, c.address, c.PlayerName = true, "bot", name
	h.world.Add(c)
	h.conns = append(h.conns, c)
	h.inbox = append(h.inbox, func() { h.begin(c) })
	return c, nil
}

// Bot reports whether this is a bot: a connection without a peer.
func (c *Connection) Bot() bool { return c.bot }

// botMove is the move that a bot makes in this tick.
func (c *Connection) botMove(o sim.Controlled) sim.Move {
	from := o.Place()
	if eyes, ok := o.(Eyes); ok {
		from.Position = eyes.EyePoint()
	}
	return c.pilot.Move(from).Clamped()
}
