package game

import "github.com/torc-engine/torc/engine/sim"

// EyePoint returns the point that the shape looks from. Callers aim from it or at it.
func (s *ShapeBase) EyePoint() sim.Vec3 {
	at, _ := eyeOf(s.Object().(shape))
	return at
}
