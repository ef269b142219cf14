package engine

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
)

// playersOf lists the inbound connections. A client has none and returns an error.
func playersOf(h *Host) (fmt.Stringer, error) {
	list := playerList{}
	for _, c := range h.conns {
		if !c.inbound || c.over() {
			continue
		}
		p := PlayerStatus{ID: c.ID(), Name: console.Clean(c.PlayerName), Language: c.Language(), Address: c.address,
			Ping: c.Line.Ping(), Loss: c.Line.Loss(), Phase: c.Join.phase.String(), Bot: c.Bot()}
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
		s.Players, s.MaxPlayers = h.requests.inboundCount(seal.Key{}), h.Admission.MaxClients
	}
	s.Voice, s.Drain = h.Voices.Status(), h.Drain.status()
	if c := h.Server(); c != nil {
		s.Server = &ServerStatus{c.address, c.Line.Ping(), c.Line.Loss(), c.Join.phase.String()}
	}
	return s
}

func joinWords(words []string) string { return strings.Join(words, " ") }

// A PlayerStatus is one inbound connection, as the command players shows it. Names come from peers,
// so they are cleaned.
type PlayerStatus struct {
	ID       sim.ID  `json:"id"`
	Name     string  `json:"name"`
	Language string  `json:"language"`
	Key      string  `json:"key"` // "" for a bot
	Address  string  `json:"address"`
	Ping     int     `json:"ping_ms"`
	Loss     float64 `json:"loss"` // 0 to 1
	Phase    string  `json:"phase"`
	Bot      bool    `json:"bot"`
}

// String returns ID NAME ADDRESS PING LOSS PHASE. The name is one word.
func (p PlayerStatus) String() string {
	return fmt.Sprintf("%d %s %s %d %.0f%% %s", p.ID, playerName(p.Name), p.Address, p.Ping, 100*p.Loss, p.Phase)
}

// playerName returns a name as one word, for the columns.
func playerName(name string) string {
	return cmp.Or(strings.ReplaceAll(console.Clean(name), " ", "_"), "-")
}

// playerList is the players, one per line.
type playerList []PlayerStatus

func (l playerList) String() string {
	lines := make([]string, len(l))
	for i, p := range l {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Status is a summary of a host.
type Status struct {
	Name       string        `json:"name"`
	Key        string        `json:"key"`
	Tick       uint64        `json:"tick"`
	Objects    int           `json:"objects"`
	Players    int           `json:"players"`     // with bots; 0 on a client
	MaxPlayers int           `json:"max_players"` // 0 on a client
	Server     *ServerStatus `json:"server,omitempty"`
	Drain      *DrainStatus  `json:"drain,omitempty"` // of a server that drains
	Voice      *VoiceStatus  `json:"voice,omitempty"` // of a server with voice
}

// A ServerStatus is the connection of a client to its server.
type ServerStatus struct {
	Address string  `json:"address"`
	Ping    int     `json:"ping_ms"`
	Loss    float64 `json:"loss"` // 0 to 1
	Phase   string  `json:"phase"`
}

// String returns the summary as lines of a name and values.
func (s Status) String() string {
	lines := []string{"name " + s.Name, "key " + s.Key, fmt.Sprintf("tick %d", s.Tick), fmt.Sprintf("objects %d", s.Objects)}
	if s.MaxPlayers > 0 {
		lines = append(lines, fmt.Sprintf("players %d of %d", s.Players, s.MaxPlayers))
	}
	if c := s.Server; c != nil {
		lines = append(lines, fmt.Sprintf("server %s ping %d loss %.0f%% phase %s", c.Address, c.Ping, 100*c.Loss, c.Phase))
	}
	if s.Drain != nil {
		lines = append(lines, s.Drain.String())
	}
	if s.Voice != nil {
		lines = append(lines, s.Voice.String())
	}
	return strings.Join(lines, "\n")
}
