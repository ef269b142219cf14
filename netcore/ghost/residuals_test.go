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

// TestQuickSlope checks that the fast path predicts the same values as predict, for all ticks that
// it accepts, and at the limits of differences.
func TestQuickSlope(t *testing.T) {
	for seed := range testenv.Seeds(t, 1, 20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		for since := uint32(0); since <= quickAge; since++ {
			for span := uint32(0); span <= relativeAge; span++ {
				width := quickLeast + rng.IntN(quickMost-quickLeast+1)
				top := int32(1) << (width - 1)
				for _, diff := range []int32{-top, top - 1, rng.Int32N(2*top) - top} {
					newer := rng.Uint32() & (1<<width - 1)
					far := uint8(32 - width)
					c, v := receivedCell{known: receivedValue{newer << far, uint32(diff) << far}}, receivedValue{}
					c.next(&v, far, quickSlope(since, span), 5)
					want := (predict(newer, newer-uint32(diff), since, span, width) + 5) & (1<<width - 1)
					if v[0]>>far != want {
						require.Equal(t, want, v[0]>>far, "%d bits, difference %d, since %d, span %d", width, diff, since, span)
					}
				}
			}
		}
	}
}

// TestShortResiduals compares the tables with the codes that they stand for, and checks that they
// hold nearly all pairs of the most common residuals.
func TestShortResiduals(t *testing.T) {
	for order := range shortResiduals {
		pairs := 0
		for u := range uint32(1 << 6) {
			for v := range uint32(1 << 6) {
				w := bitstream.NewWriter(make([]byte, 16))
				w.Golomb(&u, order)
				one := w.Pos()
				w.Golomb(&v, order)
				two := w.Pos()
				word := bitstream.NewReader(w.Bytes()).Peek(0) & (1<<shortResidualBits - 1)
				if short := shortResiduals[order].one[word]; one <= shortResidualBits {
					first, _ := short.deltas()
					require.Equal(t, [2]uint32{uint32(one), unzigzag(u)}, [2]uint32{uint32(short.size()), first})
				} else {
					require.Zero(t, short)
				}
				if short := shortResiduals[order].two[word]; two <= shortResidualBits {
					first, second := short.deltas()
					require.Equal(t, [3]uint32{uint32(two), unzigzag(u), unzigzag(v)}, [3]uint32{uint32(short.size()), first, second})
					pairs++
				} else {
					require.Zero(t, short)
				}
			}
		}
		assert.Greater(t, pairs, 60, "order %d", order)
	}
}

// TestLargeResiduals checks the largest residual of a cell, and that a larger one is refused, on
// the fast path and on the general path.
func TestLargeResiduals(t *testing.T) {
	for _, tt := range []struct {
		u  uint32
		ok bool
	}{{1 << 12, true}, {1<<18 - 1, true}, {1 << 18, false}, {1 << 20, false}, {1<<32 - 1, false}} {
		for _, long := range []bool{false, true} {
			x := newReceiverOf400(t, 1<<1)
			pen := ghostPen{head: header{based: true, back: 1, tick: 3}, base: 2}
			pen.updates = []penItem{{7, func(s *bitstream.Codec) {
				mask, relative := uint32(1<<1), true
				penLayouts[playerClass].codeMask(s, &mask)
				s.Flag(&relative)
				for _, u := range []uint32{0, tt.u, 3, 2} {
					s.Golomb(&u, residualOrder(1, 1))
				}
			}}}
			b, _ := pen.bytes(t)
			if long {
				b = tooLong(b)
			}
			_, err := x.g.recv.unpack(bitstream.NewReader(b), 3)
			if !tt.ok {
				require.ErrorContains(t, err, errResidual.Error())
				continue
			}
			require.NoError(t, err)
			values := [4]uint32{0, unzigzag(tt.u), unzigzag(3), 1}
			for i, cell := range takeChanges(x.g)[0].values[1].Cells {
				width := penLayouts[playerClass].Groups[1].Cells[i].Bits
				require.Equal(t, (origin[i]+values[i])&(1<<width-1), uint32(cell))
			}
		}
	}
}

// TestMaskPlan checks which masks the fast path reads, and which groups it reads in one loop.
func TestMaskPlan(t *testing.T) {
	smooth := func(bits ...int) (g CellGroup) {
		for _, n := range bits {
			g.Cells = append(g.Cells, Cell{Field: "x", Bits: n, Smooth: true})
		}
		return g
	}
	l := NewLayout(1, "Many", []CellGroup{
		smooth(10), smooth(18, 18), smooth(12), {Cells: []Cell{{Field: "n", Bits: 3}}}, smooth(8, 22, 9), smooth(7), smooth(23),
		{Cells: []Cell{{Field: "wide", Bits: 33}}}, {Cells: []Cell{{Field: "name", Kind: CellText, Max: 5}}},
	})
	for _, tt := range []struct {
		mask          uint32
		short, run    bool
		adjacent, all bool
		track, cell   int
		tracks, cells int
		about         string
	}{
		{0, false, false, false, false, 0, 0, 0, 0, "an invalid mask"},
		{1 << 1, true, true, true, false, 0, 0, 1, 2, "one group"},
		{1<<1 | 1<<2, true, true, true, false, 0, 0, 2, 3, "two groups"},
		{1<<2 | 1<<4, true, true, true, false, 1, 2, 2, 4, "adjacent among the smooth groups"},
		{1<<1 | 1<<4, true, false, false, false, 0, 0, 2, 5, "not adjacent"},
		{1<<2 | 1<<3, true, false, true, false, 1, 2, 1, 1, "a group that is not smooth"},
		{1 << 5, true, false, true, false, 3, 6, 1, 1, "a cell that is too narrow"},
		{1 << 6, true, false, true, false, 4, 7, 1, 1, "a cell that is too wide"},
		{1 << 7, false, false, false, false, 0, 0, 0, 0, "a cell above 32 bits"},
		{1<<1 | 1<<8, false, false, true, false, 0, 0, 1, 2, "a text"},
		{1<<1 | 1<<9, false, false, true, false, 0, 0, 1, 2, "an unknown group"},
		{l.all(), false, false, true, true, 0, 0, 5, 8, "a create"},
	} {
		p := new(maskPlans).of(l, tt.mask)
		assert.Equal(t, [4]bool{tt.short, tt.run, tt.adjacent, tt.all}, [4]bool{p.short, p.run, p.adjacent, p.all}, tt.about)
		assert.Equal(t, [4]int{tt.track, tt.cell, tt.tracks, tt.cells}, [4]int{p.track, p.cell, p.tracks, p.cells}, tt.about)
	}
	p := new(maskPlans).of(l, 1<<2|1<<4)
	assert.Equal(t, 1, p.second)
	assert.Zero(t, new(maskPlans).of(l, 1<<4).second)
	assert.Equal(t, [4]uint8{20, 24, 10, 23}, [4]uint8(p.fars[:4]))
	for n, run := range map[int]bool{runCells: true, runCells + 1: false} {
		many := NewLayout(2, "Wide", []CellGroup{{}, smooth(slices.Repeat([]int{10}, n)...)})
		assert.Equal(t, run, new(maskPlans).of(many, 2).run, "%d cells", n)
	}
}

// TestManyGroups sends updates of classes with more groups or cells than a run has, in changing
// masks. The rig compares the fast path with the general path.
func TestManyGroups(t *testing.T) {
	for _, shape := range []struct{ groups, cells int }{{12, 1}, {3, 30}, {1, 70}, {8, 8}} {
		groups := make([]CellGroup, 1+shape.groups)
		for g := range groups[1:] {
			groups[1+g].Cells = slices.Repeat([]Cell{{Field: "x", Bits: 12, Smooth: true}}, shape.cells)
		}
		l := NewLayout(1, "Many", groups)
		r := newGhostRig(t, Config{}, l)
		rng := rand.New(rand.NewPCG(uint64(shape.groups), 3))
		objs := []uint32{r.object(l, nil), r.object(l, nil)}
		for _, obj := range objs {
			r.from.Scope(obj)
		}
		for tick := range 200 {
			r.begin()
			for _, obj := range objs {
				all := rng.IntN(2) == 0
				for g := 1; g < len(groups); g++ {
					if all || rng.IntN(3) == 0 {
						values := make([]uint64, shape.cells)
						for i := range values {
							values[i] = uint64(tick*(i+1)+rng.IntN(3)) & 0xFFF
						}
						r.images.Set(obj, g, &Values{Cells: values})
					}
				}
			}
			r.pack()
			for len(r.inFlight) > 3 {
				r.ack(rng.IntN(10) == 0)
			}
		}
		assert.Greater(t, r.from.Stats().Relative, uint64(100))
		r.runUntilIdle(20)
	}
}

// TestRepeatedRuns checks that relative updates tell which of one to four groups repeat the last
// values.
func TestRepeatedRuns(t *testing.T) {
	for n := 1; n <= 4; n++ {
		groups := make([]CellGroup, 1+n)
		for g := range groups[1:] {
			groups[1+g].Cells = slices.Repeat([]Cell{{Field: "x", Bits: 12, Smooth: true}}, 1+g%2)
		}
		l := NewLayout(1, "Many", groups)
		for repeated := uint32(0); repeated < 2<<n; repeated += 2 {
			g := New(Config{Layout: func(uint16) *Layout { return l }})
			create := ghostPen{head: header{tick: 1}, creates: []penItem{{3, func(s *bitstream.Codec) {
				class := uint32(1)
				s.Uint(&class, classBits)
				for i := range groups {
					penCode.whole(s, l, i, &Values{Cells: make([]uint64, len(groups[i].Cells))})
				}
			}}}}
			require.NoError(t, create.read(t, g, 1))
			takeChanges(g)
			update := ghostPen{head: header{based: true, back: 1, tick: 2}, base: 1, updates: []penItem{{3, func(s *bitstream.Codec) {
				mask, relative := l.smooth, true
				l.codeMask(s, &mask)
				s.Flag(&relative)
				for i := range groups[1:] {
					for j := range groups[1+i].Cells {
						u := uint32(j + 1)
						if repeated>>(1+i)&1 != 0 {
							u = 0
						}
						s.Golomb(&u, residualOrder(1, 0))
					}
				}
			}}}}
			require.NoError(t, update.read(t, g, 2))
			assert.Equal(t, repeated, g.Next().Repeated, "%d groups", n)
		}
	}
}
