package netpage

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

func TestRows(t *testing.T) {
	o := new(sim.NetObject)
	v := engine.GhostView{
		Object: o, ID: 5, Status: ghost.Live, Weight: 200, Pending: true, Placed: true, SentAge: 3,
		Truth: sim.Place{Position: sim.Vec3{X: 1.5, Y: -2, Z: 100}, Rotation: sim.Rot{Yaw: -90}},
		Known: true, KnownAge: 1 << 20, At: sim.Vec3{X: 1, Y: -2, Z: 100}, Predicted: sim.Vec3{X: 1.5, Y: -5, Z: 104},
	}
	b := appendRows(nil, []Row{newRow(&v, 7), newRow(&engine.GhostView{Object: o, ID: -1, Own: true}, 0)})
	require.Len(t, b, 2*4*rowWords)
	word := func(i int) int32 { return int32(binary.LittleEndian.Uint32(b[4*i:])) }
	want := []int32{0, 5, 7 | int32(ghost.Live)<<16 | (flagKnown|flagPending)<<24, 150, -200, 10000, 100, -200, 150, -500, 500, 3<<16 | 0xffff, 200<<16 | 0xc000}
	for i, w := range want {
		assert.Equal(t, w, word(i), "word %d", i)
	}
	assert.Equal(t, int32(-1), word(rowWords+1))
	assert.Equal(t, int32(flagOwn<<24), word(rowWords+2))
}

func TestLengthsAndAnglesAreBounded(t *testing.T) {
	assert.Equal(t, int32(math.MaxInt32), cm(math.Inf(1)))
	assert.Equal(t, int32(math.MinInt32), cm(-1e30))
	assert.Zero(t, cm(math.NaN()))
	assert.Zero(t, turn(math.NaN()))
	assert.Zero(t, turn(math.Inf(1)))
	assert.Equal(t, uint16(1<<15), turn(180+360*7))
	assert.Equal(t, uint16(0), turn(360))
}
