package game

import "github.com/torc-engine/torc/engine/sim"

// The measures of what seeks.
const (
	seekTicks = 8 // from one look around for a target to the next
	tellTicks = 8 // from one update of what steers to the next: its ghosts see the target elsewhere
)

// home steers a projectile to its target for a tick.
func (p *Projectile) home(d *ProjectileData, n uint64) {
	w := p.World()
	target, _ := w.Find(p.target).(shape)
	if !p.IsGhost() {
		if target != nil && target.base().destroyed {
			target = nil
		}
		if target == nil && d.seekRange > 0 && (n+uint64(p.ID()))%seekTicks == 0 {
			target = p.look(d)
		}
		p.aimAt(target)
	}
	if target == nil {
		return
	}
	to := centre(target).Sub(p.position)
	if !ahead(p.velocity, to, d.seekAngle) {
		return
	}
	p.velocity = steered(p.velocity, to, turnsOf(d.turnRate*sim.TickSeconds))
	if !p.IsGhost() && p.age%tellTicks == 0 {
		p.Mark(1 << placeGroup)
	}
}

// aimAt makes something its target, or nothing.
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

// look is the nearest enemy of who fired it that it sees before it.
func (p *Projectile) look(d *ProjectileData) shape {
	s := spaceOf(p.World())
	source, _ := p.World().Find(p.source).(shape)
	for _, r := range s.ranked(p.position, d.seekRange) {
		enemy, is := r.body.(shape)
		if is && hostile(source, enemy) && ahead(p.velocity, centre(enemy).Sub(p.position), d.seekAngle) &&
			s.sees(p.position, centre(enemy), enemy) {
			return enemy
		}
	}
	return nil
}

// hostile reports whether what belongs to one shape aims at another by itself:
// at players and vehicles of another team, or of any if its own is none. a is nil
// for nobody.
func hostile(a, b shape) bool {
	if !isMoving(b) || b.base().destroyed || b.Ident().Dead() {
		return false
	}
	if a == nil || a.base().team == 0 {
		return a == nil || a.base() != b.base()
	}
	return b.base().team != 0 && b.base().team != a.base().team
}

// ahead reports whether a way is within an angle of another, in degrees.
func ahead(v, to sim.Vec3, angle float64) bool {
	_, cos := sim.SinCos(turnsOf(min(angle, 179.99)))
	return angle >= 180 || v.Dot(to) >= float64(cos*float64(v.Len()*to.Len()))
}

// turnsOf is an angle of degrees from 0, never rounded up.
func turnsOf(degrees float64) uint16 { return uint16(min(max(degrees, 0)*(65536/360.0), 65535)) }
