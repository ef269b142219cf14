package game

import "github.com/torc-engine/torc/engine/sim"

// The maximum numbers of objects that a search returns: as a list, and one after the other.
const (
	maxFound   = 200
	maxVisited = 1000
)

// sortWork is the work of putting an object into the order of distances, see sim.World.Work.
const sortWork = 8

// searchFunctions are the script functions that look for objects in a part of the world.
var searchFunctions = []sim.Function{
	{
		Name: "inSphere", Params: "center: vec, radius: number, ...: string|Class -> fun(): Object",
		Doc:    "iterates over the objects that a sphere touches, nearest first, at most 1000; with classes, only over objects of these classes and of classes that inherit from them. Finds players, items and other objects with a size, and a Box only if its class is named. On a client, a class that has not arrived has no objects",
		Client: true, Each: true, Do: inSphere,
	},
	{
		Name: "inBox", Params: "corner: vec, opposite: vec, ...: string|Class -> fun(): Object",
		Doc:    "iterates over the objects that the box between two opposite corners touches, those nearest to its centre first. Otherwise as inSphere",
		Client: true, Each: true, Do: inBox,
	},
	{
		Name: "inRadius", Params: "position: vec, radius: number, ...: string|Class -> Object[]",
		Doc:    "returns the objects of inSphere as a list, at most 200",
		Client: true, List: true, Do: inRadius,
	},
}

func inSphere(w *sim.World, list []sim.Value) ([]sim.Value, error) {
	return sphere(w, list, maxVisited)
}

func inRadius(w *sim.World, list []sim.Value) ([]sim.Value, error) { return sphere(w, list, maxFound) }

func sphere(w *sim.World, list []sim.Value, most int) ([]sim.Value, error) {
	a := args{list: list}
	q := search{center: a.vec("position", Extent), radius: a.number("radius", 0, maxRange)}
	return a.search(w, q, most)
}

func inBox(w *sim.World, list []sim.Value) ([]sim.Value, error) {
	a := args{list: list}
	corner, opposite := a.vec("corner", Extent), a.vec("opposite", Extent)
	q := newBoxSearch(corner, opposite)
	if q.radius > maxRange {
		a.fail("opposite", "at most "+digits(2*maxRange)+" m from corner", sim.Vec(opposite))
	}
	return a.search(w, q, maxVisited)
}

// search reads the classes of a search and returns at most most objects that it finds.
func (a *args) search(w *sim.World, q search, most int) (found []sim.Value, err error) {
	q.classes = a.classes(w)
	if a.err != nil {
		return nil, a.err
	}
	ranks := spaceOf(w).find(&q)
	w.Work += q.examined + sortWork*len(ranks)
	for _, r := range ranks[:min(len(ranks), most)] {
		found = append(found, sim.Handle(r.body.Ident().ID()))
	}
	return found, q.classes.unknown
}
