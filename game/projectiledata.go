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
	shape, explosion, damageType, look string

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
	Doc: "The data that Projectiles of one kind share.",
	Fields: []sim.Field{
		sim.TextField("shape", constGroup, maxShape, func(d *ProjectileData) *string { return &d.shape }).
			WithDoc("the name of its shape"),
		lookField(func(d *ProjectileData) *string { return &d.look }),
		sim.TextField("explosion", constGroup, maxShape, func(d *ProjectileData) *string { return &d.explosion }).
			WithDoc("the name of its explosion effect"),
		projectileNumber("muzzleVelocity", 0, MaxSpeed, func(d *ProjectileData) *float64 { return &d.muzzleVelocity }).
			WithDoc("the speed at which a weapon fires it, in metres per second"),
		projectileNumber("velInheritFactor", 0, 1, func(d *ProjectileData) *float64 { return &d.velInheritFactor }).
			WithDoc("the share of the shooter's velocity added to its own"),
		projectileNumber("gravityMod", -100, 100, func(d *ProjectileData) *float64 { return &d.gravityMod }).
			WithDoc("a factor of gravity; 0 flies straight"),
		projectileNumber("drag", 0, 30, func(d *ProjectileData) *float64 { return &d.drag }).
			WithDoc("the share of its speed lost to the air per second"),
		projectileNumber("bounce", 0, 1, func(d *ProjectileData) *float64 { return &d.bounce }).
			WithDoc("the share of its speed that a bounce keeps; only unarmed projectiles bounce"),
		projectileNumber("friction", 0, 1, func(d *ProjectileData) *float64 { return &d.friction }).
			WithDoc("the share of its speed along a surface that a bounce loses"),
		sim.IntField("lifetime", constGroup, sim.TickMs, maxLifetime, func(d *ProjectileData) *int { return &d.lifetime }).
			WithDoc("the time until it explodes in flight, in milliseconds"),
		sim.IntField("armingDelay", constGroup, 0, maxLifetime, func(d *ProjectileData) *int { return &d.armingDelay }).
			WithDoc("the time until it is armed, in milliseconds; until then it bounces off, afterwards a hit explodes it"),
		projectileNumber("turnRate", 0, 3600, func(d *ProjectileData) *float64 { return &d.turnRate }).
			WithDoc("how fast it turns towards its target, in degrees per second; 0 disables steering"),
		projectileNumber("seekRange", 0, maxRange, func(d *ProjectileData) *float64 { return &d.seekRange }).
			WithDoc("the range in which it looks for a target when it has none, in metres"),
		projectileNumber("seekAngle", 0, 180, func(d *ProjectileData) *float64 { return &d.seekAngle }).
			WithDoc("the largest angle between its course and a target, in degrees"),
		sim.BoolField("hitscan", constGroup, func(d *ProjectileData) *bool { return &d.hitscan }).
			WithDoc("the shot hits in the tick in which it is fired"),
		projectileNumber("range", 0, maxRange, func(d *ProjectileData) *float64 { return &d.reach }).
			WithDoc("the range of a hitscan shot, in metres"),
		projectileNumber("radius", 0, 16, func(d *ProjectileData) *float64 { return &d.radius }).
			WithDoc("the radius of its bounding sphere, in metres"),
		sim.IntField("lagCompensation", constGroup, 0, 250, func(d *ProjectileData) *int { return &d.lagCompensation }).
			WithDoc("the largest lag compensation in milliseconds: hits count against the positions that the shooter saw; 0 turns it off"),
		projectileNumber("directDamage", 0, maxDamage, func(d *ProjectileData) *float64 { return &d.directDamage }).
			WithDoc("the damage to the object it hits"),
		projectileNumber("radiusDamage", 0, maxDamage, func(d *ProjectileData) *float64 { return &d.radiusDamage }).
			WithDoc("the damage at the centre of its explosion"),
		projectileNumber("damageRadius", 0, maxBlast, func(d *ProjectileData) *float64 { return &d.damageRadius }).
			WithDoc("the radius of the explosion's damage and impulse, in metres"),
		projectileNumber("impulse", 0, maxImpulse, func(d *ProjectileData) *float64 { return &d.impulse }).
			WithDoc("the impulse at the centre of its explosion, in newton seconds"),
		sim.TextField("damageType", constGroup, maxDamageType, func(d *ProjectileData) *string { return &d.damageType }).
			WithDoc("the damage type that onDamage receives"),
	},
}
