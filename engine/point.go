package engine

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// A point is a Vec3 in 32-bit floats. Its squared length is finite.
type point struct{ x, y, z float32 }

// farthest is the largest coordinate of a point.
const farthest = 1 << 24

func pointOf(v sim.Vec3) point { return point{finite(v.X), finite(v.Y), finite(v.Z)} }

func finite(x float64) float32 {
	switch {
	case x > -farthest && x < farthest:
		return float32(x)
	case x >= farthest:
		return farthest
	case x <= -farthest:
		return -farthest
	}
	return 0
}

func (p point) vec() sim.Vec3     { return sim.Vec3{X: float64(p.x), Y: float64(p.y), Z: float64(p.z)} }
func (p point) sub(q point) point { return point{p.x - q.x, p.y - q.y, p.z - q.z} }
func (p point) square() float32   { return p.dot(p) }
func (p point) dot(q point) float32 {
	return float32(p.x*q.x) + float32(p.y*q.y) + float32(p.z*q.z)
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }
