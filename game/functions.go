package game

import "github.com/torc-engine/torc/engine/sim"

// maxRay is the maximum length of castRay, in metres.
const maxRay = 4096

// functions are the script functions that query the world.
var functions = []sim.Function{
	{Name: "terrainHeight", Params: "x: number, y: number -> number", Client: true, Do: terrainHeight,
		Doc: "returns the height of the terrain at x and y, in metres; 0 without terrain"},
	{Name: "castRay", Params: "from: vec, to: vec, [except: Object?] -> Object?, vec?, vec?", Client: true, Do: castRay,
		Doc: "returns the first object on a straight line of at most 4096 m, then the point and the surface normal there. The object is nil for the flat ground of a mission without terrain. Returns nothing if the line hits nothing. The line ignores the object except"},
}

func terrainHeight(w *sim.World, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	x, y := a.number("x", -Extent, Extent), a.number("y", -Extent, Extent)
	if a.err != nil {
		return nil, a.err
	}
	z, _ := spaceOf(w).ground(x, y)
	return []sim.Value{sim.Number(z)}, nil
}

func castRay(w *sim.World, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	from, to, except := a.vec("from", Extent), a.vec("to", Extent), a.object("except", w)
	if a.err != nil {
		return nil, a.err
	}
	h, ok := firstHit(w, from, to, except)
	if !ok {
		return nil, nil
	}
	return []sim.Value{handle(h.object), sim.Vec(h.at), sim.Vec(h.normal)}, nil
}

// CastRay returns the object that a straight line of at most 4,096 m hits first. ok is false if it hits
// nothing; object is nil if it hits the ground of a world without terrain. The line passes through
// except.
func CastRay(w *sim.World, from, to sim.Vec3, except sim.Object) (object sim.Object, ok bool) {
	h, ok := firstHit(w, from, to, except)
	return h.object, ok
}

func firstHit(w *sim.World, from, to sim.Vec3, except sim.Object) (rayHit, bool) {
	if d := to.Sub(from); d.Len() > maxRay {
		to = from.Add(d.Mul(maxRay / d.Len()))
	}
	return spaceOf(w).ray(from, to, except, 0)
}
