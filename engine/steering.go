package engine

import (
	"math"

	"github.com/torc-engine/torc/engine/sim"
)

// pilotBrake is the distance in metres at which a pilot begins to slow down.
const pilotBrake = 4.0

// turnTo returns the turn needed to look along way: from -180 to 180 degrees.
func turnTo(way sim.Vec3, yaw, pitch uint16) (byYaw, byPitch int16) {
	flat := math.Sqrt(float64(way.X*way.X) + float64(way.Y*way.Y))
	if flat > 0 {
		byYaw = int16(turns(math.Atan2(-way.X, way.Y)) - yaw)
	}
	if flat > 0 || way.Z != 0 {
		byPitch = int16(turns(math.Atan2(way.Z, flat)) - pitch)
	}
	return byYaw, byPitch
}

func turns(radians float64) uint16 { return sim.Turn(radians * (180 / math.Pi)) }

// toward returns the translation along way for a body with this heading.
func toward(way sim.Vec3, distance float64, heading uint16) (x, y int8) {
	f := sim.Heading(heading)
	speed := sim.MoveFull * min(1, distance/pilotBrake) / distance
	right := float64(way.X*f.Y) - float64(way.Y*f.X)
	forward := float64(way.X*f.X) + float64(way.Y*f.Y)
	return whole(right * speed), whole(forward * speed)
}

// whole rounds x to a move's range. NaN and values outside the range become 0.
func whole(x float64) int8 {
	if !(x > -sim.MoveFull-1 && x < sim.MoveFull+1) {
		return 0
	}
	return int8(math.Round(x))
}
