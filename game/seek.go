package game

import "github.com/torc-engine/torc/engine/sim"

// The constants of seeking projectiles.
const (
	seekTicks         = 8 // ticks between two searches for a target
	homingUpdateTicks = 8 // ticks between two updates while it steers: its ghosts see the target at another position
)

// steerToTarget steers a projectile towards its target for one tick.
func (p *Projectile) steerToTarget(d *ProjectileData, n uint64) {
	w := p.World()
	target, _ := w.Find(p.target).(shape)
	if !p.IsGhost() {
		if target != nil && target.base().destroyed {
			target = nil
		}
		if target == nil && d.seekRange > 0 && (n+uint64(p.ID()))%seekTicks == 0 {
			target = p.findTarget(d)
		}
		p.aimAt(target)
	}
	if target == nil {
		return
	}
	to := boxCenter(target).Sub(p.position)
	if !ahead(p.velocity, to, d.seekAngle) {
		return
	}
	p.velocity = rotateTowards(p.velocity, to, turnOfDegrees(d.turnRate*sim.TickSeconds))
	if !p.IsGhost() && p.age%homingUpdateTicks == 0 {
		p.Mark(1 << placeGroup)
	}
}

// aimAt sets the target. nil means none.
func (p *Projectile) aimAt(target shape) {
	id := sim.ID(0)
	if target != nil {
		id = target.base().ID()
	}
	if id != p.target {
		p.target = id
		p.Mark(1 << aimGroup)
	}
}

// findTarget returns the nearest visible enemy of the projectile's source within seekAngle of its
// path.
func (p *Projectile) findTarget(d *ProjectileData) shape {
	s := spaceOf(p.World())
	source, _ := p.World().Find(p.source).(shape)
	for _, r := range s.ranked(p.position, d.seekRange) {
		enemy, is := r.body.(shape)
		if is && hostile(source, enemy) && ahead(p.velocity, boxCenter(enemy).Sub(p.position), d.seekAngle) &&
			s.sees(p.position, boxCenter(enemy), enemy) {
			return enemy
		}
	}
	return nil
}
