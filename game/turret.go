package game

import "github.com/torc-engine/torc/engine/sim"

// The constants of turrets.
const (
	aimedTurn  = 0x10000 * 2 / 360 // 2 degrees: a turret fires if its direction is at most this far from its aim
	leadRounds = 3                 // iterations of the estimate of the target's position at impact
	maxLead    = 5.0               // seconds; maximum look-ahead
)

// TurretData is the datablock of Turrets: the values that all Turrets of one kind share.
type TurretData struct {
	ShapeBaseData
	image                      sim.BlockRef
	reach                      float64 // the field range
	turnRate                   float64
	scanInterval               int
	minElevation, maxElevation float64
	eyeHeight                  float64
}

// Turret is a gun with a fixed position. It searches for enemies, turns towards them and fires at
// their predicted position. A client can control it instead.
type Turret struct {
	ShapeBase
	target sim.ID
	wait   int // milliseconds until the next scan
}

// Data returns the datablock, or nil if it is missing.
func (t *Turret) Data() *TurretData {
	d, _ := sim.Part[*TurretData](t.World().Blocks.At(t.data))
	return d
}

// isFixture makes it a fixture.
func (t *Turret) isFixture() {}

// blocks reports that it is solid.
func (t *Turret) blocks() bool { return true }

// Entered adds the turret to the space of its world and mounts its weapon.
func (t *Turret) Entered() {
	t.ShapeBase.Entered()
	t.arm()
}

// arm mounts the weapon of its datablock if slot 0 is empty.
func (t *Turret) arm() {
	if d := t.Data(); d != nil && t.images[0].data == 0 && !t.IsGhost() {
		t.setImage(0, d.image)
	}
}

// eye returns the eye position and the view direction.
func (t *Turret) eye() (at, look sim.Vec3) {
	at = t.position
	if d := t.Data(); d != nil {
		at.Z += d.eyeHeight
	}
	return at, sim.Look(sim.Turn(t.rotation.Yaw), sim.Turn(t.rotation.Pitch))
}

// Tick runs one tick without a controller.
func (t *Turret) Tick(uint64) {
	d := t.Data()
	if d == nil || t.IsGhost() {
		return
	}
	t.tickStatic(&d.ShapeBaseData)
	t.heldTriggers = 0
	triggers := uint8(0)
	if enemy := t.enemy(d); enemy != nil {
		if yaw, pitch := t.bearing(enemy); t.turnTo(d, yaw, pitch) {
			triggers = 1 << t.fireTrigger()
		}
	}
	t.tickImages(triggers)
}

// fireTrigger returns the number of the trigger that fires its weapon.
func (t *Turret) fireTrigger() int {
	if d := t.imageAt(0); d != nil {
		return d.trigger
	}
	return sim.FireTrigger
}

// Control runs one tick with a move of its controller.
func (t *Turret) Control(m sim.Move) {
	d := t.Data()
	if d == nil {
		return
	}
	t.tickStatic(&d.ShapeBaseData)
	t.target = 0
	t.setTriggers(m)
	if t.destroyed {
		return
	}
	yaw, pitch := sim.Turn(t.rotation.Yaw), int(int16(sim.Turn(t.rotation.Pitch)))
	t.turnTo(d, yaw+uint16(m.Yaw), uint16(min(max(pitch+int(m.Pitch), -0x4000), 0x4000)))
	t.tickImages(m.Triggers)
}

// CodeControl codes the control state: everything that moves act on.
func (t *Turret) CodeControl(c sim.Coder) {
	yaw, pitch, energy, destroyed := sim.Turn(t.rotation.Yaw), sim.Turn(t.rotation.Pitch), t.energy, t.destroyed
	c.Turn(&yaw)
	c.Turn(&pitch)
	c.Fine(&energy, maxDamage)
	c.Flag(&destroyed)
	t.codeImages(c)
	if c.Reading() && c.Err() == nil {
		t.rotation.Yaw, t.rotation.Pitch = sim.Degrees(yaw), signedDegrees(pitch)
		t.energy, t.destroyed = energy, destroyed
	}
}

// Driven ends a tick of a ghost that moves have driven.
func (t *Turret) Driven() { t.following().Interpolate(&t.Class().Motion, t.Place()) }

// enemy returns the current target, or nil.
func (t *Turret) enemy(d *TurretData) shape {
	if t.destroyed {
		t.target = 0
		return nil
	}
	if t.wait -= sim.TickMs; t.wait <= 0 {
		t.wait = d.scanInterval
		t.target = 0
		if enemy := t.scan(d); enemy != nil {
			t.target = enemy.Ident().ID()
		}
	}
	if t.target == 0 {
		return nil
	}
	enemy, _ := t.World().Find(t.target).(shape)
	if enemy == nil || enemy.base().destroyed {
		t.target = 0
		return nil
	}
	return enemy
}

// scan returns the nearest enemy that is visible and within the elevation limits.
func (t *Turret) scan(d *TurretData) shape {
	s := spaceOf(t.World())
	at, _ := t.eye()
	for _, r := range s.ranked(at, d.reach) {
		enemy, is := r.body.(shape)
		if !is || !hostile(t, enemy) {
			continue
		}
		_, pitch := t.bearing(enemy)
		if within := d.elevation(pitch) == pitch; within && s.seesThroughNothing(at, boxCenter(enemy), t.Object(), enemy) {
			return enemy
		}
	}
	return nil
}

// seesThroughNothing is like sees, but moving bodies also block the view.
func (s *space) seesThroughNothing(from, to sim.Vec3, except, b sim.Object) bool {
	h, is := s.rayThrough(from, to, 0, func(o sim.Object) bool { return o == except })
	return !is || h.object == b
}

// bearing returns the direction to look in to hit an enemy.
func (t *Turret) bearing(enemy shape) (yaw, pitch uint16) {
	at, _ := t.eye()
	to := boxCenter(enemy)
	data, _ := sim.Part[*ProjectileData](t.World().Blocks.At(t.weapon()))
	if data == nil || data.hitscan || data.muzzleVelocity == 0 {
		return sim.Bearing(to.Sub(at))
	}
	v, gravity := enemy.base().velocity, float64(Gravity*data.gravityMod)
	aim := to
	for range leadRounds {
		time := min(aim.Sub(at).Len()/data.muzzleVelocity, maxLead)
		aim = to.Add(v.Mul(time))
		aim.Z += float64(gravity*time) * (time + sim.TickSeconds) / 2 // the sum that ticks compute
	}
	return sim.Bearing(aim.Sub(at))
}

// weapon returns the datablock of its projectiles, or 0.
func (t *Turret) weapon() sim.BlockRef {
	if d := t.imageAt(0); d != nil {
		return d.projectile
	}
	return 0
}

// turnTo turns the turret by at most its turn rate. It reports whether it is now on target.
func (t *Turret) turnTo(d *TurretData, yaw, pitch uint16) bool {
	pitch = d.elevation(pitch)
	most := turnOfDegrees(d.turnRate * sim.TickSeconds)
	isYaw, isPitch := sim.Turn(t.rotation.Yaw), sim.Turn(t.rotation.Pitch)
	isYaw, isPitch = turnTowards(isYaw, yaw, most), turnTowards(isPitch, pitch, most)
	if r := (sim.Rot{Yaw: sim.Degrees(isYaw), Pitch: signedDegrees(isPitch), Roll: t.rotation.Roll}); r != t.rotation {
		t.rotation = r
		t.Mark(1 << turnGroup)
	}
	return angleDifference(isYaw, yaw) <= aimedTurn && angleDifference(isPitch, pitch) <= aimedTurn
}

// elevation limits a pitch to minElevation…maxElevation.
func (d *TurretData) elevation(pitch uint16) uint16 {
	lo, hi := int(int16(sim.Turn(d.minElevation))), int(int16(sim.Turn(d.maxElevation)))
	return uint16(int16(min(max(int(int16(pitch)), min(lo, hi)), max(lo, hi))))
}

func turretNumber(name string, lo, hi float64, at func(*TurretData) *float64) sim.Field {
	return sim.FloatField(name, constGroup, lo, hi, at)
}

var turretDataClass = sim.Class{
	Name: "TurretData", Parent: "ShapeBaseData",
	New: func() sim.Object {
		return &TurretData{
			ShapeBaseData: ShapeBaseData{radius: 2, size: sim.Vec3{X: 1.5, Y: 1.5, Z: 2}, mass: 1000, maxDamage: 100, maxEnergy: 100, rechargeRate: 10},
			reach:         100, turnRate: 90, scanInterval: 500, minElevation: -45, maxElevation: 80, eyeHeight: 1.6,
		}
	},
	Doc: "The data that Turrets of one kind share.",
	Fields: []sim.Field{
		sim.BlockField("image", constGroup, "ShapeBaseImageData", func(d *TurretData) *sim.BlockRef { return &d.image }).
			WithDoc("its weapon"),
		turretNumber("range", 0, maxRange, func(d *TurretData) *float64 { return &d.reach }).
			WithDoc("the range in which it finds enemies, in metres"),
		turretNumber("turnRate", 0, 3600, func(d *TurretData) *float64 { return &d.turnRate }).
			WithDoc("its turning speed, in degrees per second"),
		sim.IntField("scanInterval", constGroup, sim.TickMs, maxLifetime, func(d *TurretData) *int { return &d.scanInterval }).
			WithDoc("the time between two searches for enemies, in milliseconds"),
		turretNumber("minElevation", -90, 90, func(d *TurretData) *float64 { return &d.minElevation }).
			WithDoc("the lowest angle it can aim at, in degrees; below 0 is downward"),
		turretNumber("maxElevation", -90, 90, func(d *TurretData) *float64 { return &d.maxElevation }).
			WithDoc("the highest angle it can aim at, in degrees"),
		turretNumber("eyeHeight", 0, 100, func(d *TurretData) *float64 { return &d.eyeHeight }).
			WithDoc("the height of the point it looks and fires from, in metres"),
	},
}

var turretClass = sim.Class{
	Name: "Turret", Parent: "ShapeBase", New: func() sim.Object { return &Turret{ShapeBase: ShapeBase{energy: fullEnergy}} },
	Doc:      "A gun that finds enemies and fires at them.",
	Interest: 0.5,
	Control:  1<<turnGroup | 1<<energyGroup | 1<<imageGroup | 1<<imageStateGroup,
	Fields:   []sim.Field{dataField("TurretData")},
}
