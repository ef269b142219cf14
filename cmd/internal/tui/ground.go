package tui

import (
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// setTerrain puts the terrain of a world into s, if it has one.
func (s *Scene) setTerrain(w *sim.World) {
	g, ok := game.GroundOf(w)
	if !ok {
		s.Ground = nil
		return
	}
	if s.Ground == nil {
		s.Ground = g.Height
	}
	s.Low, s.High = g.Range()
}
