package dissect

import (
	"math"
	"math/bits"

	"github.com/torc-engine/torc/netcore/capture"
)

// tickSeconds is the length of a tick.
const tickSeconds = 0.032

// cellKind is the encoding of a cell.
type cellKind int

const (
	cellBits cellKind = iota
	cellText
	cellRef
)

// cell is one value of a group: a field, or a part of one.
type cell struct {
	field  *capture.Field
	part   string // "x", "y", "z" or "yaw", "pitch", "roll"; "" is the whole field
	kind   cellKind
	bits   int
	smooth bool
	block  bool // refers to a datablock
	scale  scale
	rate   *cellRate
}

// cellRate tells that a cell changes at the rate of another cell of its group.
type cellRate struct {
	cell  int
	zero  uint32
	scale uint32
}

// name returns the name of the cell.
func (c *cell) name() string {
	if c.part == "" {
		return c.field.Name
	}
	return c.field.Name + "." + c.part
}

var (
	vectorParts   = [...]string{"x", "y", "z"}
	rotationParts = [...]string{"yaw", "pitch", "roll"}
)

// cells returns the cells of a field of a ghost.
func (cs *classes) cells(f *capture.Field) []cell {
	switch s := newScale(f); {
	case f.Kind == capture.Bool:
		return []cell{{field: f, bits: 1}}
	case f.Kind == capture.String:
		return []cell{{field: f, kind: cellText}}
	case cs.isBlock(f):
		return []cell{{field: f, bits: blockBits + 1, block: true}}
	case f.Kind == capture.Object:
		return []cell{{field: f, kind: cellRef}}
	case f.Kind == capture.Number:
		return []cell{{field: f, bits: max(s.bits, 1), smooth: s.smooth() && !f.Jumps, scale: s}}
	default:
		parts := vectorParts
		if f.Kind == capture.Rotation {
			parts = rotationParts
		}
		cells := make([]cell, 3)
		for i := range cells {
			cells[i] = cell{field: f, part: parts[i], bits: s.bits, smooth: s.smooth() && !f.Jumps, scale: s}
		}
		return cells
	}
}

// findRates finds the rates of the cells whose fields have one.
func (g *group) findRates() {
	for i := range g.cells {
		c := &g.cells[i]
		if c.field.Rate == "" || !c.smooth {
			continue
		}
		for k := range g.cells {
			by := &g.cells[k]
			if by.field.Name == c.field.Rate && by.part == c.part && by.smooth && by.bits <= 24 {
				scale := math.Round(by.scale.unit / by.scale.steps * tickSeconds / (c.scale.unit / c.scale.steps) * (1 << 20))
				if scale >= 0 && scale < 1<<24 {
					c.rate = &cellRate{k, uint32(-by.scale.first), uint32(scale)}
				}
			}
		}
	}
}

// scaleForm is how codes stand for numbers.
type scaleForm int

const (
	exactForm  scaleForm = iota // the bits of a float64
	wholeForm                   // counted from the lowest number
	numberForm                  // (code + first) / steps × unit + lo
)

// scale is the relation of codes and numbers.
type scale struct {
	form        scaleForm
	bits        int
	first       int64
	steps, unit float64
	lo          float64
}

// newScale returns the scale of a field of numbers.
func newScale(f *capture.Field) scale {
	switch {
	case f.Kind != capture.Number && f.Kind != capture.Vector && f.Kind != capture.Rotation:
		return scale{}
	case f.Whole:
		return scale{form: wholeForm, bits: bits.Len64(uint64(int64(f.Hi)) - uint64(int64(f.Lo))), lo: f.Lo}
	case f.Step > 0:
		return stepScale(f)
	case f.Bits < 2 || f.Bits > 32:
		return scale{bits: 64}
	case f.Kind == capture.Rotation:
		return scale{form: numberForm, bits: f.Bits, steps: float64(uint64(1) << f.Bits), unit: 360}
	case f.Lo == -f.Hi:
		half := int64(1)<<(f.Bits-1) - 1
		return scale{form: numberForm, bits: f.Bits, first: -half, steps: float64(half), unit: f.Hi}
	}
	return scale{form: numberForm, bits: f.Bits, steps: float64(uint64(1)<<f.Bits - 2), unit: f.Hi - f.Lo, lo: f.Lo}
}

// stepScale returns the scale of multiples of a step.
func stepScale(f *capture.Field) scale {
	num, den := f.Step, 1.0
	if n := math.Round(1 / f.Step); n > 1 && math.Abs(n*f.Step-1) < 1e-9 {
		num, den = 1, n
	}
	multiple := func(k int64) float64 { return float64(float64(k)*num) / den }
	lo, hi := f.Lo*(den/num), f.Hi*(den/num)
	if !(lo >= -1<<48 && hi <= 1<<48) {
		return scale{bits: 64}
	}
	first, last := int64(math.Floor(lo)), int64(math.Ceil(hi))
	if multiple(first) < f.Lo {
		first++
	}
	if multiple(last) > f.Hi {
		last--
	}
	return scale{form: numberForm, bits: min(max(bits.Len64(uint64(max(last-first, 0))), 1), 32), first: first, steps: den, unit: num}
}

// smooth reports whether near numbers have near codes.
func (s *scale) smooth() bool { return s.form == numberForm }

// number returns the number with a code.
func (s *scale) number(code uint64) any {
	switch s.form {
	case exactForm:
		return number(math.Float64frombits(code))
	case wholeForm:
		return number(float64(int64(code) + int64(s.lo)))
	}
	x := float64(float64(int64(code)+s.first)/s.steps*s.unit) + s.lo
	if s.lo != 0 {
		x = min(x, s.lo+s.unit)
	}
	return number(x)
}
