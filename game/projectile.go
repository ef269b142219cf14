package game

import "github.com/torc-engine/torc/engine/sim"

// The constants of projectiles.
const (
	maxProjectiles = 4096 // per world; at the limit, weapons fire nothing
	maxBounces     = 4    // per tick
	sourceTicks    = 5    // ticks; up to this age it does not hit its source
	lingerTicks    = 16   // ticks that it exists after its explosion, so that its ghosts receive the explosion
	hitOffset      = 0.02 // metres; distance from a surface after a hit
	restSlide      = 0.05 // metres a second; after a bounce, a slower projectile stops
	maxAge         = maxLifetime/sim.TickMs + 1
)

// The field groups of a projectile.
const (
	aimGroup = iota + turnGroup + 1
	endGroup
	ageGroup
)

// Projectile is an object that was fired. It flies, falls, bounces or seeks, and explodes. Its
// ghosts run the same flight and collide with the same solids. Hits on moving bodies reach them as
// updates.
type Projectile struct {
	SceneObject
	data     sim.BlockRef
	source   sim.ID // the object that fired it
	target   sim.ID // the object that it steers to
	age      int    // ticks since it was fired
	exploded bool

	lag                 int  // ticks that its source saw the world late
	counted             bool // it counts towards maxProjectiles
	awaitsUpdate        bool // of a ghost: it waits for the update about its hit
	ticksSinceExplosion int  // ticks since it exploded
}

// Data returns the datablock, or nil if it is missing.
func (p *Projectile) Data() *ProjectileData {
	d, _ := sim.Part[*ProjectileData](p.World().Blocks.At(p.data))
	return d
}

// Source returns the id of the object that fired it, or 0.
func (p *Projectile) Source() sim.ID { return p.source }

// Exploded reports whether it has exploded.
func (p *Projectile) Exploded() bool { return p.exploded }

// Place returns the position of the projectile and the radius of its bounding sphere.
func (p *Projectile) Place() sim.Place {
	place := p.SceneObject.Place()
	if d := p.Data(); d != nil {
		place.Radius = d.radius
	}
	return place
}

// Entered counts the projectile in the space of its world. Ghosts do not count.
func (p *Projectile) Entered() {
	if !p.IsGhost() {
		p.counted = true
		spaceOf(p.World()).projectiles++
	}
}

// Left stops counting the projectile.
func (p *Projectile) Left() {
	if p.counted {
		p.counted = false
		spaceOf(p.World()).projectiles--
	}
}

// Received handles an update of the fields. before is the previous Place.
func (p *Projectile) Received(before sim.Place) {
	p.awaitsUpdate = false
	p.SceneObject.Received(before)
}

// Tick moves the projectile. Ghosts run it too.
func (p *Projectile) Tick(n uint64) {
	d := p.Data()
	switch {
	case d == nil || p.awaitsUpdate:
		return
	case p.exploded:
		p.tickExploded()
		return
	}
	p.age = min(p.age+1, maxAge)
	p.MarkPredicted(1 << ageGroup)
	if d.steers() {
		p.steerToTarget(d, n)
	}
	p.fly(d, p.nextVelocity(d))
	if !p.exploded && !p.IsGhost() && d.expired(p.age) {
		p.explode(d, rayHit{at: p.position})
	}
}

// tickExploded is a tick after the explosion.
func (p *Projectile) tickExploded() {
	if p.ticksSinceExplosion++; p.ticksSinceExplosion >= lingerTicks && !p.IsGhost() {
		_ = p.World().Delete(p) // cannot fail: only groups and datablocks refuse deletion
	}
}

// nextVelocity returns the velocity after one tick of gravity and drag.
func (p *Projectile) nextVelocity(d *ProjectileData) sim.Vec3 {
	v := p.velocity
	v.Z -= float64(Gravity * d.gravityMod * sim.TickSeconds)
	if d.drag > 0 {
		v = v.Mul(1 - float64(d.drag*sim.TickSeconds))
	}
	return clamp(v, MaxSpeed)
}

// fly moves the projectile by one tick with velocity v.
func (p *Projectile) fly(d *ProjectileData, v sim.Vec3) {
	from, left, told := p.position, sim.TickSeconds, false
	for range maxBounces {
		to := from.Add(v.Mul(left))
		h, is := p.firstHit(from, to)
		if !is {
			from = to
			break
		}
		from = h.at.Add(h.normal.Mul(hitOffset))
		if d.armed(p.age) {
			p.move(clamp(from, Extent), sim.Vec3{})
			p.explode(d, h)
			return
		}
		v = clamp(d.bounceOff(v, h.normal), MaxSpeed)
		left -= float64(left * h.t)
		told = told || isMoving(h.object)
	}
	if at := clamp(from, Extent); at != from {
		p.leaveWorld(at)
		return
	}
	if told {
		p.move(from, v) // ghosts cannot predict this bounce
		return
	}
	p.drift(from, v)
}

// bounceOff returns the velocity after an impact with velocity v on a surface.
func (d *ProjectileData) bounceOff(v, normal sim.Vec3) sim.Vec3 {
	into := v.Dot(normal)
	along := v.Sub(normal.Mul(into)).Mul(1 - d.friction)
	out := max(-float64(into*d.bounce), 0)
	if out < restSpeed {
		out = 0
	}
	if v = along.Add(normal.Mul(out)); v.Len() < restSlide {
		return sim.Vec3{}
	}
	return v
}

// leaveWorld ends a projectile that left the bounds of the world.
func (p *Projectile) leaveWorld(at sim.Vec3) {
	p.move(at, sim.Vec3{})
	if p.awaitsUpdate = p.IsGhost(); !p.awaitsUpdate {
		_ = p.World().Delete(p)
	}
}

// firstHit returns the first hit on the path, excluding bodies that the projectile passes through.
func (p *Projectile) firstHit(from, to sim.Vec3) (rayHit, bool) {
	return spaceOf(p.World()).rayThrough(from, to, p.lag, p.passes)
}

// passes reports whether the projectile passes through a body. It passes through items, deleted
// objects and destroyed moving shapes. While it is young it passes through its source and the
// source's mount. A ghost passes through everything that moves.
func (p *Projectile) passes(o sim.Object) bool {
	if o.Ident().Dead() || isMoving(o) && p.IsGhost() {
		return true
	}
	switch o := o.(type) {
	case loose:
		return true
	case shape:
		if isMoving(o) && o.base().destroyed {
			return true
		}
	}
	if p.age > sourceTicks || p.source == 0 {
		return false
	}
	id := o.Ident().ID()
	if id == p.source {
		return true
	}
	s, is := p.World().Find(p.source).(shape)
	return is && s.base().mount == id
}

// explode ends the projectile, on a hit or at the end of its lifetime.
func (p *Projectile) explode(d *ProjectileData, h rayHit) {
	if p.awaitsUpdate = p.IsGhost(); p.awaitsUpdate {
		return // the server decides whether this hit is real
	}
	p.exploded = true
	p.velocity = sim.Vec3{}
	p.Mark(1<<endGroup | 1<<placeGroup)
	w := p.World()
	if h.normal != (sim.Vec3{}) {
		w.Emit(p, "onCollision", handle(h.object), sim.Vec(h.at), sim.Vec(h.normal))
	}
	explosion{
		source: w.Find(p.source), at: p.position, kind: d.damageType,
		radius: d.damageRadius, damage: d.radiusDamage, impulse: d.impulse,
		direct: h.object, directDamage: d.directDamage,
	}.strike(spaceOf(w))
	w.Emit(p, "onExplode", sim.Vec(p.position))
}

var projectileClass = sim.Class{
	Name: "Projectile", Parent: "SceneObject", New: func() sim.Object { return new(Projectile) },
	Doc: "A shot in flight.",
	Events: []sim.EventDoc{
		{Name: "onCollision", Params: "other: Object?, position: vec, normal: vec", Doc: "the projectile has hit something; other is nil for the flat ground of a mission without terrain"},
		{Name: "onExplode", Params: "position: vec", Doc: "the projectile explodes"},
	},
	Motion:          sim.MotionRule{Predict: true, WarpTicks: 5, ExtrapolateTicks: sim.Forever},
	PredictedGroups: 1<<placeGroup | 1<<ageGroup,
	Interest:        0.5,
	GroupWeight:     [sim.MaxGroups + 1]uint8{aimGroup: 64},
	Fields: []sim.Field{
		sim.BlockField("dataBlock", constGroup, "ProjectileData", func(p *Projectile) *sim.BlockRef { return &p.data }).
			WithDoc("the datablock with the values shared by all objects of its kind"),
		sim.IntField("age", ageGroup, 0, maxAge, func(p *Projectile) *int { return &p.age }).
			WithDoc("its age in ticks"),
		sim.RefField("source", aimGroup, "SceneObject", func(p *Projectile) *sim.ID { return &p.source }).
			WithDoc("the object that fired it"),
		sim.RefField("target", aimGroup, "SceneObject", func(p *Projectile) *sim.ID { return &p.target }).
			WithDoc("the object it steers towards"),
		sim.BoolField("exploded", endGroup, func(p *Projectile) *bool { return &p.exploded }).
			WithDoc("the projectile has ended"),
	},
}
