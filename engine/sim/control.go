package sim

import (
	"math"
	"math/bits"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// Controlled is an object that moves drive. The peer who makes the moves does
// them at once on his ghost of it, its owner does the same ones when they come:
// both must get the same state to the bit, and the owner's counts.
//
// So a move may depend on nothing but the state that CodeControl carries, on
// datablocks, and on what stands still and is alike on both sides; all numbers
// in that state are on a grid (Snap, Turn); and of package math only Sqrt,
// Floor, Abs and what is exact is used, with every product converted.
type Controlled interface {
	Interpolated

	// Control is the object's tick, with a move. It takes the place of Tick
	// while the object has a controller, may be called several times in a tick,
	// and for the same moves again after a correction (World.Replaying).
	Control(m Move)

	// CodeControl is all of the state that Control depends on, both ways and
	// without loss. What cannot be read fails c and changes nothing.
	CodeControl(c Coder)

	// Driven ends a tick of a ghost that moves have driven: what is shown
	// follows what is predicted. It takes the place of Interpolate.
	Driven()
}

// Driver is a Controlled that passes its moves on, as one who sits in a vehicle
// does; its control state holds that of the other.
type Driver interface {
	Controlled
	Drives() Controlled // nil: itself only
}

// Controller is who drives the object: the connection's id, 0 is nobody. World
// does no ticks of what somebody drives.
func (i *Identity) Controller() ID { return i.controller }

// SetController says who drives the object.
func (i *Identity) SetController(who ID) { i.controller = who }

// Lag is how many ticks ago its controller saw what he does now, at most
// MaxLag; 0 for what nobody far away controls.
func (i *Identity) Lag() int { return int(i.lag) }

// SetLag says how many ticks ago that is.
func (i *Identity) SetLag(ticks int) { i.lag = uint8(min(max(ticks, 0), MaxLag)) }

// MaxLag is how many ticks hit tests may look back: 250 ms.
const MaxLag = 8

// Fine is the step of the grid of numbers in control state: positions in metres,
// velocities in metres a second and whatever else is a quantity.
const Fine = 1.0 / 1024

// Snap is x on the fine grid.
func Snap(x float64) float64 { return math.Floor(x/Fine+0.5) * Fine }

// SnapVec is v on the fine grid.
func SnapVec(v Vec3) Vec3 { return Vec3{Snap(v.X), Snap(v.Y), Snap(v.Z)} }

// Fine is a number on the fine grid from -most to most, exactly.
func (c Coder) Fine(p *float64, most float64) {
	limit := int64(most / Fine)
	n := int64(0)
	if !c.Reading() {
		n = min(max(int64(*p/Fine), -limit), limit) + limit
	}
	code := uint64(n)
	c.Bits(&code, bits.Len64(uint64(2*limit)))
	switch {
	case !c.Reading() || c.Err() != nil:
	case code > uint64(2*limit):
		c.Fail(bitstream.ErrRange)
	default:
		*p = float64(int64(code)-limit) * Fine
	}
}

// FineVec is a vector whose parts are on the fine grid from -most to most, exactly.
func (c Coder) FineVec(p *Vec3, most float64) {
	v := *p
	c.Fine(&v.X, most)
	c.Fine(&v.Y, most)
	c.Fine(&v.Z, most)
	if c.Err() == nil {
		*p = v
	}
}

// Turn is an angle in 1/65,536 of a turn, exactly.
func (c Coder) Turn(p *uint16) {
	n := uint64(*p)
	c.Bits(&n, 16)
	if c.Err() == nil {
		*p = uint16(n)
	}
}

// Ref is a reference to an object, which View translates.
func (c Coder) Ref(p *ID) { c.object(p) }
