package tui

import (
	"cmp"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// A survey finds the visible objects of a world. It caches its knowledge about classes and keeps
// the current explosions.
type survey struct {
	world   *sim.World
	classes map[*sim.Class]*classInfo
	bursts  []burst
	centre  sim.Vec3 // the last known centre
}

// classInfo are the relevant properties of a class: its appearance and its fields, nil for missing
// ones. The server can describe classes with any fields, so all of them are optional.
type classInfo struct {
	kind                                 Appearance
	block, team, name, mount, size, gone *sim.Field
	damage, energy                       *sim.Field
	maxDamage, maxEnergy, reach          *sim.Field // of a datablock
}

// A burst is an explosion that is still visible.
type burst struct {
	id     sim.ID
	at     sim.Vec3
	radius float64
	since  time.Duration
}

const (
	burstTime  = 400 * time.Millisecond
	leastBurst = 2.0 // metres
	maxBursts  = 64
)

// looks are the kinds by class name. The nearest ancestor class in the map determines the kind.
var looks = map[string]Appearance{
	"Flag": Banner, "Player": Person, "Vehicle": Ride, "Turret": Gun, "Item": Pickup, "StaticShape": Structure,
	"Projectile": Shot, "Box": Building, "InteriorInstance": Building,
}

func newSurvey(w *sim.World) *survey {
	return &survey{world: w, classes: map[*sim.Class]*classInfo{}}
}

// of returns the traits of a class. It computes them once.
func (v *survey) of(c *sim.Class) *classInfo {
	if t := v.classes[c]; t != nil {
		return t
	}
	field := func(name string, kind sim.ValueKind) *sim.Field {
		if f := c.Lookup(name); f != nil && f.Kind == kind {
			return f
		}
		return nil
	}
	number := func(name string) *sim.Field { return field(name, sim.KindNumber) }
	t := &classInfo{
		block: field("dataBlock", sim.KindObject), team: number("team"), name: field("shapeName", sim.KindString),
		mount: field("mount", sim.KindObject), size: field("size", sim.KindVec), gone: field("exploded", sim.KindBool),
		damage: number("damageLevel"), energy: number("energy"),
		maxDamage: number("maxDamage"), maxEnergy: number("maxEnergy"), reach: number("damageRadius"),
	}
	for p := c; p != nil && t.kind == Unseen; p = p.ParentClass() {
		t.kind = looks[p.Name]
	}
	v.classes[c] = t
	return t
}

// get returns a field's value in o, nil if the field does not exist.
func get(f *sim.Field, o sim.Object) sim.Value {
	if f == nil {
		return sim.Nil()
	}
	return f.Get(o)
}

// look fills s with the visible objects, back of a tick ago. own is the object that this client
// controls, or nil.
func (v *survey) look(s *Scene, own sim.Object, back float64, now time.Duration) {
	s.Things, s.Body = s.Things[:0], Body{Health: -1, Energy: -1, Ride: -1}
	if own != nil {
		v.body(&s.Body, own, back)
		v.centre = s.Body.At
	}
	v.world.Each(nil, func(o sim.Object) bool {
		v.thing(s, o, own, back, now)
		return true
	})
	v.explode(s, now)
	if own == nil && v.centre == (sim.Vec3{}) && len(s.Things) > 0 {
		v.centre = s.Things[0].At
	}
	s.Centre = v.centre
}

// shown returns the place to draw o at, and whether o has a place.
func shown(o sim.Object, back float64) (sim.Place, bool) {
	switch o := o.(type) {
	case sim.Interpolator:
		return o.Shown(back), true
	case sim.Placer:
		return o.Place(), true
	}
	return sim.Place{}, false
}

// body fills b with the state of the controlled object.
func (v *survey) body(b *Body, own sim.Object, back float64) {
	place, ok := shown(own, back)
	if !ok {
		return
	}
	t := v.of(own.Ident().Class())
	b.Known, b.At, b.Yaw, b.Speed = true, place.Position, place.Rotation.Yaw, place.Velocity.Len()
	b.Team = int(get(t.team, own).Number())
	b.Health, b.Energy = v.health(own), v.charge(own)
	if ride := v.world.Find(get(t.mount, own).Object()); ride != nil {
		b.Ride = v.health(ride)
		if p, ok := shown(ride, back); ok {
			b.Speed = p.Velocity.Len()
		}
	}
}

// blockOf returns the datablock of o and the traits of its class, nil if o has none.
func (v *survey) blockOf(o sim.Object) (sim.Object, *classInfo) {
	block := v.world.Find(get(v.of(o.Ident().Class()).block, o).Object())
	if block == nil {
		return nil, nil
	}
	return block, v.of(block.Ident().Class())
}

// health returns the remaining health, 0…1, or -1 if the object cannot be damaged.
func (v *survey) health(o sim.Object) float64 {
	block, t := v.blockOf(o)
	if block == nil {
		return -1
	}
	return 1 - part(get(v.of(o.Ident().Class()).damage, o).Number(), get(t.maxDamage, block).Number(), 2)
}

// charge returns the energy as a fraction of the maximum, 0…1, or -1 if the object has none.
func (v *survey) charge(o sim.Object) float64 {
	block, t := v.blockOf(o)
	if block == nil {
		return -1
	}
	return part(get(v.of(o.Ident().Class()).energy, o).Number(), get(t.maxEnergy, block).Number(), -1)
}

// part returns n/most within 0…1, or none if most is not above 0.
func part(n, most, none float64) float64 {
	if !(most > 0) {
		return none
	}
	return min(max(n/most, 0), 1)
}

// thing adds o if it is visible.
func (v *survey) thing(s *Scene, o, own sim.Object, back float64, now time.Duration) {
	t := v.of(o.Ident().Class())
	if t.kind == Unseen {
		return
	}
	place, ok := shown(o, back)
	if !ok {
		return
	}
	if get(t.gone, o).Bool() {
		v.burst(o, place.Position, now)
		return
	}
	if o != own && t.kind == Person && get(t.mount, o).Object() != 0 {
		return // only the vehicle is drawn
	}
	s.Things = append(s.Things, Marker{
		Kind: t.kind, At: place.Position, Size: get(t.size, o).Vec(), Yaw: place.Rotation.Yaw,
		Team: int(get(t.team, o).Number()), Name: Plain(cmp.Or(get(t.name, o).Text(), o.Ident().Name())),
		Own: o == own, Down: v.health(o) == 0,
	})
}

// burst records a new explosion.
func (v *survey) burst(o sim.Object, at sim.Vec3, now time.Duration) {
	id := o.Ident().ID()
	for i := range v.bursts {
		if v.bursts[i].id == id {
			return
		}
	}
	radius := 0.0
	if block, t := v.blockOf(o); block != nil {
		radius = get(t.reach, block).Number()
	}
	if len(v.bursts) < maxBursts {
		v.bursts = append(v.bursts, burst{id, at, max(radius, leastBurst), now})
	}
}

// explode shows the current bursts. A burst stays recorded while its projectile exists, so that it
// is not shown twice.
func (v *survey) explode(s *Scene, now time.Duration) {
	kept := v.bursts[:0]
	for _, b := range v.bursts {
		age := now - b.since
		if age < burstTime {
			radius := b.radius * float64(age) / float64(burstTime)
			s.Things = append(s.Things, Marker{Kind: Burst, At: b.at, Size: sim.Vec3{X: radius}})
		}
		if age < burstTime || v.world.Find(b.id) != nil {
			kept = append(kept, b)
		}
	}
	v.bursts = kept
}
