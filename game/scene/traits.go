package scene

import (
	"cmp"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/look"
)

// traits are the relevant properties of a class: its kind and its fields, nil for missing ones.
type traits struct {
	kind                                        Kind
	known                                       bool // an ancestor is a stock class
	block, team, name, mount, size, gone, shape *sim.Field
	damage, energy                              *sim.Field
	image, imageState                           *sim.Field
	state, skin, destroyed, jets                *sim.Field
	maxDamage, maxEnergy, reach, looks          *sim.Field // of a datablock
	stock                                       *look.Look // of the nearest ancestor that has one
}

// stock are the kinds by class name. The nearest ancestor in the map determines the kind.
var stock = map[string]Kind{
	"Flag": Banner, "WayPoint": Waypoint, "Player": Person, "Vehicle": Ride, "Turret": Gun, "Item": Pickup, "StaticShape": Structure,
	"Projectile": Shot, "Box": Building, "InteriorInstance": Building,
	"Camera": Unseen, "Trigger": Unseen, "Marker": Unseen, "TerrainBlock": Unseen,
}

// traitsOf returns the traits of a class. It computes them once. Neighbours in a world often have
// one class.
func (r *Reader) traitsOf(c *sim.Class) *traits {
	if c == r.lastClass {
		return r.lastTraits
	}
	t := r.classes[c]
	if t == nil {
		t = r.learn(c)
	}
	r.lastClass, r.lastTraits = c, t
	return t
}

// learn computes the traits of a class.
func (r *Reader) learn(c *sim.Class) *traits {
	t := newTraits(c)
	for p := c; p != nil && !t.known; p = p.ParentClass() {
		t.kind, t.known = stock[p.Name]
	}
	if t.kind == Waypoint {
		t.name = field(c, "text", sim.KindString)
	}
	for p := c; p != nil && t.stock == nil; p = p.ParentClass() {
		t.stock = look.Stock(p.Name)
	}
	r.classes[c] = t
	return t
}

// field looks up a field of a class. One of another type than expected counts as missing.
func field(c *sim.Class, name string, kind sim.ValueKind) *sim.Field {
	if f := c.Lookup(name); f != nil && f.Kind == kind {
		return f
	}
	return nil
}

// newTraits looks up the fields of a class.
func newTraits(c *sim.Class) *traits {
	field := func(name string, kind sim.ValueKind) *sim.Field { return field(c, name, kind) }
	number := func(name string) *sim.Field { return field(name, sim.KindNumber) }
	object := func(name string) *sim.Field { return field(name, sim.KindObject) }
	return &traits{
		block: object("dataBlock"), team: number("team"), name: field("shapeName", sim.KindString),
		mount: cmp.Or(object("mount"), object("source")), image: object("image0"), imageState: number("imageState0"), state: field("state", sim.KindString), skin: field("skin", sim.KindString),
		destroyed: field("destroyed", sim.KindBool), jets: field("jetting", sim.KindBool), size: field("size", sim.KindVec), gone: field("exploded", sim.KindBool),
		shape: field("shape", sim.KindString), damage: number("damageLevel"), energy: number("energy"),
		maxDamage: number("maxDamage"), maxEnergy: number("maxEnergy"), reach: number("damageRadius"), looks: field("look", sim.KindString),
	}
}

// get returns a field's value in o, nil if the field does not exist.
func get(f *sim.Field, o sim.Object) sim.Value {
	if f == nil {
		return sim.Nil()
	}
	return f.Get(o)
}

// fraction returns n/most within 0…1, or none if most is not above 0.
func fraction(n, most, none float64) float64 {
	if !(most > 0) {
		return none
	}
	return min(max(n/most, 0), 1)
}
