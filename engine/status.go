package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/seal"
)

// players lists the inbound connections. A client has none and returns an error.
func (h *Host) players() (fmt.Stringer, error) {
	list := playerList{}
	for _, c := range h.conns {
		if !c.inbound {
			continue
		}
		p := PlayerStatus{ID: c.ID(), Name: console.Clean(c.PlayerName), Address: c.address,
			Ping: c.Ping(), Loss: c.Loss(), Phase: c.phase.String(), Bot: c.Bot()}
		if c.spectator {
			p.Phase = "watching"
		}
		if !p.Bot {
			p.Key = c.Key().String()
		}
		list = append(list, p)
	}
	if len(list) == 0 && !h.cfg.Server {
		return nil, errors.New("only a server can list the players")
	}
	return list, nil
}

// Status returns a summary of this host.
func (h *Host) Status() Status {
	s := Status{Name: console.Clean(h.Admission.Name), Key: h.cfg.Identity.Public.String(), Tick: h.tick, Objects: h.world.Len()}
	if h.cfg.Server {
		s.Players, s.MaxPlayers = h.inboundCount(seal.Key{}), h.Admission.MaxClients
	}
	if c := h.Server(); c != nil {
		s.Server = &ServerStatus{c.address, c.Ping(), c.Loss(), c.phase.String()}
	}
	return s
}

func joinWords(words []string) string { return strings.Join(words, " ") }

// Summary has the numbers that a server tells everybody who asks.
type Summary struct {
	Players    int // people in the game or joining
	Bots       int
	MaxPlayers int // people and bots
	Password   bool
}

// Summary returns the numbers of this server.
func (h *Host) Summary() Summary {
	s := Summary{MaxPlayers: h.Admission.MaxClients, Password: h.Admission.Password != ""}
	for _, c := range h.conns {
		switch {
		case c.Bot():
			s.Bots++
		case c.inbound && !c.spectator:
			s.Players++
		}
	}
	return s
}
