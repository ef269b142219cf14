package game

import (
	"slices"

	"github.com/torc-engine/torc/engine/sim"
)

// MaxTeam is the highest team of a shape. 0 is none.
const MaxTeam = 15

// The limits of all shapes.
const (
	maxShapeName  = 24 // bytes
	maxSeats      = 8  // on one mount
	maxDamageType = 32 // bytes
)

// ShapeBase is an object that can be hit. It has a size, takes damage, stores energy, belongs to a
// team and can be mounted on another ShapeBase. Derived classes have a datablock with an embedded
// ShapeBaseData.
type ShapeBase struct {
	SceneObject
	data        sim.BlockRef
	damageLevel float64
	destroyed   bool // damageLevel has reached maxDamage
	energy      float64
	mount       sim.ID // the object it sits on, and the seat there
	seat        int
	team        int
	shapeName   string
	leaps       int // number of teleports, modulo maxLeaps: ghosts show each at once
	leapt       int // on a ghost: the value of leaps that is shown
	images      [maxImages]imageSlot
	items       []itemCount   // what it has, without the ammunition of mounted images; only on the server
	clips       []partialClip // of images that are not mounted, the oldest first; only on the server

	heldTriggers uint8    // triggers that the last move held
	touchingIDs  []sim.ID // ids of the bodies that it overlaps, sorted
	fading       fading
	skin         string
}

// shape is implemented by every type that embeds a ShapeBase.
type shape interface {
	body
	base() *ShapeBase
}

func (s *ShapeBase) base() *ShapeBase { return s }

// shapeData returns the datablock, or nil if it is missing.
func (s *ShapeBase) shapeData() *ShapeBaseData {
	if d, ok := s.World().Blocks.At(s.data).(shapeDataBlock); ok {
		return d.shapeData()
	}
	return nil
}

// Place returns the position of the shape and the radius of its bounding sphere.
func (s *ShapeBase) Place() sim.Place {
	p := s.SceneObject.Place()
	if d := s.shapeData(); d != nil {
		p.Radius = d.radius
	}
	return p
}

// box returns the bounding box, relative to the position.
func (s *ShapeBase) box() (lo, hi sim.Vec3) {
	if d := s.shapeData(); d != nil {
		return d.box()
	}
	return lo, hi
}

// box returns the bounding box of a shape of this kind: the box of its size or, without a size, the
// box around its bounding sphere.
func (d *ShapeBaseData) box() (lo, hi sim.Vec3) {
	if d.size == (sim.Vec3{}) {
		return sim.Vec3{X: -d.radius, Y: -d.radius, Z: -d.radius}, sim.Vec3{X: d.radius, Y: d.radius, Z: d.radius}
	}
	return boxOnGround(d.size)
}

// Entered adds the shape to the space of its world, and fills the energy of a new one.
func (s *ShapeBase) Entered() {
	if d := s.shapeData(); d != nil && !s.IsGhost() && s.energy == fullEnergy {
		s.energy = d.maxEnergy
	}
	s.leapt = s.leaps
	s.fading.entered()
	spaceOf(s.World()).enter(s.Object().(body))
}

// Left removes the shape from the space of its world.
func (s *ShapeBase) Left() { spaceOf(s.World()).leave(s.Object().(body)) }

// Received handles an update of the fields. before is the previous Place.
func (s *ShapeBase) Received(before sim.Place) {
	if s.leaps != s.leapt && s.ghostMotion != nil {
		*s.ghostMotion = sim.Motion{}
	}
	s.leapt = s.leaps
	s.SceneObject.Received(before)
	s.fading.received(&s.SceneObject)
	s.updateSpace()
}

// updateSpace updates the space with the current position.
func (s *ShapeBase) updateSpace() { spaceOf(s.World()).update(s.Object().(body)) }

// IsDestroyed reports whether its damage has reached maxDamage.
func (s *ShapeBase) IsDestroyed() bool { return s.destroyed }

// Team returns its team, 0 for none.
func (s *ShapeBase) Team() int { return s.team }

// SetTeam sets its team, 0 to MaxTeam.
func (s *ShapeBase) SetTeam(team int) error { return s.SetField("team", sim.Number(float64(team))) }

// DamageLevel returns its damage, up to MaxDamage of its datablock.
func (s *ShapeBase) DamageLevel() float64 { return s.damageLevel }

// Energy returns its energy, up to MaxEnergy of its datablock.
func (s *ShapeBase) Energy() float64 { return s.energy }

// tickShape runs the part of a tick that does not move the shape: destruction, repair and energy. A
// ghost only gains energy.
func (s *ShapeBase) tickShape(d *ShapeBaseData) {
	if !s.IsGhost() {
		tickFade(s)
		s.updateDestroyed(d, 0, "")
		if d.repairRate > 0 && !s.destroyed {
			s.setDamage(s.damageLevel - float64(d.repairRate*sim.TickSeconds))
		}
	}
	s.recharge(d)
}

// recharge adds the energy of one tick.
func (s *ShapeBase) recharge(d *ShapeBaseData) {
	if !s.destroyed {
		s.setPredictedEnergy(min(s.energy+float64(d.rechargeRate*sim.TickSeconds), d.maxEnergy))
	}
}

// setPredictedEnergy sets the energy, rounded to the fine grid, when ghosts compute the same
// change.
func (s *ShapeBase) setPredictedEnergy(n float64) {
	if n = max(sim.Snap(n), 0); n != s.energy {
		s.energy = n
		s.MarkPredicted(1 << energyGroup)
	}
}

// setEnergy sets the energy, rounded to the fine grid.
func (s *ShapeBase) setEnergy(n float64) {
	if n = max(sim.Snap(n), 0); n != s.energy {
		s.energy = n
		s.Mark(1 << energyGroup)
	}
}

// takeEnergy takes n energy. It reports false, and takes nothing, if there is less.
func (s *ShapeBase) takeEnergy(n float64) bool {
	if s.energy < n {
		return false
	}
	s.setEnergy(s.energy - n)
	return true
}

// setDamage sets the damage and emits no event.
func (s *ShapeBase) setDamage(level float64) {
	if level = min(max(level, 0), maxDamage); level != s.damageLevel {
		s.damageLevel = level
		s.Mark(1 << damageGroup)
	}
}

// applyDamage adds amount to the damage. A negative amount repairs. Scripts check damage first,
// with onDamageRequest. source is nil if there is none, and kind is any string.
func (s *ShapeBase) applyDamage(source sim.Object, amount float64, kind string) {
	if s.IsGhost() || !s.takesDamage(amount) {
		return
	}
	by := sim.ID(0)
	if source != nil {
		by = source.Ident().ID()
	}
	if amount <= 0 {
		s.takeDamage(by, amount, kind)
		return
	}
	s.World().Check(s.Object(), "onDamageRequest", func(verdict sim.Value) {
		switch verdict.Kind() {
		case sim.KindNil:
			s.takeDamage(by, amount, kind)
		case sim.KindNumber:
			s.takeDamage(by, verdict.Number(), kind)
		}
	}, sim.Number(amount), sim.Handle(by), sim.String(kind))
}

// takesDamage reports whether the shape can take damage or repair of this amount.
func (s *ShapeBase) takesDamage(amount float64) bool {
	d := s.shapeData()
	if d == nil || d.maxDamage <= 0 {
		return false
	}
	spares := s.World().Spares
	return amount <= 0 || !s.destroyed && (spares == nil || !spares(s.Object()))
}

// takeDamage adds amount to the damage. It emits onDamage for damage, and onDestroyed when it
// destroys the shape.
func (s *ShapeBase) takeDamage(by sim.ID, amount float64, kind string) {
	if !s.takesDamage(amount) {
		return
	}
	d := s.shapeData()
	s.setDamage(min(s.damageLevel+amount, d.maxDamage))
	if amount > 0 {
		s.World().Emit(s.Object(), "onDamage", sim.Number(amount), sim.Handle(by), sim.String(kind))
	}
	s.updateDestroyed(d, by, kind)
}

// updateDestroyed updates destroyed: the shape is destroyed if and only if its damage has reached
// maxDamage.
func (s *ShapeBase) updateDestroyed(d *ShapeBaseData, by sim.ID, kind string) {
	is := d.maxDamage > 0 && s.damageLevel >= d.maxDamage
	if is == s.destroyed || s.IsGhost() {
		return
	}
	s.destroyed = is
	s.Mark(1 << fateGroup)
	if is {
		s.World().Emit(s.Object(), "onDestroyed", sim.Handle(by), sim.String(kind))
	}
}

// setTriggers stores the triggers that a move holds, and emits onTrigger for each change. It
// returns the triggers that are newly held.
func (s *ShapeBase) setTriggers(m sim.Move) (pressed uint8) {
	changed := m.Triggers ^ s.heldTriggers
	s.heldTriggers = m.Triggers
	for n := 0; changed>>n != 0 && s.emitsEvents(); n++ {
		if changed>>n&1 != 0 {
			s.World().Emit(s.Object(), "onTrigger", sim.Number(float64(n)), sim.Bool(m.Trigger(n)))
		}
	}
	return changed & m.Triggers
}

// emitsEvents reports whether events are emitted now. Ghosts emit none, and neither do replayed
// moves.
func (s *ShapeBase) emitsEvents() bool { return !s.IsGhost() && !s.World().Replaying() }

// An impulseTarget is an object that reacts to impulses.
type impulseTarget interface {
	push(at, impulse sim.Vec3) // impulse in newton seconds
}

// eyeOwner is a shape with an eye that is not at the middle of its box.
type eyeOwner interface {
	eye() (at, look sim.Vec3)
}

// eyeOf returns the eye position and view direction of a shape.
func eyeOf(s shape) (at, look sim.Vec3) {
	if e, ok := s.(eyeOwner); ok {
		return e.eye()
	}
	b := s.base()
	lo, hi := s.box()
	return b.position.Add(lo.Add(hi).Mul(0.5)), sim.Look(sim.Turn(b.rotation.Yaw), sim.Turn(b.rotation.Pitch))
}

// teleport teleports the shape. Ghosts show it at its new place at once.
func (s *ShapeBase) teleport(position sim.Vec3, rotation sim.Rot) {
	s.unmount()
	s.move(sim.SnapVec(clamp(position, Extent)), sim.Vec3{})
	s.rotation = rotation
	s.leaps = (s.leaps + 1) % maxLeaps
	s.MarkLeap(1<<placeGroup | 1<<turnGroup | 1<<leapGroup)
	s.updateSpace()
}

// fullEnergy marks a new shape whose energy was not set. Entered replaces it with maxEnergy.
const fullEnergy = maxDamage

const maxLeaps = 16

// dataField returns the field dataBlock for datablocks of the given class.
func dataField(class string) sim.Field {
	return sim.BlockField("dataBlock", constGroup, class, func(s shape) *sim.BlockRef { return &s.base().data }).
		WithDoc("the datablock with the values shared by all objects of its kind")
}

// impactEvent is the event of shapes that move by themselves.
var impactEvent = sim.EventDoc{Name: "onImpact", Params: "speed: number", Doc: "a collision or a fall has stopped it at this speed, in metres per second"}

var shapeBaseClass = sim.Class{
	Name: "ShapeBase", Parent: "SceneObject", Abstract: true, Bare: func() sim.Object { return new(StaticShape) },
	Doc: "A shape with damage and energy. It can mount other shapes and hold images.",
	Fields: []sim.Field{
		sim.FloatField("damageLevel", damageGroup, 0, maxDamage, func(s shape) *float64 { return &s.base().damageLevel }).
			WithBits(20).WithJumps().WithHarm().WithDoc("its damage, up to maxDamage of its datablock"),
		sim.BoolField("destroyed", fateGroup, func(s shape) *bool { return &s.base().destroyed }).
			WithDoc("its damage has reached the maximum; follows damageLevel"),
		sim.FloatField("energy", energyGroup, 0, maxDamage, func(s shape) *float64 { return &s.base().energy }).
			WithBits(20).WithDoc("its energy; new objects start full"),
		sim.RefField("mount", mountGroup, "ShapeBase", func(s shape) *sim.ID { return &s.base().mount }).
			WithDoc("the object it sits on"),
		sim.IntField("seat", mountGroup, 0, maxSeats-1, func(s shape) *int { return &s.base().seat }).
			WithDoc("its seat on the mount; seat 0 is the driver's"),
		sim.IntField("team", nameGroup, 0, MaxTeam, func(s shape) *int { return &s.base().team }).
			WithDoc("its team; 0 means none"),
		sim.TextField("shapeName", nameGroup, maxShapeName, func(s shape) *string { return &s.base().shapeName }).
			WithDoc("the name shown above it"),
		fadeField(nameGroup), fadeTicksField(nameGroup), skinField(),
		sim.IntField("leaps", leapGroup, 0, maxLeaps-1, func(s shape) *int { return &s.base().leaps }).
			WithDoc("the number of its teleports, modulo 16. A client that sees it change moves the object without interpolation"),
		imageField("image0", 0),
		imageField("image1", 1),
		imageStateField(),
	},
	GroupWeight: [sim.MaxGroups + 1]uint8{energyGroup: 32, imageStateGroup: 64},
	Methods:     slices.Concat(shapeMethods, mountMethods, imageMethods, inventoryMethods, fadeMethods, skinMethods),
	Events: []sim.EventDoc{
		{Name: "onDamageRequest", Params: "amount: number, source: Object?, type: string -> boolean|number|nil", Doc: "decides about damage before it happens. false refuses it, a number replaces the amount, true and nil agree. An error refuses it"},
		{Name: "onDamage", Params: "amount: number, source: Object?, type: string", Doc: "the object has taken damage"},
		{Name: "onDestroyed", Params: "source: Object?, type: string", Doc: "its damage has reached the maximum"},
		{Name: "onTrigger", Params: "trigger: integer, held: boolean", Doc: "the player who controls it presses or releases a trigger"},
		{Name: "onMount", Params: "mount: ShapeBase?, seat: integer", Doc: "the object has taken a seat"},
		{Name: "onUnmount", Params: "mount: ShapeBase?, seat: integer", Doc: "the object has left a seat"},
		{Name: "onFire", Params: "image: ShapeBaseImageData, shot: Projectile?", Doc: "the object has fired an image"},
	},
}

// hostile reports whether an object of shape a attacks b on its own. Targets are players and
// vehicles of another team. If a has no team, every player and vehicle but a itself is a target. a
// can be nil.
func hostile(a, b shape) bool {
	if !isMoving(b) || b.base().destroyed || b.Ident().Dead() {
		return false
	}
	if a == nil || a.base().team == 0 {
		return a == nil || a.base() != b.base()
	}
	return b.base().team != 0 && b.base().team != a.base().team
}
