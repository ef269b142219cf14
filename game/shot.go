package game

import "github.com/torc-engine/torc/engine/sim"

// shotParams holds the parameters of a projectile that will be fired.
type shotParams struct {
	data   *ProjectileData
	ref    sim.BlockRef
	source *ShapeBase
	from   sim.Vec3
	way    sim.Vec3 // unit vector
	target sim.ID
}

// fire creates the projectile. It returns nil if the world has maxProjectiles projectiles.
func (s shotParams) fire() *Projectile {
	w := s.source.World()
	if spaceOf(w).projectiles >= maxProjectiles {
		return nil
	}
	o, err := w.New("Projectile", func(o sim.Object) error {
		p := o.(*Projectile)
		p.data, p.source, p.target = s.ref, s.source.ID(), s.target
		p.lag = s.data.rewind(s.source.Lag())
		p.position = clamp(s.from, Extent)
		p.velocity = clamp(s.way.Mul(s.data.muzzleVelocity).Add(s.source.velocity.Mul(s.data.velInheritFactor)), MaxSpeed)
		return nil
	})
	if err != nil {
		return nil // no ids are left
	}
	p := o.(*Projectile)
	if s.data.hitscan {
		p.scan(s.data, s.way)
	}
	return p
}

// scan runs the whole flight of a hitscan projectile.
func (p *Projectile) scan(d *ProjectileData, way sim.Vec3) {
	p.velocity = sim.Vec3{}
	h, is := p.firstHit(p.position, p.position.Add(way.Mul(d.reach)))
	if !is {
		p.position = clamp(p.position.Add(way.Mul(d.reach)), Extent)
		p.exploded = true
		return
	}
	p.position = clamp(h.at.Add(h.normal.Mul(hitOffset)), Extent)
	p.explode(d, h)
}
