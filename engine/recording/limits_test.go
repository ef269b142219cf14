package recording_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/recording"
)

// mute is a target that notes nothing.
type mute struct{}

func (mute) Reset()                                     {}
func (mute) Class([]byte) error                         { return nil }
func (mute) Block([]byte) error                         { return nil }
func (mute) Create(uint32, int) error                   { return nil }
func (mute) Group(uint32, int, *recording.Values) error { return nil }
func (mute) Delete(uint32)                              {}
func (mute) Command([]byte) error                       { return nil }
func (mute) Voice(recording.Voice)                      {}
func (mute) View(recording.View)                        {}

// fill creates objects from a number on that together have the most values.
func fill(l *recording.Log, first uint32) {
	const objects, groups, cells = 128, 32, 1 << 10
	for id := first; id < first+objects; id++ {
		l.Create(id, 1)
		for g := range groups {
			l.Group(id, g, &recording.Values{Cells: make([]uint64, cells)})
		}
	}
}

// TestValuesAreBounded checks the limit of the values of all objects. Those of deleted objects do
// not count.
func TestValuesAreBounded(t *testing.T) {
	l, p := recording.NewLog(0), new(recording.Player)
	next := func(c recording.Chunk, ok bool) error {
		require.True(t, ok)
		_, err := p.Write(c.Bytes())
		require.NoError(t, err)
		played, err := p.Step(mute{})
		require.Equal(t, err == nil, played)
		return err
	}
	fill(l, 1)
	l.Tick(1)
	l.Drop()
	require.NoError(t, next(l.State()))
	for id := uint32(1); id <= 128; id++ {
		l.Delete(id)
	}
	fill(l, 1000)
	l.Tick(2)
	require.NoError(t, next(l.Cut()))
	l.Create(2000, 1)
	l.Group(2000, 0, &recording.Values{Cells: []uint64{1}})
	l.Tick(3)
	assert.EqualError(t, next(l.Cut()), "the recording has more than 4194304 values")
}

// TestChunkUnpacksToItsSize plays a chunk of some kilobytes that unpacks to 8 MiB, and says that it
// has 10 bytes. The player does not unpack the rest.
func TestChunkUnpacksToItsSize(t *testing.T) {
	var body bytes.Buffer
	packer, err := flate.NewWriter(&body, flate.BestCompression)
	require.NoError(t, err)
	_, err = packer.Write(make([]byte, 8<<20))
	require.NoError(t, err)
	require.NoError(t, packer.Close())
	chunk := []byte{2} // a state
	for _, n := range []int{1, 0, 10, body.Len()} {
		chunk = binary.AppendUvarint(chunk, uint64(n))
	}
	sum := crc32.Checksum(append(bytes.Clone(chunk), body.Bytes()...), crc32.MakeTable(crc32.Castagnoli))
	chunk = append(binary.LittleEndian.AppendUint32(chunk, sum), body.Bytes()...)

	var p recording.Player
	_, err = p.Write(chunk)
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = p.Step(mute{})
	runtime.ReadMemStats(&after)
	assert.EqualError(t, err, "the recording is damaged")
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// TestWaitingBytesAreBounded writes a recording that nobody plays. The player refuses what exceeds
// its bound.
func TestWaitingBytesAreBounded(t *testing.T) {
	var p recording.Player
	c := recording.StateOf([]byte{0})
	c.Body = make([]byte, recording.MaxChunk-64)
	one, all := c.Bytes(), 0
	for {
		if _, err := p.Write(one); err != nil {
			break
		}
		all += len(c.Body)
		require.LessOrEqual(t, all, recording.MaxWaiting)
	}
	assert.Greater(t, all, recording.MaxWaiting-2*recording.MaxChunk)
}
