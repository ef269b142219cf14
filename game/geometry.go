package game

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// rotateTowards returns v, turned towards the direction to by at most an angle.
func rotateTowards(v, to sim.Vec3, most uint16) sim.Vec3 {
	speed := v.Len()
	if speed == 0 || to == (sim.Vec3{}) {
		return v
	}
	ahead, want := v.Div(speed), to.Normalized()
	sin, cos := sim.SinCos(most)
	dot := ahead.Dot(want)
	if dot >= cos {
		return want.Mul(speed)
	}
	side := want.Sub(ahead.Mul(dot))
	if length := side.Len(); length > 1e-9 {
		side = side.Div(length)
	} else {
		side = perpendicular(ahead)
	}
	return ahead.Mul(cos).Add(side.Mul(sin)).Normalized().Mul(speed)
}

// perpendicular returns a unit vector perpendicular to v.
func perpendicular(v sim.Vec3) sim.Vec3 {
	if math.Abs(v.Z) < 0.9 {
		return v.Cross(sim.Vec3{Z: 1}).Normalized()
	}
	return v.Cross(sim.Vec3{X: 1}).Normalized()
}

// ahead reports whether the directions v and to are within an angle, in degrees.
func ahead(v, to sim.Vec3, angle float64) bool {
	_, cos := sim.SinCos(turnOfDegrees(min(angle, 179.99)))
	return angle >= 180 || v.Dot(to) >= float64(cos*float64(v.Len()*to.Len()))
}

// turnOfDegrees converts degrees of at least 0 to 1/65,536 of a turn, rounded down.
func turnOfDegrees(degrees float64) uint16 { return uint16(min(max(degrees, 0)*(65536/360.0), 65535)) }

// degreesOfTurn converts an angle from 1/65,536 of a turn to degrees. It keeps the sign.
func degreesOfTurn(turn int) float64 { return float64(turn) * (360.0 / 65536) }

// signedDegrees converts an angle to degrees in -180…180.
func signedDegrees(turn uint16) float64 { return degreesOfTurn(int(int16(turn))) }

// turnTowards returns an angle, turned towards another the short way by at most most.
func turnTowards(from, to, most uint16) uint16 {
	switch {
	case angleDifference(from, to) <= most:
		return to
	case to-from < 0x8000:
		return from + most
	}
	return from - most
}

// angleDifference returns the difference of two angles.
func angleDifference(a, b uint16) uint16 { return min(a-b, b-a) }

// projectOnPlane returns v without its component along the normal.
func projectOnPlane(v, normal sim.Vec3) sim.Vec3 { return v.Sub(normal.Mul(v.Dot(normal))) }

// horizontalDistanceSquared returns the squared horizontal distance of two points.
func horizontalDistanceSquared(a, b sim.Vec3) float64 {
	d := a.Sub(b)
	return float64(d.X*d.X) + float64(d.Y*d.Y)
}

// ceilFine rounds z up to the fine grid (sim.Coder.Fine).
func ceilFine(z float64) float64 { return math.Ceil(z/sim.FineStep) * sim.FineStep }

// limit returns v, shortened to a length of most. If most is 0 there is no such limit.
func limit(v sim.Vec3, most float64) sim.Vec3 {
	if length := v.Len(); most > 0 && length > most {
		v = v.Mul(most / length)
	}
	return clamp(v, MaxSpeed)
}

// deadZone returns x, or 0 if |x| < least (a dead zone).
func deadZone(x, least float64) float64 {
	if math.Abs(x) < least {
		return 0
	}
	return x
}

// moveTowards returns x, moved towards y by at most step.
func moveTowards(x, y, step float64) float64 { return x + clamp1(y-x, step) }

func axes(v sim.Vec3) [3]float64 { return [3]float64{v.X, v.Y, v.Z} }

func lowest(a, b sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)}
}

func highest(a, b sim.Vec3) sim.Vec3 {
	return sim.Vec3{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)}
}

// directionOrUp returns the direction of v, or up if v is zero.
func directionOrUp(v sim.Vec3) sim.Vec3 {
	if v == (sim.Vec3{}) {
		return sim.Vec3{Z: 1}
	}
	return v.Normalized()
}

// distanceToBox returns the distance from a point to a box, in metres.
func distanceToBox(p, lo, hi sim.Vec3) float64 {
	return sim.Vec3{
		X: max(lo.X-p.X, 0, p.X-hi.X), Y: max(lo.Y-p.Y, 0, p.Y-hi.Y), Z: max(lo.Z-p.Z, 0, p.Z-hi.Z),
	}.Len()
}
