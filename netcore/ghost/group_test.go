package ghost

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// drawGroup returns a random group: of any cells, of smooth cells only, or hand-written.
func drawGroup(r *rand.Rand) CellGroup {
	field := func(i int) string { return fmt.Sprint("field", i/2) }
	var cells []Cell
	switch r.IntN(4) {
	case 0:
		return CellGroup{Raw: readFields}
	case 1:
		for i := range 1 + r.IntN(6) {
			cells = append(cells, Cell{Field: field(i), Bits: 1 + r.IntN(32), Smooth: true})
		}
	default:
		for i := range r.IntN(6) {
			c := Cell{Field: field(i), Kind: CellKind(r.IntN(3)), Max: 40}
			if c.Kind == CellBits {
				c.Bits = 1 + r.IntN(64)
			}
			cells = append(cells, c)
		}
	}
	return CellGroup{Cells: cells}
}

// readFields reads a hand-written group of drawValues. Each field is a length of 7 bits, a number
// of half that many bits, a text, and a flag for another field. After the fields come 3 bits that
// belong to no field.
func readFields(s *bitstream.Codec, end func(field string)) {
	for i, more := 0, true; more; i++ {
		var n uint32
		var v uint64
		var text string
		s.Uint(&n, 7)
		s.Bits(&v, int(n)/2)
		s.Text(&text, 20)
		s.Flag(&more)
		end(fmt.Sprint("raw", i))
	}
	var rest uint32
	s.Uint(&rest, 3)
}

func drawValues(r *rand.Rand, g *CellGroup) *Values {
	v := new(Values)
	for _, c := range g.Cells {
		switch c.Kind {
		case CellBits:
			v.Cells = append(v.Cells, r.Uint64()>>(64-c.Bits))
		case CellText:
			v.Cells = append(v.Cells, uint64(len(v.Texts)))
			v.Texts = append(v.Texts, []string{"", "Base attack", "Base attach", "\x00\xff"}[r.IntN(4)])
		case CellRef:
			v.Cells = append(v.Cells, r.Uint64N(3)*r.Uint64N(65537))
		}
	}
	if g.Raw == nil {
		return v
	}
	w := bitstream.NewWriter(make([]byte, 200))
	fields := 1 + r.IntN(4)
	for i := range fields {
		n := r.IntN(128)
		w.WriteBits(uint64(n), 7)
		w.WriteBits(r.Uint64()&(1<<(n/2)-1), n/2)
		text := []string{"Base", "Base attack"}[r.IntN(2)]
		w.Text(&text, 20)
		w.WriteFlag(i+1 < fields)
		v.RawEnds = append(v.RawEnds, RawEnd{fmt.Sprint("raw", i), w.Pos()})
	}
	w.WriteBits(r.Uint64N(8), 3)
	v.Raw, v.RawBits = slices.Clone(w.Bytes()), w.Pos()
	return v
}

func sameValues(t require.TestingT, want, got *Values) {
	require.Equal(t, append([]uint64{}, want.Cells...), append([]uint64{}, got.Cells...))
	require.Equal(t, append([]string{}, want.Texts...), append([]string{}, got.Texts...))
	require.Equal(t, append([]byte{}, want.Raw...), append([]byte{}, got.Raw...))
	require.Equal(t, append([]RawEnd{}, want.RawEnds...), append([]RawEnd{}, got.RawEnds...))
	require.Equal(t, want.RawBits, got.RawBits)
}

// codePair returns a writing and a reading codec. A reference that is a valid id is coded
// unchanged.
func codePair(check bool) (write, read *codec) {
	ref := func(v uint32) uint32 {
		if v > idCount {
			return 0
		}
		return v
	}
	return &codec{ref: ref, check: check}, &codec{ref: ref, check: check}
}

// wholeBits returns the expected size of a whole group: the sum of its cells.
func wholeBits(c *codec, g *CellGroup, v *Values) int {
	n, marks := v.RawBits, len(v.RawEnds)
	for i, cell := range g.Cells {
		switch cell.Kind {
		case CellBits:
			n += cell.Bits
		case CellText:
			w := bitstream.NewWriter(make([]byte, 100))
			w.Text(&v.Texts[v.Cells[i]], cell.Max)
			n += w.Pos()
		case CellRef:
			if n++; c.ref(uint32(v.Cells[i])) != 0 {
				n += 16
			}
		}
		if i == len(g.Cells)-1 || g.Cells[i+1].Field != cell.Field {
			marks++
		}
	}
	if c.check {
		n += 32 * marks
	}
	return n
}

// TestGhostGroups checks that whole groups of any cells survive encoding, have the expected size,
// and can be copied to any bit position.
func TestGhostGroups(t *testing.T) {
	for seed := range testenv.Seeds(t, 150, 1500) {
		r := rand.New(rand.NewPCG(seed, 15))
		write, read := codePair(seed%2 == 1)
		l := NewLayout(1, "Any", []CellGroup{drawGroup(r), drawGroup(r), drawGroup(r)})
		w := bitstream.NewWriter(make([]byte, 3000))
		before := "Base attack"
		w.Text(&before, 20)
		w.WriteBits(0, r.IntN(9))
		begin := w.Pos()
		var values []*Values
		for range 5 {
			g := r.IntN(len(l.Groups))
			v := drawValues(r, &l.Groups[g])
			scratch := bitstream.NewWriter(make([]byte, 1000))
			write.whole(&scratch.Codec, l, g, v)
			require.NoError(t, scratch.Err(), "seed %d", seed)
			require.Equal(t, wholeBits(write, &l.Groups[g], v), scratch.Pos(), "seed %d", seed)
			w.WriteBits(uint64(g), 2)
			w.Splice(scratch.Bytes(), 0, scratch.Pos())
			values = append(values, v)
		}
		rd := bitstream.NewReader(w.Bytes())
		rd.Text(&before, 20)
		rd.ReadBits(begin - rd.Pos())
		got := new(Values)
		for _, want := range values {
			g := int(rd.ReadBits(2))
			got.reset()
			read.whole(&rd.Codec, l, g, got)
			require.NoError(t, rd.Err(), "seed %d", seed)
			for i, c := range l.Groups[g].Cells {
				if c.Kind == CellRef {
					want.Cells[i] = uint64(write.ref(uint32(want.Cells[i])))
				}
			}
			sameValues(t, want, got)
		}
		require.Equal(t, w.Pos(), rd.Pos())
	}
}

// TestGhostResiduals checks that relative groups survive encoding with any baseline, and leave the
// baseline unchanged.
func TestGhostResiduals(t *testing.T) {
	for seed := range testenv.Seeds(t, 300, 3000) {
		r := rand.New(rand.NewPCG(seed, 16))
		write, read := codePair(seed%2 == 1)
		var cells []Cell
		for i := range 1 + r.IntN(6) {
			cells = append(cells, Cell{Field: fmt.Sprint("field", i/2), Bits: 1 + r.IntN(32), Smooth: true})
		}
		l := NewLayout(1, "Smooth", []CellGroup{{}, {Cells: cells}})
		draw := func() (v []uint32) {
			for _, c := range cells {
				v = append(v, r.Uint32()&uint32(1<<c.Bits-1)>>r.IntN(33))
			}
			return v
		}
		values, newer, older := draw(), draw(), draw()
		if r.IntN(3) == 0 {
			older = nil
		}
		since, span := r.Uint32N(7681)>>r.IntN(13), r.Uint32N(7681)>>r.IntN(13)
		w := bitstream.NewWriter(make([]byte, 300))
		wrote := slices.Clone(values)
		write.residuals(&w.Codec, l, 1, values, newer, older, since, span)
		require.NoError(t, w.Err())
		require.Equal(t, wrote, values, "writing never stores")
		rd := bitstream.NewReader(w.Bytes())
		got := make([]uint32, len(cells))
		read.residuals(&rd.Codec, l, 1, got, newer, older, since, span)
		require.NoError(t, rd.Err())
		require.Equal(t, values, got, "seed %d", seed)
		require.Equal(t, w.Pos(), rd.Pos())
	}
}

// TestResidualSizes checks the size of a residual for a cell that moves exactly or nearly as
// predicted. The order follows from since and span.
func TestResidualSizes(t *testing.T) {
	l := NewLayout(1, "Smooth", []CellGroup{{}, {Cells: []Cell{{Field: "x", Bits: 18, Smooth: true}}}})
	for _, row := range []struct {
		off, since, span uint32
		bits             int
	}{
		{0, 1, 1, 1}, {0, 2, 1, 1}, {0, 480, 240, 1}, {0, 3, 1, 2}, {0, 16, 4, 2}, {0, 17, 4, 3}, {0, 8, 1, 3}, {0, 9, 1, 4}, {0, 1, 0, 4},
		{1, 2, 1, 3}, {^uint32(0), 2, 1, 3}, {1, 3, 1, 4}, {1, 5, 1, 3}, {2, 5, 1, 5}, {4, 9, 1, 6}, {1 << 17, 2, 1, 37},
	} {
		c, _ := codePair(false)
		w := bitstream.NewWriter(make([]byte, 20))
		newer, older := []uint32{100}, []uint32{100 - row.span}
		if row.span == 0 {
			older = nil
		}
		value := 100 + row.since + row.off
		if row.span == 0 {
			value = 100 + row.off
		}
		c.residuals(&w.Codec, l, 1, []uint32{value}, newer, older, row.since, row.span)
		assert.Equal(t, row.bits, w.Pos(), "%v", row)
	}
}

func TestResidualWiderThanItsCell(t *testing.T) {
	l := NewLayout(1, "Smooth", []CellGroup{{}, {Cells: []Cell{{Field: "x", Bits: 3, Smooth: true}}}})
	for u, good := range map[uint32]bool{7: true, 8: false, 1<<32 - 1: false} {
		w := bitstream.NewWriter(make([]byte, 20))
		w.Golomb(&u, 0)
		r := bitstream.NewReader(w.Bytes())
		_, c := codePair(false)
		got := []uint32{0}
		c.residuals(&r.Codec, l, 1, got, []uint32{5}, nil, 1, 1)
		assert.Equal(t, good, r.Err() == nil, "%d", u)
		assert.Less(t, got[0], uint32(8))
	}
}
