package game

import "github.com/torc-engine/torc/engine/sim"

// maxFound is the maximum length of the list that inRadius returns.
const maxFound = 200

// blastFunctions are the script functions for explosions and searches around a point.
var blastFunctions = []sim.Function{
	{
		Name: "radiusDamage", Params: "source: Object?, position: vec, radius: number, damage: number, [type: string?, [impulse: number]]",
		Doc: "makes an explosion: it damages objects in the radius and pushes them away, less with distance. Walls protect the objects behind them",
		Do:  radiusDamage,
	},
	{
		Name: "inRadius", Params: "position: vec, radius: number, [class: string?] -> Object[]",
		Doc:    "returns the objects in a sphere, nearest first, at most 200; with a class, only objects of that class, and on a client none of a class that has not arrived",
		Client: true, List: true, Do: inRadius,
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

func inRadius(w *sim.World, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	at, radius := a.vec("position", Extent), a.number("radius", 0, maxRange)
	name := a.text("class", sim.MaxName)
	if a.err != nil {
		return nil, a.err
	}
	var class *sim.Class
	if name != "" {
		var err error
		if class, err = w.Classes().Find(name); err != nil {
			return nil, err
		}
	}
	var found []sim.Value
	for _, r := range spaceOf(w).ranked(at, radius) {
		if class != nil && !r.body.Ident().Class().IsA(class) {
			continue
		}
		if found = append(found, sim.Handle(r.body.Ident().ID())); len(found) == maxFound {
			break
		}
	}
	return found, nil
}
