package move

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// A Move is a player's input for one tick: movement, rotation and triggers. The zero Move means no
// input.
type Move struct {
	X, Y, Z          int8  // right, forward, up: -16..16
	Yaw, Pitch, Roll int16 // 1/65,536 of a turn
	Triggers         uint8 // one bit for each of 6 triggers
	FreeLook         bool
}

const (
	maxAxis      = 16 // the largest translation
	axisBits     = 6  // of a translation + maxAxis
	turnBits     = 16
	triggerCount = 6

	maxMoveBits = 1 + 3*(1+axisBits) + 3*(1+turnBits) + 1 + 1 + triggerCount
)

var zeroMove Move

// clamp returns v with each value limited to its range.
func (v Move) clamp() Move {
	v.X, v.Y, v.Z = clampAxis(v.X), clampAxis(v.Y), clampAxis(v.Z)
	v.Triggers &= 1<<triggerCount - 1
	return v
}

func clampAxis(n int8) int8 { return min(max(n, -maxAxis), maxAxis) }

// serialize is the wire form of a move (PROTOCOL.md, Moves): the differences from the previous
// move.
func (v *Move) serialize(s *bitstream.Codec, before *Move) {
	differs := *v != *before
	if s.Reading() {
		*v = *before
	}
	if !s.Flag(&differs) {
		return
	}
	axis(s, &v.X, before.X)
	axis(s, &v.Y, before.Y)
	axis(s, &v.Z, before.Z)
	turn(s, &v.Yaw, before.Yaw)
	turn(s, &v.Pitch, before.Pitch)
	turn(s, &v.Roll, before.Roll)
	s.Flag(&v.FreeLook)
	if differs = v.Triggers != before.Triggers; s.Flag(&differs) {
		held := uint64(v.Triggers)
		if s.Bits(&held, triggerCount); s.Reading() {
			v.Triggers = uint8(held)
		}
	}
}

func axis(s *bitstream.Codec, v *int8, before int8) {
	differs := *v != before
	if !s.Flag(&differs) {
		return
	}
	code := uint64(*v + maxAxis)
	s.Bits(&code, axisBits)
	if !s.Reading() {
		return
	}
	if code > 2*maxAxis {
		s.Fail(netcore.Violationf("moves: translation code %d: must be at most %d", code, 2*maxAxis))
		return
	}
	*v = int8(code) - maxAxis
}

func turn(s *bitstream.Codec, v *int16, before int16) {
	differs := *v != before
	if !s.Flag(&differs) {
		return
	}
	angle := uint64(uint16(*v))
	if s.Bits(&angle, turnBits); s.Reading() {
		*v = int16(angle)
	}
}
