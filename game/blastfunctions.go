package game

import "github.com/torc-engine/torc/engine/sim"

// blastFunctions are the script functions for explosions.
var blastFunctions = []sim.Function{
	{
		Name: "radiusDamage", Params: "source: Object?, position: vec, radius: number, damage: number, [type: string?, [impulse: number]]",
		Doc: "makes an explosion: it damages objects in the radius and pushes them away, less with distance. Walls protect the objects behind them",
		Do:  radiusDamage,
	},
}

func radiusDamage(w *sim.World, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	b := explosion{
		source: a.object("source", w), at: a.vec("position", Extent),
		radius: a.number("radius", 0, maxBlast), damage: a.number("damage", 0, maxDamage),
		kind: a.text("type", maxDamageType),
	}
	if a.next < len(list) {
		b.impulse = a.number("impulse", 0, maxImpulse)
	}
	if a.err == nil {
		b.strike(spaceOf(w))
	}
	return nil, a.err
}
