package ghost_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// ball is the class of the example in PROTOCOL.md, section Ghosts.
var ball = ghost.NewLayout(7, "Ball", []ghost.CellGroup{
	{Cells: []ghost.Cell{{Field: "kind", Bits: 4}}},
	{Cells: []ghost.Cell{{Field: "x", Bits: 12, Smooth: true}, {Field: "y", Bits: 12, Smooth: true}}},
	{Cells: []ghost.Cell{{Field: "label", Kind: ghost.CellText, Max: 15}, {Field: "holder", Kind: ghost.CellRef}}},
})

// TestProtocolPageExamples checks that a sender builds exactly the example sections of PROTOCOL.md,
// and that a receiver reads them.
func TestProtocolPageExamples(t *testing.T) {
	images := ghost.NewSnapshots()
	from := ghost.New(ghost.Config{Snapshots: images})
	var to *ghost.Stream
	var x []uint64
	to = ghost.New(ghost.Config{
		Layout: func(class uint16) *ghost.Layout { return map[uint16]*ghost.Layout{7: ball}[class] },
		Arrived: func() error {
			for ch := to.Next(); ch != nil; ch = to.Next() {
				x = append([]uint64{uint64(ch.Tick)}, ch.Values(1).Cells...)
			}
			return nil
		},
	})
	from.Activate(true)
	send := func(seq netcore.Seq) (bits string) {
		w := bitstream.NewWriter(make([]byte, 100))
		require.True(t, from.Pack(w, netcore.Outgoing{Seq: seq}))
		require.NoError(t, to.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: seq}))
		from.Notify(seq, true)
		for i := range w.Pos() {
			bits += fmt.Sprint(w.Bytes()[i/8] >> (i % 8) & 1)
		}
		return bits
	}
	at := func(x, y uint64) *ghost.Values { return &ghost.Values{Cells: []uint64{x, y}} }

	images.Begin(100)
	obj := images.Add(ball)
	images.Set(obj, 0, &ghost.Values{Cells: []uint64{3}})
	images.Set(obj, 1, at(1000, 50))
	images.Set(obj, 2, &ghost.Values{Cells: []uint64{0, 0}, Texts: []string{"hi"}})
	from.Scope(obj)
	create := send(1)
	images.Begin(101)
	images.Set(obj, 1, at(1010, 50))
	send(2)
	images.Begin(103)
	images.Set(obj, 1, at(1031, 49))
	update := send(3)
	assert.Equal(t, []uint64{103, 1031, 49}, x)

	blocks := netcoretest.Fences(netcoretest.Section(t, "Ghosts"))
	require.Len(t, blocks, 7, "the form, the two predictions, and the bytes and the fields of two packets")
	for i, bits := range []string{create, update} {
		said, err := hex.DecodeString(strings.Join(strings.Fields(blocks[3+2*i]), ""))
		require.NoError(t, err)
		netcoretest.Vectors(t, "ghosts", netcore.ProtocolVersion).Bytes(fmt.Sprintf("page/%d", i), netcoretest.Packed(bits))
		assert.Equal(t, netcoretest.Packed(bits), said, "the section is % x", netcoretest.Packed(bits))
		assert.Equal(t, bits, netcoretest.Fields(blocks[4+2*i]), "its fields")
	}
}
