package engine

// Summary has the numbers that a server tells everybody who asks.
type Summary struct {
	Players    int // people in the game or joining
	Bots       int
	MaxPlayers int // people and bots
	Password   bool
	Draining   bool
}

// Summary returns the numbers of this server.
func (h *Host) Summary() Summary {
	s := Summary{MaxPlayers: h.Admission.MaxClients, Password: h.Admission.Password != "", Draining: h.Drain.on}
	for _, c := range h.conns {
		switch {
		case c.over(): // a paused server, which runs no script, reports the end later
		case c.Bot():
			s.Bots++
		case c.inbound && !c.spectator:
			s.Players++
		}
	}
	return s
}
