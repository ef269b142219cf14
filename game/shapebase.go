package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// The limits of what all shapes have.
const (
	MaxTeam       = 15 // 0 is none
	MaxShapeName  = 24 // bytes
	MaxSeats      = 8  // on one mount
	maxDamageType = 32 // bytes
)

// ShapeBase is a thing that can be hit: it has a size, takes damage, holds
// energy, belongs to a team, and can sit on another. Its heirs have a datablock
// whose class embeds ShapeBaseData.
type ShapeBase struct {
	SceneObject
	data        sim.BlockRef
	damageLevel float64
	destroyed   bool // damageLevel has reached maxDamage
	energy      float64
	mount       sim.ID // what it sits on, and where
	seat        int
	team        int
	shapeName   string
	leaps       int // how often it was put elsewhere, to be shown there at once
	leapt       int // of these, those that a ghost has shown
	images      [MaxImages]image

	held     uint8    // triggers that the last move held
	touching []sim.ID // what it overlaps, in order
}

// shape is whatever embeds a ShapeBase.
type shape interface {
	body
	base() *ShapeBase
}

func (s *ShapeBase) base() *ShapeBase { return s }

// shapeData is what it shares with its kind, nil if that is not here.
func (s *ShapeBase) shapeData() *ShapeBaseData {
	if d, ok := s.World().Blocks.At(s.data).(shapeDatablock); ok {
		return d.shapeData()
	}
	return nil
}

// Place is where it is, and its size.
func (s *ShapeBase) Place() sim.Place {
	p := s.SceneObject.Place()
	if d := s.shapeData(); d != nil {
		p.Radius = d.radius
	}
	return p
}

// box is the room it takes, from where it stands.
func (s *ShapeBase) box() (lo, hi sim.Vec3) {
	if d := s.shapeData(); d != nil {
		return d.box()
	}
	return lo, hi
}

// box is the room that one takes: the upright box of its size, or if it has none
// that of its sphere.
func (d *ShapeBaseData) box() (lo, hi sim.Vec3) {
	if d.size == (sim.Vec3{}) {
		return sim.Vec3{X: -d.radius, Y: -d.radius, Z: -d.radius}, sim.Vec3{X: d.radius, Y: d.radius, Z: d.radius}
	}
	return standing(d.size)
}

// Entered is told that it is in its world.
func (s *ShapeBase) Entered() {
	if d := s.shapeData(); d != nil && !s.IsGhost() && s.energy == fullEnergy {
		s.energy = d.maxEnergy
	}
	s.leapt = s.leaps
	spaceOf(s.World()).enter(s.Object().(body))
}

// Left is told that it leaves its world.
func (s *ShapeBase) Left() { spaceOf(s.World()).leave(s.Object().(body)) }

// Received is told that an update has set fields, and what Place was before.
func (s *ShapeBase) Received(before sim.Place) {
	if s.leaps != s.leapt && s.motion != nil {
		*s.motion = sim.Motion{}
	}
	s.leapt = s.leaps
	s.SceneObject.Received(before)
	s.settle()
}

// settle makes the index of the world know where it is now.
func (s *ShapeBase) settle() { spaceOf(s.World()).moved(s.Object().(body)) }

// IsDestroyed reports whether its damage has reached what it can take.
func (s *ShapeBase) IsDestroyed() bool { return s.destroyed }

// Team is the team it belongs to, 0 is none.
func (s *ShapeBase) Team() int { return s.team }

// tickShape is what every tick does to a shape besides its movement: it gains
// energy and repairs itself, and what has destroyed it is told. Ghosts gain
// energy only.
func (s *ShapeBase) tickShape(d *ShapeBaseData) {
	if !s.IsGhost() {
		s.judge(d, 0, "")
		if d.repairRate > 0 && !s.destroyed {
			s.setDamage(s.damageLevel - float64(d.repairRate*sim.TickSeconds))
		}
	}
	s.recharge(d)
}

// recharge is what a tick gives it of energy.
func (s *ShapeBase) recharge(d *ShapeBaseData) {
	if !s.destroyed {
		s.foretold(min(s.energy+float64(d.rechargeRate*sim.TickSeconds), d.maxEnergy))
	}
}

// foretold changes its energy in a way that its ghosts do by themselves, on the
// fine grid.
func (s *ShapeBase) foretold(n float64) {
	if n = max(sim.Snap(n), 0); n != s.energy {
		s.energy = n
		s.Drift(1 << energyGroup)
	}
}

// setEnergy changes its energy, on the fine grid.
func (s *ShapeBase) setEnergy(n float64) {
	if n = max(sim.Snap(n), 0); n != s.energy {
		s.energy = n
		s.Mark(1 << energyGroup)
	}
}

// use takes some of its energy, if it has that much.
func (s *ShapeBase) use(n float64) bool {
	if s.energy < n {
		return false
	}
	s.setEnergy(s.energy - n)
	return true
}

// setDamage changes its damage, without a word.
func (s *ShapeBase) setDamage(level float64) {
	if level = min(max(level, 0), maxDamage); level != s.damageLevel {
		s.damageLevel = level
		s.Mark(1 << damageGroup)
	}
}

// damage does damage to it, or repairs it if amount is below 0. Scripts are told
// of damage, and when it destroys the shape. source may be nil; kind is any word.
func (s *ShapeBase) damage(source sim.Object, amount float64, kind string) {
	d := s.shapeData()
	if d == nil || d.maxDamage == 0 || s.destroyed && amount > 0 || s.IsGhost() {
		return
	}
	by := sim.ID(0)
	if source != nil {
		by = source.Ident().ID()
	}
	s.setDamage(min(s.damageLevel+amount, d.maxDamage))
	if amount > 0 {
		s.World().Emit(s.Object(), "onDamage", sim.Number(amount), sim.Handle(by), sim.String(kind))
	}
	s.judge(d, by, kind)
}

// judge sees to it that it is destroyed if and only if its damage is as much as
// it can take.
func (s *ShapeBase) judge(d *ShapeBaseData, by sim.ID, kind string) {
	is := d.maxDamage > 0 && s.damageLevel >= d.maxDamage
	if is == s.destroyed || s.IsGhost() {
		return
	}
	s.destroyed = is
	s.Mark(1 << damageGroup)
	if is {
		s.World().Emit(s.Object(), "onDestroyed", sim.Handle(by), sim.String(kind))
	}
}

// trigger notes which triggers a move holds, and tells scripts what has changed.
// It returns those that were not held before.
func (s *ShapeBase) trigger(m sim.Move) (pressed uint8) {
	changed := m.Triggers ^ s.held
	s.held = m.Triggers
	for n := 0; changed>>n != 0 && s.tells(); n++ {
		if changed>>n&1 != 0 {
			s.World().Emit(s.Object(), "onTrigger", sim.Number(float64(n)), sim.Bool(m.Trigger(n)))
		}
	}
	return changed & m.Triggers
}

// tells reports whether scripts hear of what happens to it now: not to ghosts, nor
// when moves are done again.
func (s *ShapeBase) tells() bool { return !s.IsGhost() && !s.World().Replaying() }

// A pushed is what an impulse moves.
type pushed interface {
	push(at, impulse sim.Vec3) // in newton seconds
}

// eyed is what looks from somewhere else than the middle of its box.
type eyed interface {
	eye() (at, look sim.Vec3)
}

// eyeOf is where a shape looks from, and where to.
func eyeOf(s shape) (at, look sim.Vec3) {
	if e, ok := s.(eyed); ok {
		return e.eye()
	}
	b := s.base()
	lo, hi := s.box()
	return b.position.Add(lo.Add(hi).Mul(0.5)), sim.Look(sim.Turn(b.rotation.Yaw), sim.Turn(b.rotation.Pitch))
}

// leap puts it elsewhere, to be shown there at once.
func (s *ShapeBase) leap(position sim.Vec3, rotation sim.Rot) {
	s.unmount()
	s.move(sim.SnapVec(clamp(position, Extent)), sim.Vec3{})
	s.rotation = rotation
	s.leaps = (s.leaps + 1) % maxLeaps
	s.Mark(1<<turnGroup | 1<<leapGroup)
	s.settle()
}

// fullEnergy is the energy of what was made and not given any.
const fullEnergy = maxDamage

const maxLeaps = 16

// dataField is the field dataBlock of a class whose datablocks are of a class.
func dataField(class string) sim.Field {
	return sim.BlockField("dataBlock", constGroup, class, func(s shape) *sim.BlockRef { return &s.base().data }).
		WithDoc("what it is one of")
}

// impactEvent is told of what moves by itself.
var impactEvent = sim.Event{Name: "onImpact", Params: "speed: number", Doc: "something has stopped it that it ran or fell into, at this speed in metres a second"}

var shapeBaseClass = sim.Class{
	Name: "ShapeBase", Parent: "SceneObject", Abstract: true,
	Doc: "A thing that can be hit.",
	Fields: []sim.Field{
		sim.FloatField("damageLevel", damageGroup, 0, maxDamage, func(s shape) *float64 { return &s.base().damageLevel }).
			WithBits(20).WithDoc("how much damage it has, to the maxDamage of its datablock"),
		sim.BoolField("destroyed", damageGroup, func(s shape) *bool { return &s.base().destroyed }).
			WithDoc("its damage is as much as it can take; follows damageLevel"),
		sim.FloatField("energy", energyGroup, 0, maxDamage, func(s shape) *float64 { return &s.base().energy }).
			WithBits(20).WithDoc("how much energy it has; a new one is full"),
		sim.RefField("mount", mountGroup, "ShapeBase", func(s shape) *sim.ID { return &s.base().mount }).
			WithDoc("what it sits on"),
		sim.IntField("seat", mountGroup, 0, MaxSeats-1, func(s shape) *int { return &s.base().seat }).
			WithDoc("where on its mount; the first seat is the driver's"),
		sim.IntField("team", nameGroup, 0, MaxTeam, func(s shape) *int { return &s.base().team }).
			WithDoc("the team it belongs to, 0 is none"),
		sim.TextField("shapeName", nameGroup, MaxShapeName, func(s shape) *string { return &s.base().shapeName }).
			WithDoc("the name over its head"),
		sim.IntField("leaps", leapGroup, 0, maxLeaps-1, func(s shape) *int { return &s.base().leaps }).
			WithDoc("counts how often it was put elsewhere, to be shown there at once"),
		imageField("image0", 0),
		imageField("image1", 1),
	},
	GroupWeight: [sim.MaxGroups + 1]uint8{energyGroup: 32},
	Methods:     slices.Concat(shapeMethods, mountMethods, imageMethods),
	Events: []sim.Event{
		{Name: "onDamage", Params: "amount: number, source: Object?, type: string", Doc: "it has taken damage"},
		{Name: "onDestroyed", Params: "source: Object?, type: string", Doc: "its damage has become as much as it can take"},
		{Name: "onTrigger", Params: "trigger: integer, held: boolean", Doc: "who drives it holds a trigger, or lets it go"},
		{Name: "onMount", Params: "mount: ShapeBase, seat: integer", Doc: "it has taken a seat"},
		{Name: "onUnmount", Params: "mount: ShapeBase?, seat: integer", Doc: "it has left a seat"},
		{Name: "onFire", Params: "image: ShapeBaseImageData, shot: Projectile", Doc: "it has fired what it holds"},
	},
}
