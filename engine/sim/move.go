package sim

// MoveFull is all of a translation, MoveTriggers the number of triggers.
const (
	MoveFull     = 16
	MoveTriggers = 6
)

// The triggers by their usual meaning (features.md J1).
const (
	FireTrigger = iota
	AltTrigger
	JumpTrigger
	JetTrigger
	CrouchTrigger
	UseTrigger
)

// A Move is what a player wants in one tick: how to go, how far to turn, which
// triggers to hold. The zero Move is nothing at all, the NULL move.
type Move struct {
	X, Y, Z          int8  // right, forward, up, from -MoveFull to MoveFull
	Yaw, Pitch, Roll int16 // to turn by, in 1/65,536 of a turn, in the sense of Rot
	Triggers         uint8 // a bit for each trigger that is held
	FreeLook         bool  // the head turns and the body does not
}

// Right, Forward and Up are the translation, each from -1 to 1.
func (m Move) Right() float64   { return float64(m.X) / MoveFull }
func (m Move) Forward() float64 { return float64(m.Y) / MoveFull }
func (m Move) Up() float64      { return float64(m.Z) / MoveFull }

// Trigger reports whether trigger n is held.
func (m Move) Trigger(n int) bool { return m.Triggers>>n&1 != 0 }

// SetTrigger holds trigger n or lets it go.
func (m *Move) SetTrigger(n int, held bool) {
	m.Triggers &^= 1 << n
	if held {
		m.Triggers |= 1 << n
	}
}

// Clamped is m with everything in its range.
func (m Move) Clamped() Move {
	m.X, m.Y, m.Z = unit(m.X), unit(m.Y), unit(m.Z)
	m.Triggers &= 1<<MoveTriggers - 1
	return m
}

func unit(n int8) int8 { return min(max(n, -MoveFull), MoveFull) }
