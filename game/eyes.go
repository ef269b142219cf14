package game

import "github.com/torc-engine/torc/engine/sim"

// EyePoint is where it looks from, for whoever aims with it or at it.
func (s *ShapeBase) EyePoint() sim.Vec3 {
	at, _ := eyeOf(s.Object().(shape))
	return at
}
