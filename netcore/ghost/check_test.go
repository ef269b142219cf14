package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// handWritten returns the values of a hand-written group that write produces.
func handWritten(write func(w *bitstream.Writer, end func(field string))) *Values {
	w := bitstream.NewWriter(make([]byte, 2000))
	v := new(Values)
	write(w, func(field string) { v.RawEnds = append(v.RawEnds, RawEnd{field, w.Pos()}) })
	v.Raw, v.RawBits = w.Bytes(), w.Pos()
	return v
}

// skip returns a Raw function that reads fields of the given sizes in bits.
func skip(bits ...int) func(s *bitstream.Codec, end func(field string)) {
	names := []string{"armour", "energy", "name"}
	return func(s *bitstream.Codec, end func(field string)) {
		for i, n := range bits {
			for ; n > 0; n -= 50 {
				var v uint64
				s.Bits(&v, min(n, 50))
			}
			end(names[i])
		}
	}
}

func fields(bits ...int) func(w *bitstream.Writer, end func(field string)) {
	return func(w *bitstream.Writer, end func(field string)) { skip(bits...)(&w.Codec, end) }
}

// TestCheckNamesTheField checks that the error names class, field and both positions when sender
// and receiver disagree. The positions count the marks of earlier fields.
func TestCheckNamesTheField(t *testing.T) {
	for _, row := range []struct {
		name        string
		write, read []int
		says        string
	}{
		{"alike", []int{9, 6, 20}, []int{9, 6, 20}, ""},
		{"nothing at all", nil, nil, ""},
		{"reads less", []int{9, 6, 20}, []int{9, 3, 20}, "field energy: the sender is at bit 47, the receiver at bit 44"},
		{"reads more", []int{9, 6, 20}, []int{9, 8, 20}, "field energy: the sender is at bit 47, the receiver at bit 49"},
		{"reads less at first", []int{9, 6, 20}, []int{5, 6, 20}, "field armour: the sender is at bit 9, the receiver at bit 5"},
		{"reads far more", []int{9, 6, 20}, []int{9, 800, 20}, "field energy: the sender is at bit 47, the receiver at bit 841"},
		{"reads more at last", []int{9, 6, 20}, []int{9, 6, 21}, "field name: the sender is at bit 99, the receiver at bit 100"},
		{"a field forgotten here", []int{9, 6, 20}, []int{9, 20}, "field energy: the sender is at bit 47, the receiver at bit 61"},
		{"a field forgotten there", []int{9, 20}, []int{9, 6, 20}, "field energy: the sender is at bit 61, the receiver at bit 47"},
		{"a long one", []int{9, 8000, 20}, []int{9, 7990, 20}, "field energy: the sender is at bit 8041, the receiver at bit 8031"},
		{"too long to look", []int{9, 8151, 20}, []int{9, 8150, 20}, "field energy: the receiver is at bit 8191, the sender at another bit"},
		{"to the end of the packet", []int{9, 6}, []int{9, 2000}, "field energy: the sender is at bit 47, the receiver at bit "},
	} {
		for shift := range 9 {
			l := NewLayout(5, "Player", []CellGroup{{}, {Raw: skip(row.read...)}})
			write, read := codePair(true)
			read.ghost = 12
			w := bitstream.NewWriter(make([]byte, 2000))
			w.WriteBits(0, shift)
			write.whole(&w.Codec, l, 1, handWritten(fields(row.write...)))
			require.NoError(t, w.Err())
			r := bitstream.NewReader(append(w.Bytes(), make([]byte, 100)...))
			r.ReadBits(shift)
			read.whole(&r.Codec, l, 1, new(Values))
			if row.says == "" {
				assert.NoError(t, r.Err(), row.name)
				assert.Equal(t, w.Pos(), r.Pos())
				continue
			}
			if row.name == "to the end of the packet" {
				require.ErrorContains(t, read.marks.bad, row.says, row.name)
				continue
			}
			assert.Equal(t, netcore.Reason{Code: netcore.Violation, Text: "ghost 12 (Player), " + row.says}, read.marks.bad, row.name)
		}
	}
}

// TestCheckNamesACell checks the same for cells of two different layouts of a class, whole and
// relative.
func TestCheckNamesACell(t *testing.T) {
	cells := func(energy int) []CellGroup {
		return []CellGroup{{}, {Cells: []Cell{
			{Field: "position", Bits: 18, Smooth: true}, {Field: "position", Bits: 18, Smooth: true},
			{Field: "energy", Bits: energy, Smooth: true}, {Field: "turn", Bits: 9, Smooth: true},
		}}}
	}
	there, here := NewLayout(5, "Player", cells(6)), NewLayout(5, "Player", cells(7))
	write, read := codePair(true)
	read.ghost = 3
	w := bitstream.NewWriter(make([]byte, 100))
	write.whole(&w.Codec, there, 1, &Values{Cells: []uint64{1, 2, 3, 4}})
	r := bitstream.NewReader(w.Bytes())
	read.whole(&r.Codec, here, 1, new(Values))
	assert.EqualError(t, read.marks.bad, "protocol violation: ghost 3 (Player), field energy: the sender is at bit 74, the receiver at bit 75")
	assert.Equal(t, read.marks.bad, r.Err())

	write, read = codePair(true)
	w.Reset(make([]byte, 100))
	zero, words := make([]uint32, 4), []uint32{0, 0, 4, 0}
	write.residuals(&w.Codec, there, 1, words, zero, nil, 1, 1)
	r.Reset(w.Bytes())
	read.residuals(&r.Codec, there, 1, words, zero, nil, 3, 1)
	assert.EqualError(t, read.marks.bad, "protocol violation: ghost 0 (Player), field position: the sender is at bit 2, the receiver at bit 4")
}

// TestCheckOfTruncatedPackets checks that a truncated packet is not reported as a mismatch.
func TestCheckOfTruncatedPackets(t *testing.T) {
	l := NewLayout(5, "Player", []CellGroup{{}, {Raw: skip(9, 6, 20)}})
	write, _ := codePair(true)
	w := bitstream.NewWriter(make([]byte, 100))
	write.whole(&w.Codec, l, 1, handWritten(fields(9, 6, 20)))
	for n := range len(w.Bytes()) {
		_, read := codePair(true)
		r := bitstream.NewReader(w.Bytes()[:n])
		read.whole(&r.Codec, l, 1, new(Values))
		require.Equal(t, bitstream.ErrShort, r.Err(), "%d bytes", n)
		require.NoError(t, read.marks.bad)
	}
}
