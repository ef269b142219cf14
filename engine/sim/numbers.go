package sim

import (
	"fmt"
	"math/bits"
	"slices"
)

// Numbers are the places of the numbers of an object. They belong to its groups of numbers: those,
// except group 0, in which every field is a number, a vector or a rotation with a width or a
// precision. A client that restores such groups often stores through the places, by the plan of its
// class.
//
// The places of a ghost are valid as long as it lives, because a ghost keeps its class.
type Numbers []*float64

// numberPlan restores one number. All scales with a width or a precision have the same formula:
// (code + first) / steps * unit + lo.
type numberPlan struct {
	far         uint8  // 32 minus the width in bits
	top         uint32 // the highest code with this formula, aligned to the highest of 32 bits
	first       int64
	steps, unit float64
	lo          float64
}

// numberPlan returns the plan of a scale.
func (s *scale) numberPlan() numberPlan {
	p := numberPlan{far: uint8(32 - s.bits), steps: s.steps}
	switch s.form {
	case signedForm:
		p.first, p.unit = -int64(s.steps), s.hi
	case rangeForm:
		p.unit, p.lo = s.hi-s.lo, s.lo
	case stepForm: // num or den is 1, so the order of the operations does not matter
		p.first, p.steps, p.unit = s.first, s.den, s.num
	case turnForm:
		p.unit = 360
	}
	top := s.top
	for p.value(uint32(top)) != s.at(top) { // rounded to above the range
		top--
	}
	p.top = uint32(top << p.far)
	return p
}

// value returns the number with a code up to top, the same as scale.value.
func (p *numberPlan) value(code uint32) float64 {
	return float64(float64(int64(code)+p.first)/p.steps*p.unit) + p.lo
}

// planNumbers finds the groups of numbers and makes their plans.
func (c *Class) planNumbers() {
	c.numbers, c.numberGroups = nil, 0
	for i := range c.groups {
		g := &c.groups[i]
		g.firstNumber = len(c.numbers)
		if i == 0 || len(g.cells) == 0 || slices.ContainsFunc(g.cells, func(cell Cell) bool { return !cell.Smooth }) {
			continue
		}
		c.numberGroups |= 1 << i
		for k := range g.cells {
			c.numbers = append(c.numbers, g.cells[k].Field.scale.numberPlan())
		}
	}
}

// NumberGroups returns the mask of the groups of numbers.
func (c *Class) NumberGroups() uint32 { return c.numberGroups }

// NumbersOf returns the places of the numbers of o, an object of the class.
func (c *Class) NumbersOf(o Object) (n Numbers) {
	for i := range c.groups {
		if c.numberGroups>>i&1 == 0 {
			continue
		}
		for _, f := range c.groups[i].fields {
			switch p := f.place(o).(type) {
			case *float64:
				n = append(n, p)
			case *Vec3:
				n = append(n, &p.X, &p.Y, &p.Z)
			case *Rot:
				n = append(n, &p.Yaw, &p.Pitch, &p.Roll)
			}
		}
	}
	return n
}

// A NumberRun is a set of groups of numbers whose numbers are adjacent among those of the class.
// They can be restored at once.
type NumberRun struct {
	class *Class
	mask  uint32
	first int          // index of the first number
	plan  []numberPlan // of the numbers; none if the groups are not a run
}

// NumberRun returns the run of the groups in a mask. It is empty if they are not a run.
func (c *Class) NumberRun(mask uint32) NumberRun {
	r := NumberRun{class: c, mask: mask}
	if mask == 0 || mask&^c.numberGroups != 0 {
		return r
	}
	first := c.groups[bits.TrailingZeros32(mask)].firstNumber
	end := first
	for m := mask; m != 0; m &= m - 1 {
		g := &c.groups[bits.TrailingZeros32(m)]
		if g.firstNumber != end {
			return r
		}
		end += len(g.cells)
	}
	r.first, r.plan = first, c.numbers[first:end]
	return r
}

// Is reports whether r is the run of a class and a mask.
func (r *NumberRun) Is(c *Class, mask uint32) bool { return r.class == c && r.mask == mask }

// Empty reports whether the groups of r are not a run.
func (r *NumberRun) Empty() bool { return len(r.plan) == 0 }

// Restore sets the numbers of a run in an object with places n, from values received from a peer.
// The first number of each pair is a cell, aligned to the highest of 32 bits. If a field does not
// accept its value, the error names the field, and only numbers before it are set. Restore marks
// the groups if the object has a number (Identity.Number); other marks have no effect.
func (r *NumberRun) Restore(id *Identity, n Numbers, cells [][2]uint32) error {
	plan := r.plan
	n, cells = n[r.first:][:len(plan)], cells[:len(plan)]
	for k := range plan {
		p, code := &plan[k], cells[k][0]
		if code > p.top {
			x, ok := r.cell(k).Field.scale.value(uint64(code >> (p.far & 31)))
			if !ok {
				return r.cell(k).outOfRange(r.class)
			}
			*n[k] = x
			continue
		}
		*n[k] = p.value(code >> (p.far & 31))
	}
	if id.number != 0 {
		id.Mark(r.mask)
	}
	return nil
}

// RestoreNumbers is NumberRun.Restore for groups that are not a run. mask are the groups that were
// received, and groups those of them to restore. cells hold all groups of numbers in mask, in
// ascending order. It returns the groups that are not restored, because they are not groups of
// numbers.
func (c *Class) RestoreNumbers(id *Identity, n Numbers, mask, groups uint32, cells [][2]uint32) (rest uint32, err error) {
	for m := mask & c.numberGroups; m != 0; m &= m - 1 {
		run := c.NumberRun(m & -m)
		if groups&run.mask != 0 {
			if err := run.Restore(id, n, cells); err != nil {
				return 0, err
			}
		}
		cells = cells[len(run.plan):]
	}
	return groups &^ c.numberGroups, nil
}

// cell returns the cell of plan k.
func (r *NumberRun) cell(k int) *Cell {
	for m := r.mask; ; m &= m - 1 {
		cells := r.class.groups[bits.TrailingZeros32(m)].cells
		if k < len(cells) {
			return &cells[k]
		}
		k -= len(cells)
	}
}

// outOfRange is the error for a value that the field of a cell does not accept.
func (c *Cell) outOfRange(class *Class) error {
	return fmt.Errorf("field %s of %s: value out of range", c.Field.Name, class.Name)
}
