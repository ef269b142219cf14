package sim

import "math"

// Degrees converts an angle in 1/65,536 of a turn to degrees, exactly. The result is at least 0 and
// below 360.
func Degrees(turn uint16) float64 { return float64(turn) * (360.0 / 65536) }

// Turn returns the angle in 1/65,536 of a turn nearest to an angle in degrees.
func Turn(degrees float64) uint16 {
	if !(degrees > -1e12 && degrees < 1e12) {
		return 0
	}
	return uint16(int64(math.Floor(float64(degrees*(65536/360.0)) + 0.5)))
}

// SinCos returns the sine and the cosine of an angle in 1/65,536 of a turn. The result is the same
// to the bit on every machine, with an error below 1e-9.
func SinCos(turn uint16) (sin, cos float64) {
	switch turn {
	case 0:
		return 0, 1
	case 0x4000:
		return 1, 0
	case 0x8000:
		return 0, -1
	case 0xc000:
		return -1, 0
	}
	x := float64(int(turn&0x3fff)-0x2000) * (2 * math.Pi / 65536) // from the middle of its quarter, ±π/4
	s, c := sinCos(x)
	s, c = float64((s+c)*sqrtHalf), float64((c-s)*sqrtHalf)
	switch turn >> 14 {
	case 1:
		return c, -s
	case 2:
		return -s, -c
	case 3:
		return -c, s
	}
	return s, c
}

const sqrtHalf = math.Sqrt2 / 2

// sinCos computes the Taylor series, for x from -π/4 to π/4.
func sinCos(x float64) (sin, cos float64) {
	q := float64(x * x)
	s, c := 1.0, 1.0
	for n := 12; n >= 2; n -= 2 {
		s = 1 - float64(float64(q*s)/float64(n*(n+1)))
		c = 1 - float64(float64(q*c)/float64(n*(n-1)))
	}
	return float64(x * s), c
}

// Heading returns the direction of a yaw angle: +Y at 0, then counter-clockwise.
func Heading(yaw uint16) Vec3 {
	sin, cos := SinCos(yaw)
	return Vec3{X: -sin, Y: cos}
}

// Look returns the direction of yaw and pitch together. Positive pitch is up.
func Look(yaw, pitch uint16) Vec3 {
	h := Heading(yaw)
	sin, cos := SinCos(pitch)
	return Vec3{X: float64(h.X * cos), Y: float64(h.Y * cos), Z: sin}
}

// Bearing returns the yaw and the pitch of the direction v, each with an error of at most 1/65,536
// of a turn, the same on every machine. Both are 0 for the null vector.
func Bearing(v Vec3) (yaw, pitch uint16) {
	flat := math.Sqrt(float64(v.X*v.X) + float64(v.Y*v.Y))
	return atan2Turn(v.Y, -v.X), atan2Turn(flat, v.Z)
}

// atan2Turn returns the angle from (1, 0) to (x, y). A binary search finds it, because that needs
// only SinCos.
func atan2Turn(x, y float64) uint16 {
	ax, ay := math.Abs(x), math.Abs(y)
	if !(ax > 0 || ay > 0) {
		return 0
	}
	lo, hi := 0, 0x4000
	for lo < hi {
		middle := (lo + hi + 1) / 2
		sin, cos := SinCos(uint16(middle))
		if float64(ax*sin) <= float64(ay*cos) {
			lo = middle
		} else {
			hi = middle - 1
		}
	}
	switch turn := uint16(lo); {
	case x < 0 && y < 0:
		return 0x8000 + turn
	case x < 0:
		return 0x8000 - turn
	case y < 0:
		return -turn
	default:
		return turn
	}
}
