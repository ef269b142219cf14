package bots

import (
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
)

// farthest is how far a bot sees, in metres.
const farthest = 200.0

// sight is what a bot knows of a world.
type sight struct {
	world   *sim.World
	players *sim.Class
}

func newSight(w *sim.World) *sight {
	return &sight{world: w, players: w.Classes().Lookup("Player")}
}

// enemy is the nearest living player of another team, or of none, that there is
// in the world; nil without one.
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

// sees reports whether nothing stands between the eyes of one and another.
func (s *sight) sees(own sim.Placer, other *game.Player) bool {
	from, to := own.Place().Position, other.EyePoint()
	if eyes, ok := own.(engine.Eyes); ok {
		from = eyes.EyePoint()
	}
	if to.Sub(from).Len() > farthest {
		return false
	}
	hit, ok := game.CastRay(s.world, from, to, own)
	return !ok || hit == sim.Object(other)
}
