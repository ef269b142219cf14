package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// maxRay is the maximum length of castRay, in metres.
const maxRay = 4096

// functions are the script functions that query the world.
var functions = []sim.Function{
	{Name: "terrainHeight", Params: "x: number, y: number -> number", Client: true, Do: terrainHeight,
		Doc: "returns the height of the terrain at x and y, in metres; 0 without terrain"},
	{Name: "castRay", Params: "from: vec, to: vec, [except: Object|{except: Object?, ago: number?, shooter: Object?}|nil], ...: string|Class -> Object?, vec?, vec?",
		Options: []string{"except", "ago", "shooter"}, Client: true, Do: castRay,
		Doc: "returns the first object on a straight line of at most 4096 m, then the point and the surface normal there. The object is nil for the flat ground of a mission without terrain. Returns nothing if the line hits nothing. The line ignores the object except. With ago, moving objects count at their positions that many milliseconds ago, at most 250. With shooter, they count where the player who controls that object sees them: the round-trip time ago, but at most ago and 250 ms. Without except, the line ignores the shooter. With classes, it hits only objects of these classes and of classes that inherit from them. The ground is a TerrainBlock"},
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
	age := a.age(w)
	classes := a.classes(w)
	if a.err != nil {
		return nil, a.err
	}
	if except == nil {
		except = age.shooter
	}
	q := rayQuery{from: from, to: to, except: except, lag: age.lag(spaceOf(w)), classes: classes}
	h, ok := q.firstHit(w)
	w.Work += q.examined
	if !ok {
		return nil, classes.unknown
	}
	return []sim.Value{handle(h.object), sim.Vec(h.at), sim.Vec(h.normal)}, classes.unknown
}

// CastRay returns the object that a straight line of at most 4,096 m hits first. ok is false if it
// hits nothing; object is nil if it hits the ground of a world without terrain. The line passes
// through except.
func CastRay(w *sim.World, from, to sim.Vec3, except sim.Object) (object sim.Object, ok bool) {
	h, ok := (&rayQuery{from: from, to: to, except: except}).firstHit(w)
	return h.object, ok
}

// A rayAge says at which time in the past a ray is cast.
type rayAge struct {
	ago     float64    // ms; negative: as long ago as the shooter's delay
	shooter sim.Object // or nil
}

// age reads the options ago and shooter of castRay.
func (a *args) age(w *sim.World) rayAge {
	r := rayAge{ago: -1}
	switch v := a.value(); {
	case v.IsNil():
	case v.Kind() == sim.KindNumber && v.Number() >= 0:
		r.ago = v.Number()
	default:
		a.fail("ago", "a number of at least 0", v)
	}
	r.shooter = a.object("shooter", w)
	return r
}

// lag returns the age as the argument of space.ray. Scripts run between the ticks of objects, so
// the positions of now are those of the newest complete tick, which is lag 1.
func (r rayAge) lag(s *space) int {
	lag := historyTicks
	if r.ago >= 0 {
		lag = 1 + int(min(math.Round(r.ago/sim.TickMs), sim.MaxLag))
	}
	switch {
	case r.shooter != nil:
		lag = min(lag, s.lagOf(r.shooter))
	case r.ago < 0:
		return 0
	}
	if lag == 1 {
		return 0
	}
	return lag
}

// firstHit casts a ray, of at most maxRay.
func (q *rayQuery) firstHit(w *sim.World) (rayHit, bool) {
	if d := q.to.Sub(q.from); d.Len() > maxRay {
		q.to = q.from.Add(d.Mul(maxRay / d.Len()))
	}
	return spaceOf(w).cast(q)
}
