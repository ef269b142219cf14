package sim

import (
	"math"
	"math/bits"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// Controllable is an object driven by moves. The peer that makes the moves applies them at once to
// its ghost of the object (prediction). The owner applies the same moves when they arrive. Both
// must compute the same state to the bit. If they differ, the owner's state wins.
//
// A move may therefore depend only on the state that CodeControl carries, on datablocks, and on
// objects that do not move and are equal on both sides. All numbers in that state are on a grid
// (Snap, Turn). Of package math, use only Sqrt, Floor, Abs and other exact functions, and convert
// every product to float64.
type Controllable interface {
	Interpolator

	// Control runs one tick of the object with a move. It replaces Tick while the object has a
	// controller. It can run several times in a tick, and again for the same moves after a
	// correction (World.Replaying).
	Control(m Move)

	// CodeControl reads or writes all state that Control depends on, without loss. Invalid input
	// fails c and changes nothing.
	CodeControl(c Coder)

	// Driven ends a tick of a ghost that moves have driven: it updates the shown place from the
	// predicted state. It replaces Interpolate.
	Driven()
}

// Driver is a Controllable that passes its moves on, for example a player in a vehicle. Its control
// state includes that of the driven object.
type Driver interface {
	Controllable
	Drives() Controllable // nil: only itself
}

// Controller returns the id of the connection that controls the object, 0 for none. World.Tick
// skips controlled objects.
func (i *Identity) Controller() ID { return i.controller }

// SetController sets the id of the connection that controls the object, 0 for none.
func (i *Identity) SetController(who ID) { i.controller = who }

// Lag returns the age in ticks of the view on which the controller's moves are based, at most
// MaxLag. It is 0 without a remote controller.
func (i *Identity) Lag() int { return int(i.lag) }

// SetLag sets the lag in ticks, limited to 0…MaxLag.
func (i *Identity) SetLag(ticks int) { i.lag = uint8(min(max(ticks, 0), MaxLag)) }

// MaxLag is the most ticks that hit tests may rewind: 250 ms.
const MaxLag = 8

// FineStep is the grid step of numbers in control state: positions in metres, velocities in metres
// per second, and other quantities.
const FineStep = 1.0 / 1024

// Snap rounds x to the fine grid.
func Snap(x float64) float64 { return math.Floor(x/FineStep+0.5) * FineStep }

// SnapVec rounds v to the fine grid.
func SnapVec(v Vec3) Vec3 { return Vec3{Snap(v.X), Snap(v.Y), Snap(v.Z)} }

// Fine codes a number on the fine grid from -most to most, exactly.
func (c Coder) Fine(p *float64, most float64) {
	limit := int64(most / FineStep)
	n := int64(0)
	if !c.Reading() {
		n = min(max(int64(*p/FineStep), -limit), limit) + limit
	}
	code := uint64(n)
	c.Bits(&code, bits.Len64(uint64(2*limit)))
	switch {
	case !c.Reading() || c.Err() != nil:
	case code > uint64(2*limit):
		c.Fail(bitstream.ErrRange)
	default:
		*p = float64(int64(code)-limit) * FineStep
	}
}

// FineVec codes a vector with components on the fine grid from -most to most, exactly.
func (c Coder) FineVec(p *Vec3, most float64) {
	v := *p
	c.Fine(&v.X, most)
	c.Fine(&v.Y, most)
	c.Fine(&v.Z, most)
	if c.Err() == nil {
		*p = v
	}
}

// Turn codes an angle in 1/65,536 of a turn, exactly.
func (c Coder) Turn(p *uint16) {
	n := uint64(*p)
	c.Bits(&n, 16)
	if c.Err() == nil {
		*p = uint16(n)
	}
}

// Ref codes a reference to an object. View translates it.
func (c Coder) Ref(p *ID) { c.object(p) }
