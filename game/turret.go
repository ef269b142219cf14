package game

import "github.com/torc-engine/torc/engine/sim"

// The measures of turrets.
const (
	aimedTurn  = 0x10000 * 2 / 360 // a turret fires when it looks so near to where it wants to
	leadRounds = 3                 // of looking where the target will be when the shot gets there
	maxLead    = 5.0               // seconds that a turret looks ahead
)

// TurretData is what the Turrets of one kind share.
type TurretData struct {
	ShapeBaseData
	image                      sim.BlockRef
	reach                      float64 // the field range
	turnRate                   float64
	scanInterval               int
	minElevation, maxElevation float64
	eyeHeight                  float64
}

// Turret is a gun that stands where it is. It looks for enemies, turns to them and
// fires where they will be; or somebody controls it.
type Turret struct {
	ShapeBase
	target sim.ID
	wait   int // milliseconds until it looks around again
}

// Data is what it shares with its kind, nil if that is not here.
func (t *Turret) Data() *TurretData {
	d, _ := t.World().Blocks.At(t.data).(*TurretData)
	return d
}

// blocks says that it is in the way.
func (t *Turret) blocks() bool { return true }

// Entered is told that it is in its world.
func (t *Turret) Entered() {
	t.ShapeBase.Entered()
	t.arm()
}

// arm puts the weapon of its kind into its empty hand.
func (t *Turret) arm() {
	if d := t.Data(); d != nil && t.images[0].data == 0 && !t.IsGhost() {
		t.hold(0, d.image)
	}
}

// eye is where it looks from, and where to.
func (t *Turret) eye() (at, look sim.Vec3) {
	at = t.position
	if d := t.Data(); d != nil {
		at.Z += d.eyeHeight
	}
	return at, sim.Look(sim.Turn(t.rotation.Yaw), sim.Turn(t.rotation.Pitch))
}

// Tick is its tick when nobody controls it.
func (t *Turret) Tick(uint64) {
	d := t.Data()
	if d == nil || t.IsGhost() {
		return
	}
	t.stand(&d.ShapeBaseData)
	t.held = 0
	triggers := uint8(0)
	if enemy := t.enemy(d); enemy != nil {
		if yaw, pitch := t.bearing(enemy); t.turnTo(d, yaw, pitch) {
			triggers = 1 << t.trigger0()
		}
	}
	t.pull(triggers)
}

// trigger0 is the trigger of its weapon.
func (t *Turret) trigger0() int {
	if d := t.imageAt(0); d != nil {
		return d.trigger
	}
	return sim.FireTrigger
}

// Control is its tick with a move of who controls it.
func (t *Turret) Control(m sim.Move) {
	d := t.Data()
	if d == nil {
		return
	}
	t.stand(&d.ShapeBaseData)
	t.target = 0
	t.trigger(m)
	if t.destroyed {
		return
	}
	yaw, pitch := sim.Turn(t.rotation.Yaw), int(int16(sim.Turn(t.rotation.Pitch)))
	t.turnTo(d, yaw+uint16(m.Yaw), uint16(min(max(pitch+int(m.Pitch), -0x4000), 0x4000)))
	t.pull(m.Triggers)
}

// CodeControl is the state that its moves depend on.
func (t *Turret) CodeControl(c sim.Coder) {
	yaw, pitch, energy, destroyed := sim.Turn(t.rotation.Yaw), sim.Turn(t.rotation.Pitch), t.energy, t.destroyed
	c.Turn(&yaw)
	c.Turn(&pitch)
	c.Fine(&energy, maxDamage)
	c.Flag(&destroyed)
	t.codeImages(c)
	if c.Reading() && c.Err() == nil {
		t.rotation.Yaw, t.rotation.Pitch = sim.Degrees(yaw), signed(pitch)
		t.energy, t.destroyed = energy, destroyed
	}
}

// Driven ends a tick of a ghost that moves have driven.
func (t *Turret) Driven() { t.following().Interpolate(&t.Class().Motion, t.Place()) }

// enemy is what it aims at, nil if it sees none.
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

// scan looks around for the nearest enemy that it sees and can aim at.
func (t *Turret) scan(d *TurretData) shape {
	s := spaceOf(t.World())
	at, _ := t.eye()
	for _, r := range s.ranked(at, d.reach) {
		enemy, is := r.body.(shape)
		if !is || !hostile(t, enemy) {
			continue
		}
		_, pitch := t.bearing(enemy)
		if within := d.elevation(pitch) == pitch; within && s.seesOnly(at, centre(enemy), t, enemy) {
			return enemy
		}
	}
	return nil
}

// seesOnly is sees, and nobody is in the way either.
func (s *space) seesOnly(from, to sim.Vec3, except, b sim.Object) bool {
	h, is := s.rayThrough(from, to, 0, func(o sim.Object) bool { return o == except })
	return !is || h.object == b
}

// bearing is where it must look to hit something.
func (t *Turret) bearing(enemy shape) (yaw, pitch uint16) {
	at, _ := t.eye()
	to := centre(enemy)
	data, _ := t.World().Blocks.At(t.weapon()).(*ProjectileData)
	if data == nil || data.hitscan || data.muzzleVelocity == 0 {
		return sim.Bearing(to.Sub(at))
	}
	v, gravity := enemy.base().velocity, float64(Gravity*data.gravityMod)
	aim := to
	for range leadRounds {
		time := min(aim.Sub(at).Len()/data.muzzleVelocity, maxLead)
		aim = to.Add(v.Mul(time))
		aim.Z += float64(gravity*time) * (time + sim.TickSeconds) / 2 // as ticks add it up
	}
	return sim.Bearing(aim.Sub(at))
}

// weapon is what it fires.
func (t *Turret) weapon() sim.BlockRef {
	if d := t.imageAt(0); d != nil {
		return d.projectile
	}
	return 0
}

// turnTo turns it, no faster than its kind can, and reports whether it looks
// there now.
func (t *Turret) turnTo(d *TurretData, yaw, pitch uint16) bool {
	pitch = d.elevation(pitch)
	most := turnsOf(d.turnRate * sim.TickSeconds)
	isYaw, isPitch := sim.Turn(t.rotation.Yaw), sim.Turn(t.rotation.Pitch)
	isYaw, isPitch = turnedTo(isYaw, yaw, most), turnedTo(isPitch, pitch, most)
	if r := (sim.Rot{Yaw: sim.Degrees(isYaw), Pitch: signed(isPitch), Roll: t.rotation.Roll}); r != t.rotation {
		t.rotation = r
		t.Mark(1 << turnGroup)
	}
	return apart(isYaw, yaw) <= aimedTurn && apart(isPitch, pitch) <= aimedTurn
}

// elevation is a pitch within its limits.
func (d *TurretData) elevation(pitch uint16) uint16 {
	lo, hi := int(int16(sim.Turn(d.minElevation))), int(int16(sim.Turn(d.maxElevation)))
	return uint16(int16(min(max(int(int16(pitch)), min(lo, hi)), max(lo, hi))))
}

// turnedTo is an angle, turned to another by the short way, by so much at most.
func turnedTo(from, to, most uint16) uint16 {
	switch {
	case apart(from, to) <= most:
		return to
	case to-from < 0x8000:
		return from + most
	}
	return from - most
}

// apart is how far two angles are from each other.
func apart(a, b uint16) uint16 { return min(a-b, b-a) }

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
	Doc: "What the Turrets of one kind share.",
	Fields: []sim.Field{
		sim.BlockField("image", constGroup, "ShapeBaseImageData", func(d *TurretData) *sim.BlockRef { return &d.image }).
			WithDoc("the weapon that it has"),
		turretNumber("range", 0, maxRange, func(d *TurretData) *float64 { return &d.reach }).
			WithDoc("how far it looks for enemies, in metres"),
		turretNumber("turnRate", 0, 3600, func(d *TurretData) *float64 { return &d.turnRate }).
			WithDoc("how fast it turns, in degrees a second"),
		sim.IntField("scanInterval", constGroup, sim.TickMs, maxLifetime, func(d *TurretData) *int { return &d.scanInterval }).
			WithDoc("milliseconds from one look around to the next"),
		turretNumber("minElevation", -90, 90, func(d *TurretData) *float64 { return &d.minElevation }).
			WithDoc("how far down it can aim, in degrees; down is below 0"),
		turretNumber("maxElevation", -90, 90, func(d *TurretData) *float64 { return &d.maxElevation }).
			WithDoc("how far up it can aim, in degrees"),
		turretNumber("eyeHeight", 0, 100, func(d *TurretData) *float64 { return &d.eyeHeight }).
			WithDoc("of where it looks and fires from, in metres"),
	},
}

var turretClass = sim.Class{
	Name: "Turret", Parent: "ShapeBase", New: func() sim.Object { return &Turret{ShapeBase: ShapeBase{energy: fullEnergy}} },
	Doc:      "A gun that looks for enemies and fires at them.",
	Interest: 0.5,
	Control:  1<<turnGroup | 1<<energyGroup | 1<<imageGroup,
	Fields:   []sim.Field{dataField("TurretData")},
}
