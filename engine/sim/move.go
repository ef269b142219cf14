package sim

// MoveFull is the value of a full translation. MoveTriggers is the number of triggers.
const (
	MoveFull     = 16
	MoveTriggers = 6
)

// The triggers by their usual meaning.
const (
	FireTrigger = iota
	AltTrigger
	JumpTrigger
	JetTrigger
	CrouchTrigger
	UseTrigger
)

// A Move is a player's input for one tick: translation, rotation and triggers. The zero Move is no
// input, the NULL move.
type Move struct {
	X, Y, Z          int8  // right, forward, up, from -MoveFull to MoveFull
	Yaw, Pitch, Roll int16 // angles to turn by, in 1/65,536 of a turn, signs as in Rot
	Triggers         uint8 // bit mask of the triggers held
	FreeLook         bool  // the head turns, the body does not
}

// Right, Forward and Up return the translation, each from -1 to 1.
func (m Move) Right() float64   { return float64(m.X) / MoveFull }
func (m Move) Forward() float64 { return float64(m.Y) / MoveFull }
func (m Move) Up() float64      { return float64(m.Z) / MoveFull }

// Trigger reports whether trigger n is held.
func (m Move) Trigger(n int) bool { return m.Triggers>>n&1 != 0 }

// SetTrigger presses or releases trigger n.
func (m *Move) SetTrigger(n int, held bool) {
	m.Triggers &^= 1 << n
	if held {
		m.Triggers |= 1 << n
	}
}

// Clamped returns m with every member limited to its range.
func (m Move) Clamped() Move {
	m.X, m.Y, m.Z = unit(m.X), unit(m.Y), unit(m.Z)
	m.Triggers &= 1<<MoveTriggers - 1
	return m
}

func unit(n int8) int8 { return min(max(n, -MoveFull), MoveFull) }
