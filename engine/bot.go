package engine

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// AddBot adds a player without a person: a connection without a peer. The bot counts towards
// MaxClients. At the next tick scripts receive it like any client. They let it into the game with
// Join.Enter and give it a control object. Its moves come from its Pilot. Everything sent to it is
// discarded. Disconnect removes it.
func (h *Host) AddBot(name string) (*Connection, error) {
	if !canServe || !h.cfg.Server {
		return nil, errors.New("only a server has bots")
	}
	if h.Drain.on {
		return nil, errors.New(DrainText)
	}
	if n := h.requests.inboundCount(seal.Key{}); n >= h.Admission.MaxClients {
		return nil, fmt.Errorf("the server is full (%d)", h.Admission.MaxClients)
	}
	c := h.newConnection(true)
	c.bot, c.address, c.PlayerName = true, "bot", name
	h.world.Add(c)
	h.conns.add(c)
	h.inbox = append(h.inbox, func() { h.lifetimes.begin(c) })
	return c, nil
}

// dismiss ends a bot's connection at the next tick.
func (h *Host) dismiss(c *Connection, reason string) {
	c.dismissed = true
	h.inbox = append(h.inbox, func() { h.lifetimes.end(c, netcore.Reason{Code: netcore.SelfClosed, Text: reason}) })
}
