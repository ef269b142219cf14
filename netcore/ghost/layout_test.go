package ghost

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func TestLayout(t *testing.T) {
	turn := Cell{Field: "rotation", Bits: 10, Smooth: true}
	l := NewLayout(1023, "Player", []CellGroup{
		{Cells: []Cell{turn}, Weight: 7},
		{Cells: []Cell{turn, turn}},
		{Cells: []Cell{turn, {Field: "energy", Bits: 10}}},
		{},
		{Raw: func(*bitstream.Codec, func(string)) {}},
		{Cells: []Cell{{Field: "position", Bits: 32, Smooth: true}}, Weight: 1},
	})
	assert.Equal(t, uint32(1<<1|1<<5), l.smooth, "not the create group, not a mixed, an empty or a hand-written one")
	assert.Equal(t, 2, l.smoothGroups())
	assert.Equal(t, []uint16{0, 1}, []uint16{l.places[1].track, l.places[5].track})
	assert.Equal(t, uint32(63), l.all())
	for i, want := range []uint8{7, 255, 255, 255, 255, 1} {
		assert.Equal(t, want, l.Groups[i].Weight)
	}
	most := NewLayout(0, "Most", make([]CellGroup, 32))
	assert.Equal(t, ^uint32(0), most.all())
}

func TestBadLayouts(t *testing.T) {
	cells := func(c ...Cell) []CellGroup { return []CellGroup{{Cells: c}} }
	for name, row := range map[string]struct {
		id     uint16
		groups []CellGroup
	}{
		"no group":             {0, nil},
		"too many groups":      {0, make([]CellGroup, 33)},
		"number too high":      {1024, make([]CellGroup, 1)},
		"no bits":              {0, cells(Cell{Kind: CellBits})},
		"too many bits":        {0, cells(Cell{Kind: CellBits, Bits: 65})},
		"too wide to be near":  {0, cells(Cell{Kind: CellBits, Bits: 33, Smooth: true})},
		"a text is not smooth": {0, cells(Cell{Kind: CellText, Max: 3, Smooth: true})},
		"negative length":      {0, cells(Cell{Kind: CellText, Max: -1})},
		"unknown kind":         {0, cells(Cell{Kind: CellRef + 1, Bits: 1})},
		"cells and a coder": {0, []CellGroup{{
			Cells: []Cell{{Bits: 1}},
			Raw:   func(*bitstream.Codec, func(string)) {},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { require.Contains(t, recover(), "BUG: class Bad: ") }()
			NewLayout(row.id, "Bad", row.groups)
		})
	}
}

// TestPlainGroupsKeepTheirValues packs the values of random plain groups, and unpacks them. Equal
// values are no change.
func TestPlainGroupsKeepTheirValues(t *testing.T) {
	for seed := range testenv.Seeds(t, 300, 3000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		groups := []CellGroup{{}}
		for range 1 + rng.IntN(5) {
			var cells []Cell
			for range rng.IntN(6) {
				cells = append(cells, Cell{Field: "a", Bits: 1 + rng.IntN(64)})
			}
			groups = append(groups, CellGroup{Cells: cells})
		}
		images := NewSnapshots()
		images.Begin(1)
		obj := images.Add(NewLayout(1, "Plain", groups))
		want := make([][]uint64, len(groups))
		for i := range groups {
			want[i] = make([]uint64, len(groups[i].Cells))
		}
		for range 20 {
			i := rng.IntN(len(groups))
			v := &Values{Cells: slices.Clone(want[i])}
			for k, c := range groups[i].Cells {
				if rng.IntN(3) == 0 {
					v.Cells[k] = rng.Uint64() >> (64 - c.Bits)
				}
			}
			assert.Equal(t, !slices.Equal(v.Cells, want[i]), images.Set(obj, i, v))
			want[i] = v.Cells
			for g := range groups {
				got := images.objects[obj].values(g, new(Values)).Cells
				require.True(t, slices.Equal(want[g], got), "seed %d, group %d: %v, not %v", seed, g, got, want[g])
			}
		}
	}
}

// TestUrgency compares the urgency of random masks with the highest weight of their groups.
func TestUrgency(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	groups := make([]CellGroup, maxGroups)
	for i := range groups {
		groups[i].Weight = uint8(1 + 50*rng.IntN(6))
	}
	plan := newClassPlan(NewLayout(1, "Weighted", groups))
	assert.Zero(t, plan.urgency(0))
	for range 1000 {
		mask, want := rng.Uint32()&rng.Uint32()&rng.Uint32()&rng.Uint32(), uint32(0)
		for i := range groups {
			if mask>>i&1 != 0 {
				want = max(want, uint32(groups[i].Weight))
			}
		}
		assert.Equal(t, want, plan.urgency(mask), "%b", mask)
	}
}

// TestRatePrediction follows a body that accelerates evenly and moves in each tick by its new
// velocity, for all ages of a value. Only the rounding of the codes is left.
func TestRatePrediction(t *testing.T) {
	rate := &CellRate{Zero: 1 << 11, Scale: 1 << (rateShift - 3)} // eight codes of the rate move the cell by one per tick
	for _, acceleration := range []int{0, 1, -3, 8} {
		at, speed := 1<<20, 200
		from, fromSpeed := at, speed
		for since := 1; since <= 60; since++ {
			speed += acceleration
			at += speed
			got := rate.predict(uint32(from>>3), uint32(fromSpeed+1<<11), uint32(speed+1<<11), uint32(since))
			assert.InDelta(t, at>>3, int(got), 1, "acceleration %d, %d ticks", acceleration, since)
		}
	}
}

func TestRatesAreValid(t *testing.T) {
	layout := func(rate *CellRate, other Cell) func() {
		return func() {
			NewLayout(1, "Rated", []CellGroup{{}, {Cells: []Cell{{Field: "at", Bits: 20, Smooth: true, Rate: rate}, other}}})
		}
	}
	speed := Cell{Field: "speed", Bits: 12, Smooth: true}
	assert.NotPanics(t, layout(&CellRate{Cell: 1, Zero: 1<<12 - 1, Scale: 1<<maxRate - 1}, speed))
	for name, bad := range map[string]func(){
		"no such cell":   layout(&CellRate{Cell: 2}, speed),
		"negative":       layout(&CellRate{Cell: -1}, speed),
		"itself":         layout(&CellRate{Cell: 0}, speed),
		"zero too large": layout(&CellRate{Cell: 1, Zero: 1 << 12}, speed),
		"scale":          layout(&CellRate{Cell: 1, Scale: 1 << maxRate}, speed),
		"not smooth":     layout(&CellRate{Cell: 1}, Cell{Field: "speed", Bits: 12}),
		"too wide":       layout(&CellRate{Cell: 1}, Cell{Field: "speed", Bits: maxRate + 1, Smooth: true}),
	} {
		assert.Panics(t, bad, name)
	}
}
