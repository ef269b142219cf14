package nodetest

import (
	"time"

	"github.com/torc-engine/torc/netcore"
)

// weather is the state of the lines between the players and the server.
type weather struct {
	bad      netcore.LinkParams
	up, down bool         // only this direction is bad; neither: both are
	dark     netcore.Time // until then nothing arrives
	isDark   bool
}

// params returns the links from a player to the server and back.
func (w *weather) params() (up, down netcore.LinkParams) {
	up, down = w.bad, w.bad
	if w.up {
		down = netcore.LinkParams{Delay: w.bad.Delay}
	}
	if w.down {
		up = netcore.LinkParams{Delay: w.bad.Delay}
	}
	if w.isDark {
		up.Loss, down.Loss = 1, 1
	}
	return up, down
}

// link gives a player the present lines.
func (w *weather) link(s *system, p *player) {
	up, down := w.params()
	s.net.Link(p.addr, serverAddr, up, down)
}

func (w *weather) apply(s *system) {
	for _, p := range s.players {
		w.link(s, p)
	}
}

// update begins or ends a blackout.
func (w *weather) update(s *system) {
	if dark := s.net.Now() < w.dark; dark != w.isDark {
		w.isDark = dark
		w.apply(s)
	}
}

// clear makes all lines perfect, with a short delay.
func (w *weather) clear(s *system) {
	*w = weather{bad: netcore.LinkParams{Delay: 10 * time.Millisecond}}
	w.apply(s)
}
