package bitstream

import "math"

// Normal codes a unit vector in 2n bits, n = 2..52. It maps the sphere to the
// octahedron |x|+|y|+|z| = 1 and unfolds that to a square. The mapping needs no
// angles, distributes directions more evenly than two angles do, and keeps the
// six axes exact. A vector of another length keeps its direction. A vector
// without a direction (zero, or not finite) is written as {0, 0, 1}. A failed
// read returns {0, 0, 1}.
func (s *Codec) Normal(v *[3]float64, n int) {
	var x, y float64
	if !s.reading {
		x, y = fold(v)
	}
	s.SignedFloat(&x, n)
	s.SignedFloat(&y, n)
	if s.reading {
		if s.err != nil {
			x, y = 0, 0
		}
		*v = unfold(x, y)
	}
}

// fold maps a direction to the square -1..1. The upper half of the octahedron
// maps to the middle of the square, the lower half to the corners.
func fold(v *[3]float64) (x, y float64) {
	sum := math.Abs(v[0]) + math.Abs(v[1]) + math.Abs(v[2])
	if !(sum > 0 && sum <= math.MaxFloat64) {
		return 0, 0
	}
	x, y = v[0]/sum, v[1]/sum
	if v[2] < 0 {
		x, y = corner(x, y)
	}
	return x, y
}

// unfold is the inverse of fold.
func unfold(x, y float64) [3]float64 {
	z := 1 - math.Abs(x) - math.Abs(y)
	if z < 0 {
		x, y = corner(x, y)
	}
	length := norm(&[3]float64{x, y, z})
	return [3]float64{x / length, y / length, z / length}
}

// corner mirrors a point of the square at the nearest edge of its middle part.
func corner(x, y float64) (float64, float64) {
	return math.Copysign(1-math.Abs(y), x), math.Copysign(1-math.Abs(x), y)
}

// norm returns the length of v.
func norm(v *[3]float64) float64 {
	return math.Sqrt(float64(v[0]*v[0]) + float64(v[1]*v[1]) + float64(v[2]*v[2]))
}

// Vector codes a vector as a length of up to max in n bits and a direction in 2n
// bits, n = 2..52, after two flags. A vector that rounds to zero takes 1 bit. One
// of a length up to max takes 2 + 3n bits. A longer one takes 98 bits, as three
// float32. Writing turns NaN into 0 and clamps to the range of float32. Reading
// a value that is not finite fails with ErrRange. A failed read returns zero.
func (s *Codec) Vector(v *[3]float64, max float64, n int) {
	if !(max > 0 && max <= math.MaxFloat64) || uint(n-2) >= 51 {
		s.Fail(ErrRange)
		return
	}
	var length float64
	var some, raw bool
	if !s.reading {
		length = norm(v)
		raw = !(length <= max)
		some = raw || length/max*float64(uint64(1)<<n-2) >= 0.5
	}
	if !s.Flag(&some) {
		if s.reading {
			*v = [3]float64{}
		}
		return
	}
	if s.Flag(&raw) {
		s.raw(v)
		return
	}
	length /= max
	s.Float(&length, n)
	s.Normal(v, n)
	if s.reading {
		if s.err != nil {
			length = 0
		}
		for i := range v {
			v[i] *= length * max
		}
	}
}

// pointWidths are the bits per axis of the first three classes of Point.
var pointWidths = [...]int{16, 18, 20}

// Point codes a position on a grid of the given scale around origin. Both sides
// must use the same origin and scale. It takes a class of 2 bits and 16, 18 or 20
// bits per axis. A point farther away than 2^19 steps takes three float32
// instead. Near points therefore take 50 bits and are exact to half a step.
// Writing turns NaN into 0 and clamps to the range of float32. Reading a value
// that is not finite fails with ErrRange. A failed read returns zero.
func (s *Codec) Point(v *[3]float64, origin [3]float64, scale float64) {
	if !(scale > 0 && scale <= math.MaxFloat64) {
		s.Fail(ErrRange)
		return
	}
	var grid [3]float64
	class := uint64(len(pointWidths))
	if !s.reading {
		far := 0.0
		for i := range grid {
			grid[i] = math.Floor((v[i]-origin[i])/scale + 0.5)
			far = math.Max(far, math.Abs(grid[i]))
		}
		class = pointClass(far)
	}
	s.Bits(&class, 2)
	if class == uint64(len(pointWidths)) {
		s.raw(v)
		return
	}
	half := int64(1) << (pointWidths[class] - 1)
	for i := range grid {
		if s.reading {
			grid[i] = float64(int64(s.read(pointWidths[class])) - half)
			v[i] = origin[i] + float64(grid[i]*scale)
		} else {
			s.write(uint64(int64(grid[i])+half), pointWidths[class])
		}
	}
	if s.reading && s.err != nil {
		*v = [3]float64{}
	}
}

// pointClass returns the first class that can hold far steps. NaN and infinity
// get the last class.
func pointClass(far float64) uint64 {
	for class, n := range pointWidths {
		if far < float64(int64(1)<<(n-1)) {
			return uint64(class)
		}
	}
	return uint64(len(pointWidths))
}

// raw codes a vector as three finite float32.
func (s *Codec) raw(v *[3]float64) {
	for i := range v {
		var f float32
		if !s.reading {
			f = float32(clamp(v[i], -math.MaxFloat32, math.MaxFloat32))
		}
		s.Float32(&f)
		if s.reading {
			v[i] = float64(f)
			if v[i]-v[i] != 0 {
				s.Fail(ErrRange)
			}
		}
	}
	if s.reading && s.err != nil {
		*v = [3]float64{}
	}
}
