package sim

import (
	"fmt"
	"math"
)

// Vec3 is a point or a direction. One unit is a metre, Z is up.
type Vec3 struct{ X, Y, Z float64 }

// Rot is an orientation as three angles in degrees: Yaw about Z, then Pitch about X, then Roll
// about Y.
type Rot struct{ Yaw, Pitch, Roll float64 }

// Add returns a + b.
func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }

// Sub returns a - b.
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

// Mul returns a, k times as long.
func (a Vec3) Mul(k float64) Vec3 { return Vec3{float64(a.X * k), float64(a.Y * k), float64(a.Z * k)} }

// Div returns a divided by k. Division by 0 gives infinities, as with float64.
func (a Vec3) Div(k float64) Vec3 { return Vec3{a.X / k, a.Y / k, a.Z / k} }

// Neg returns -a.
func (a Vec3) Neg() Vec3 { return Vec3{-a.X, -a.Y, -a.Z} }

// Dot returns the scalar product.
func (a Vec3) Dot(b Vec3) float64 {
	return float64(a.X*b.X) + float64(a.Y*b.Y) + float64(a.Z*b.Z)
}

// Cross returns the vector product.
func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{
		float64(a.Y*b.Z) - float64(a.Z*b.Y),
		float64(a.Z*b.X) - float64(a.X*b.Z),
		float64(a.X*b.Y) - float64(a.Y*b.X),
	}
}

// Len returns the length.
func (a Vec3) Len() float64 { return math.Sqrt(a.Dot(a)) }

// Normalized returns a with length 1. The null vector stays unchanged.
func (a Vec3) Normalized() Vec3 {
	l := a.Len()
	if l == 0 {
		return a
	}
	return a.Div(l)
}

// String returns "x y z".
func (a Vec3) String() string { return fmt.Sprintf("%.14g %.14g %.14g", a.X, a.Y, a.Z) }

// String returns "yaw pitch roll", in degrees.
func (r Rot) String() string { return fmt.Sprintf("%.14g %.14g %.14g", r.Yaw, r.Pitch, r.Roll) }
