package bots

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// farthest is the sight distance of a bot, in metres.
const farthest = 200.0

// sight finds enemies in a world.
type sight struct {
	world   *sim.World
	players *sim.Class
}

func newSight(w *sim.World) *sight {
	return &sight{world: w, players: w.Classes().Lookup("Player")}
}

// enemy returns the nearest living player of another team or without a team; nil
// if there is none.
func (s *sight) enemy(own sim.Placer) (found *game.Player) {
	team, at, nearest := 0, own.Place().Position, 0.0
	if o, ok := own.(interface{ Team() int }); ok {
		team = o.Team()
	}
	s.world.Each(s.players, func(o sim.Object) bool {
		p, ok := o.(*game.Player)
		if !ok || sim.Object(p) == sim.Object(own) || p.IsDestroyed() || team != 0 && p.Team() == team {
			return true
		}
		if d := p.Place().Position.Sub(at).Len(); found == nil || d < nearest {
			found, nearest = p, d
		}
		return true
	})
	return found
}

// sees reports whether the line between the eyes of two players is free.
func (s *sight) sees(own sim.Placer, other *game.Player) bool {
	from, to := own.Place().Position, other.EyePoint()
	if eyes, ok := own.(engine.EyePointer); ok {
		from = eyes.EyePoint()
	}
	if to.Sub(from).Len() > farthest {
		return false
	}
	hit, ok := game.CastRay(s.world, from, to, own)
	return !ok || hit == sim.Object(other)
}
