package move_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// TestProtocolPageExamples checks the example sections of PROTOCOL.md: two streams write them and
// read them.
func TestProtocolPageExamples(t *testing.T) {
	made := move.New(move.Config{SendsMoves: true, TokenOf: func(name uint32) uint32 { return name }})
	took := move.New(move.Config{ReceivesMoves: true, NameOf: func(obj uint32) uint32 { return obj }})
	send := func(from, to *move.Stream) (bits string) {
		w := bitstream.NewWriter(make([]byte, 100))
		require.True(t, from.Pack(w, netcore.Outgoing{Seq: 1}))
		require.NoError(t, to.Unpack(bitstream.NewReader(w.Bytes()), netcore.Incoming{Seq: 1}))
		for i := range w.Pos() {
			bits += fmt.Sprint(w.Bytes()[i/8] >> (i % 8) & 1)
		}
		return bits
	}
	made.Push(move.Move{Y: 16, Triggers: 4}, 0xbeef)
	made.Push(move.Move{Y: 16, Yaw: -300}, 0x1234)
	made.SetView(false, 100)
	moves := send(made, took)
	took.Next()
	took.Next()
	took.SetState(5, []byte{0xa5, 0x0a}, 12, true)
	took.SetFlash(0.5, 0)
	answer := send(took, made)
	a, _ := made.Answer()
	assert.Equal(t, move.Answer{Ack: 2, State: true, At: 2, Object: 5, Bits: []byte{0xa5, 0x0a}, Len: 12, Flash: 0.5}, a)

	blocks := netcoretest.Fences(netcoretest.Section(t, "Moves"))
	require.Len(t, blocks, 5, "the form, and the bytes and the fields of two packets")
	for i, bits := range []string{moves, answer} {
		said, err := hex.DecodeString(strings.Join(strings.Fields(blocks[1+2*i]), ""))
		require.NoError(t, err)
		netcoretest.Vectors(t, "moves", netcore.ProtocolVersion).Bytes(fmt.Sprintf("page/%d", i), netcoretest.Packed(bits))
		assert.Equal(t, netcoretest.Packed(bits), said, "the section is % x, %s", netcoretest.Packed(bits), bits)
		assert.Equal(t, bits, netcoretest.Fields(blocks[2+2*i]), "its fields")
	}
}
