package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"

	"github.com/torc-engine/torc/netcore/seal"
)

// players lists the inbound connections, one per line: ID NAME ADDRESS PING LOSS PHASE. Names come
// from peers, so they are cleaned. A client has no inbound connections and returns an error.
func (h *Host) players([]string) (string, error) {
	var lines []string
	for _, c := range h.conns {
		if c.inbound {
			lines = append(lines, fmt.Sprintf("%d %s %s %d %.0f%% %s",
				c.ID(), playerName(c), c.address, c.Ping(), 100*c.Loss(), c.phase))
		}
	}
	if len(lines) == 0 && !h.cfg.Server {
		return "", errors.New("only a server can list the players")
	}
	return strings.Join(lines, "\n"), nil
}

// playerName returns the name as one word, for the columns.
func playerName(c *Connection) string {
	name := strings.ReplaceAll(console.Clean(c.PlayerName), " ", "_")
	if name == "" {
		return "-"
	}
	return name
}

// status returns a summary of this host.
func (h *Host) status() string {
	lines := []string{
		fmt.Sprintf("name %s", console.Clean(h.Admission.Name)),
		fmt.Sprintf("key %s", h.cfg.Identity.Public),
		fmt.Sprintf("tick %d", h.tick),
		fmt.Sprintf("objects %d", h.world.Len()),
	}
	if h.cfg.Server {
		lines = append(lines, fmt.Sprintf("players %d of %d", h.inboundCount(seal.Key{}), h.Admission.MaxClients))
	}
	if c := h.Server(); c != nil {
		lines = append(lines, fmt.Sprintf("server %s ping %d loss %.0f%% phase %s", c.address, c.Ping(), 100*c.Loss(), c.phase))
	}
	return strings.Join(lines, "\n")
}

func joinWords(words []string) string { return strings.Join(words, " ") }
