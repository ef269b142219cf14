package nodetest

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// linkProfile is the state of the lines between the players and the server.
type linkProfile struct {
	bad      netcore.LinkParams
	up, down bool         // only this direction is bad; neither: both are
	dark     netcore.Time // until then nothing arrives
	isDark   bool
}

// params returns the links from a player to the server and back.
func (l *linkProfile) params() (up, down netcore.LinkParams) {
	up, down = l.bad, l.bad
	if l.up {
		down = netcore.LinkParams{Delay: l.bad.Delay}
	}
	if l.down {
		up = netcore.LinkParams{Delay: l.bad.Delay}
	}
	if l.isDark {
		up.Loss, down.Loss = 1, 1
	}
	return up, down
}

// link gives a player the present lines.
func (l *linkProfile) link(s *system, p *player) {
	up, down := l.params()
	s.net.Link(p.addr, serverAddr, up, down)
}

func (l *linkProfile) apply(s *system) {
	for _, p := range s.players {
		l.link(s, p)
	}
}

// update begins or ends a blackout.
func (l *linkProfile) update(s *system) {
	if dark := s.net.Now() < l.dark; dark != l.isDark {
		l.isDark = dark
		l.apply(s)
	}
}

// clear makes all lines perfect, with a short delay.
func (l *linkProfile) clear(s *system) {
	*l = linkProfile{bad: netcore.LinkParams{Delay: 10 * time.Millisecond}}
	l.apply(s)
}
