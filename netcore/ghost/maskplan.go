package ghost

import "math/bits"

// maskPlan describes the changes of a class with a mask.
type maskPlan struct {
	layout *Layout
	mask   uint32
	short  bool // the fast path can read an update with the mask

	// The smooth groups of the mask. They are a run if they are all groups of the mask and the fast
	// path can read their residuals.
	smooth        uint32
	adjacent      bool // their tracks and cells are adjacent
	all           bool // they are all smooth groups of the class
	run           bool
	track, tracks int             // the first track, and the number of tracks
	cell, cells   int             // the same for the cells
	second        int             // the first cell of the second group, counted from cell; 0 without one
	fars          [runCells]uint8 // of a run: 32 minus the width of each cell in bits
}

const runCells = 64 // cells of the largest run

// maskPlans keeps the newest plans, by class and mask.
type maskPlans [64]maskPlan

// of returns the plan of a class and a mask, which can be invalid.
func (p *maskPlans) of(l *Layout, mask uint32) *maskPlan {
	plan := &p[(mask>>1^mask>>6^uint32(l.ID)*5)&uint32(len(p)-1)]
	if plan.layout != l || plan.mask != mask {
		*plan = newMaskPlan(l, mask)
	}
	return plan
}

func newMaskPlan(l *Layout, mask uint32) maskPlan {
	p := maskPlan{layout: l, mask: mask, short: mask != 0 && mask&^l.short == 0, smooth: mask & l.smooth}
	if p.smooth == 0 {
		return p
	}
	first := &l.places[bits.TrailingZeros32(p.smooth)]
	p.track, p.cell = int(first.track), int(first.cell)
	p.adjacent, p.all, p.run = true, p.smooth == l.smooth, p.smooth == mask
	for m := p.smooth; m != 0; m &= m - 1 {
		place := &l.places[bits.TrailingZeros32(m)]
		p.adjacent = p.adjacent && int(place.track) == p.track+p.tracks
		p.run = p.run && place.quick && p.cells+len(place.widths) <= runCells
		if p.tracks == 1 {
			p.second = p.cells
		}
		for i, width := range place.widths {
			p.fars[(p.cells+i)%runCells] = 32 - width
		}
		p.tracks++
		p.cells += len(place.widths)
	}
	p.run = p.run && p.adjacent
	return p
}
