package recording_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// TestBytesByThePage pins a state and a chunk of ticks to the bytes that docs/recording.md
// describes.
func TestBytesByThePage(t *testing.T) {
	l := recording.NewLog(299)
	l.Class([]byte("C"))
	l.Block(3, []byte("bb"))
	l.Create(300, 7)
	l.Group(300, 2, &recording.Values{Cells: []uint64{5, 1<<64 - 1}, Texts: []string{"hi"}, Raw: []byte{0xff, 0x01}, Bits: 9})
	l.Keep("k", []byte("v"))
	l.View(recording.View{Object: 300, FirstPerson: true, FOV: 90})
	l.Tick(300)
	l.Cut()
	state, ok := l.State()
	require.True(t, ok)
	l.Group(300, 2, &recording.Values{Cells: []uint64{4, 1}, Texts: []string{"hi"}})
	l.Command([]byte("say"))
	l.Keep("k", []byte("w"))
	l.View(recording.View{})
	l.Voice(&recording.Voice{Talker: 200, Client: 4, Name: "Ann", Mark: 0x0807060504030201, Object: 300, Channel: 2, Number: 255, Data: []byte("frame")})
	l.Tick(301)
	l.Delete(300)
	l.Tick(302)
	ticks, ok := l.Cut()
	require.True(t, ok)

	for _, row := range []struct {
		chunk       recording.Chunk
		kind        byte
		first, more uint64
		entries     []byte
	}{
		{state, 2, 300, 0, []byte{
			1,         // reset
			2, 1, 'C', // class
			3, 2, 'b', 'b', // datablock
			4, 0xac, 2, 7, // create 300, class 7
			5, 0xac, 2, 2, 2, 10, 1, 1, 2, 'h', 'i', 9, 0xff, 0x01, // group 2: cells +5 and -1, one text, nine bits
			8, 1, 'k', 1, 'v', // lasting command with the key k
			9, 0xac, 2, 1, 90, // view of object 300 in first person, 90 degrees
			0, 0xac, 2, // tick 300
		}},
		{ticks, 1, 301, 1, []byte{
			5, 0xac, 2, 2, 2, 1, 4, 1, 2, 'h', 'i', 0, // cells -1 and +2, no bits
			7, 3, 's', 'a', 'y', // command
			8, 1, 'k', 1, 'w', // lasting command
			9, 0, 0, 0, // no view
			10, 0xc8, 1, 4, 3, 'A', 'n', 'n', 1, 2, 3, 4, 5, 6, 7, 8, // voice of talker 200, client 4, with its mark
			0xac, 2, 2, 0xff, 1, 5, 'f', 'r', 'a', 'm', 'e', // object 300, channel 2, frame 255
			0, 1, // tick 301
			6, 0xac, 2, // delete 300
			0, 1, // tick 302
		}},
	} {
		b := row.chunk.Bytes()
		assert.Equal(t, row.kind, b[0])
		at := 1
		number := func() uint64 {
			v, n := binary.Uvarint(b[at:])
			at += n
			return v
		}
		assert.Equal(t, []uint64{row.first, row.more, uint64(len(row.entries))}, []uint64{number(), number(), number()})
		size, body := number(), b[at+4:]
		assert.EqualValues(t, len(body), size)
		sum := crc32.Checksum(append(bytes.Clone(b[:at]), body...), crc32.MakeTable(crc32.Castagnoli))
		assert.Equal(t, sum, binary.LittleEndian.Uint32(b[at:]))
		entries, err := io.ReadAll(flate.NewReader(bytes.NewReader(body)))
		require.NoError(t, err)
		assert.Equal(t, row.entries, entries)
		netcoretest.Vectors(t, "recordings", netcore.ProtocolVersion).Bytes(fmt.Sprintf("chunk/%d", row.kind), entries)
	}
}
