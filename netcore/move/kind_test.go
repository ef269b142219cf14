package move

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// The size of a move depends on its differences from the move before it.
func TestMoveSizes(t *testing.T) {
	run := Move{Y: 16}
	all := Move{X: -16, Y: 16, Z: 1, Yaw: math.MinInt16, Pitch: -1, Roll: 1, Triggers: 63, FreeLook: true}
	for _, row := range []struct {
		name      string
		v, before Move
		bits      int
	}{
		{"null", Move{}, Move{}, 1},
		{"the same", all, all, 1},
		{"run", run, Move{}, 9 + axisBits},
		{"stop", Move{}, run, 9 + axisBits},
		{"turn", Move{Y: 16, Yaw: -300}, run, 9 + turnBits},
		{"fire", Move{Y: 16, Triggers: 1}, run, 9 + triggerCount},
		{"look", Move{Y: 16, FreeLook: true}, run, 9},
		{"all", all, Move{}, maxMoveBits},
	} {
		w := bitstream.NewWriter(make([]byte, 20))
		v := row.v
		v.serialize(&w.Codec, &row.before)
		require.NoError(t, w.Err())
		assert.Equal(t, row.v, v, "writing stores nothing")
		assert.Equal(t, row.bits, w.Pos(), row.name)
		got := Move{X: 9, Triggers: 9}
		r := bitstream.NewReader(w.Bytes())
		got.serialize(&r.Codec, &row.before)
		require.NoError(t, r.Err())
		assert.Equal(t, row.v, got, row.name)
		assert.Equal(t, row.bits, r.Pos())
	}
}

func anyMove(rng *rand.Rand) Move {
	return Move{
		X: int8(rng.IntN(33) - 16), Y: int8(rng.IntN(33) - 16), Z: int8(rng.IntN(33) - 16),
		Yaw: int16(rng.Uint32()), Pitch: int16(rng.Uint32()), Roll: int16(rng.Uint32()),
		Triggers: uint8(rng.IntN(64)), FreeLook: rng.IntN(2) == 0,
	}
}

// A list of moves is read as it was written.
func TestMovesInARow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		row := make([]Move, 1+rng.IntN(Max))
		w := bitstream.NewWriter(make([]byte, 500))
		before := &zeroMove
		for i := range row {
			row[i] = anyMove(rng)
			if rng.IntN(3) == 0 {
				row[i] = *before
			}
			row[i].serialize(&w.Codec, before)
			before = &row[i]
		}
		require.NoError(t, w.Err())
		r := bitstream.NewReader(w.Bytes())
		last := Move{}
		for i := range row {
			got := Move{}
			got.serialize(&r.Codec, &last)
			require.Equal(t, row[i], got)
			last = got
		}
		require.Equal(t, w.Pos(), r.Pos())
	}
}

// A value out of range is replaced by the nearest valid value.
func TestMoveInRange(t *testing.T) {
	got := Move{X: 127, Y: -128, Z: 17, Yaw: 32767, Triggers: 0xff, FreeLook: true}.clamp()
	assert.Equal(t, Move{X: 16, Y: -16, Z: 16, Yaw: 32767, Triggers: 63, FreeLook: true}, got)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		v := anyMove(rng)
		assert.Equal(t, v, v.clamp())
	}
}
