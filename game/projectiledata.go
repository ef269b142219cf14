package game

import "github.com/torc-engine/torc/engine/sim"

// The limits of the fields of ProjectileData.
const (
	maxLifetime = 60_000 // milliseconds
	maxImpulse  = 1e6    // kilogram metres a second
	maxBlast    = 256    // metres; maximum radius of an explosion
	maxRange    = 4096   // metres; maximum range of hitscan weapons and of seekers
)

// ProjectileData is the datablock of Projectiles: the values that all Projectiles of one kind
// share.
type ProjectileData struct {
	sim.Block
	shape, explosion, damageType string

	muzzleVelocity, velInheritFactor float64
	gravityMod, drag                 float64
	bounce, friction                 float64
	lifetime, armingDelay            int // milliseconds

	turnRate, seekRange, seekAngle float64

	hitscan         bool
	reach           float64 // the field range
	radius          float64
	lagCompensation int // milliseconds

	directDamage               float64
	radiusDamage, damageRadius float64
	impulse                    float64
}

// Shape names the model of the projectile.
func (d *ProjectileData) Shape() string { return d.shape }

// Explosion names the effect of its explosion.
func (d *ProjectileData) Explosion() string { return d.explosion }

// DamageType returns the damage type that scripts receive with its damage.
func (d *ProjectileData) DamageType() string { return d.damageType }

// steers reports whether the projectile can steer.
func (d *ProjectileData) steers() bool { return d.turnRate > 0 }

// armed reports whether a projectile of this age, in ticks, explodes on a hit.
func (d *ProjectileData) armed(age int) bool { return age*sim.TickMs >= d.armingDelay }

// expired reports whether the lifetime is over at this age, in ticks.
func (d *ProjectileData) expired(age int) bool { return age*sim.TickMs >= d.lifetime }

// rewind returns the lag compensation in ticks, for a shooter that sees the world lag ticks late.
func (d *ProjectileData) rewind(lag int) int {
	return min(lag, (d.lagCompensation+sim.TickMs-1)/sim.TickMs, sim.MaxLag)
}

func newProjectileData() sim.Object {
	return &ProjectileData{
		muzzleVelocity: 50, lifetime: 5000, friction: 0.2, seekAngle: 30, reach: 500, damageType: "Projectile",
	}
}

func projectileNumber(name string, lo, hi float64, at func(*ProjectileData) *float64) sim.Field {
	return sim.FloatField(name, constGroup, lo, hi, at)
}

var projectileDataClass = sim.Class{
	Name: "ProjectileData", Parent: "SimDataBlock", New: newProjectileData,
	Doc: "What the Projectiles of one kind share.",
	Fields: []sim.Field{
		sim.TextField("shape", constGroup, maxShape, func(d *ProjectileData) *string { return &d.shape }).
			WithDoc("what it looks like"),
		sim.TextField("explosion", constGroup, maxShape, func(d *ProjectileData) *string { return &d.explosion }).
			WithDoc("what its end looks like"),
		projectileNumber("muzzleVelocity", 0, MaxSpeed, func(d *ProjectileData) *float64 { return &d.muzzleVelocity }).
			WithDoc("with which a weapon fires it, in metres a second"),
		projectileNumber("velInheritFactor", 0, 1, func(d *ProjectileData) *float64 { return &d.velInheritFactor }).
			WithDoc("how much of the shooter's velocity it takes along"),
		projectileNumber("gravityMod", -100, 100, func(d *ProjectileData) *float64 { return &d.gravityMod }).
			WithDoc("how many times the usual gravity pulls it; 0 flies straight on"),
		projectileNumber("drag", 0, 30, func(d *ProjectileData) *float64 { return &d.drag }).
			WithDoc("part of its speed that the air takes in a second"),
		projectileNumber("bounce", 0, 1, func(d *ProjectileData) *float64 { return &d.bounce }).
			WithDoc("how much of its speed it keeps when it bounces off, while it is not armed"),
		projectileNumber("friction", 0, 1, func(d *ProjectileData) *float64 { return &d.friction }).
			WithDoc("how much of its speed along a surface it loses when it bounces off"),
		sim.IntField("lifetime", constGroup, sim.TickMs, maxLifetime, func(d *ProjectileData) *int { return &d.lifetime }).
			WithDoc("after so many milliseconds it explodes where it is"),
		sim.IntField("armingDelay", constGroup, 0, maxLifetime, func(d *ProjectileData) *int { return &d.armingDelay }).
			WithDoc("milliseconds in which it bounces off what it hits; then it explodes there"),
		projectileNumber("turnRate", 0, 3600, func(d *ProjectileData) *float64 { return &d.turnRate }).
			WithDoc("how fast it turns to its target, in degrees a second; 0 does not"),
		projectileNumber("seekRange", 0, maxRange, func(d *ProjectileData) *float64 { return &d.seekRange }).
			WithDoc("how far it looks for a target when it has none, in metres"),
		projectileNumber("seekAngle", 0, 180, func(d *ProjectileData) *float64 { return &d.seekAngle }).
			WithDoc("how far from its way a target can be, in degrees"),
		sim.BoolField("hitscan", constGroup, func(d *ProjectileData) *bool { return &d.hitscan }).
			WithDoc("it is at once where it hits"),
		projectileNumber("range", 0, maxRange, func(d *ProjectileData) *float64 { return &d.reach }).
			WithDoc("how far it gets if it is hitscan, in metres"),
		projectileNumber("radius", 0, 16, func(d *ProjectileData) *float64 { return &d.radius }).
			WithDoc("of the sphere that holds it, in metres"),
		sim.IntField("lagCompensation", constGroup, 0, 250, func(d *ProjectileData) *int { return &d.lagCompensation }).
			WithDoc("so many milliseconds at most it hits what its shooter saw instead of what is; 0 is off"),
		projectileNumber("directDamage", 0, maxDamage, func(d *ProjectileData) *float64 { return &d.directDamage }).
			WithDoc("to what it hits"),
		projectileNumber("radiusDamage", 0, maxDamage, func(d *ProjectileData) *float64 { return &d.radiusDamage }).
			WithDoc("of its explosion in the middle"),
		projectileNumber("damageRadius", 0, maxBlast, func(d *ProjectileData) *float64 { return &d.damageRadius }).
			WithDoc("where the explosion's damage and impulse end, in metres"),
		projectileNumber("impulse", 0, maxImpulse, func(d *ProjectileData) *float64 { return &d.impulse }).
			WithDoc("of its explosion in the middle, in kilogram metres a second"),
		sim.TextField("damageType", constGroup, maxDamageType, func(d *ProjectileData) *string { return &d.damageType }).
			WithDoc("what its victims are told that it was"),
	},
}
