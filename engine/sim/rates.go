package sim

import (
	"fmt"
	"math"
)

// planRates finds the rates of the cells whose fields have one.
func (c *Class) planRates() error {
	for g := range c.groups {
		cells := c.groups[g].cells
		for i := range cells {
			cell := &cells[i]
			if cell.Field.Rate == "" {
				continue
			}
			if cell.Rate = cell.rateAmong(cells); cell.Rate == nil {
				return fmt.Errorf("field %q: its rate %q must be a number of the same kind and group, with a width of at most 24 bits and a range around 0",
					cell.Field.Name, cell.Field.Rate)
			}
		}
	}
	return nil
}

// rateAmong returns the rate of a cell among the cells of its group. It returns nil if there is
// none, or if the peer cannot calculate with it.
func (c *Cell) rateAmong(cells []Cell) *CellRate {
	for i := range cells {
		rate := &cells[i]
		if rate.Field.Name != c.Field.Rate || rate.Part != c.Part || !rate.Smooth || !c.Smooth || rate.Bits > 24 || rate.Field.Rate != "" {
			continue
		}
		to, by := c.Field.scale.numberPlan(), rate.Field.scale.numberPlan()
		scale := math.Round(by.unit / by.steps * TickSeconds / (to.unit / to.steps) * (1 << 20))
		if by.lo != 0 || by.first > 0 || -by.first > int64(rate.Field.scale.top) || !(scale < 1<<24) {
			return nil
		}
		return &CellRate{Cell: i, Zero: uint32(-by.first), Scale: uint32(scale)}
	}
	return nil
}
