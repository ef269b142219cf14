package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/bitstream"
)

func TestSinCos(t *testing.T) {
	for turn := range 1 << 16 {
		sin, cos := sim.SinCos(uint16(turn))
		wantSin, wantCos := math.Sincos(float64(turn) * 2 * math.Pi / 65536)
		require.InDelta(t, wantSin, sin, 1e-9, turn)
		require.InDelta(t, wantCos, cos, 1e-9, turn)
		require.Equal(t, uint16(turn), sim.Turn(sim.Degrees(uint16(turn))))
	}
	assert.Equal(t, sim.Vec3{Y: 1}, sim.Heading(0))
	assert.Equal(t, sim.Vec3{X: -1}, sim.Heading(0x4000), "yaw turns counter-clockwise")
	assert.Equal(t, sim.Vec3{Z: 1}, sim.Look(0, 0x4000))
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300} {
		assert.Zero(t, sim.Turn(x))
	}
	assert.Equal(t, uint16(0xc000), sim.Turn(-90))
}

func TestFineIsExact(t *testing.T) {
	for _, x := range []float64{0, sim.FineStep, -sim.FineStep, 100, -100, 3.5, -99.9990234375} {
		require.Equal(t, x, sim.Snap(x))
		require.Equal(t, x, sim.Snap(x+sim.FineStep/4))
		v := sim.Vec3{X: x, Y: -x, Z: x / 2}
		v = sim.SnapVec(v)
		var w bitstream.Writer
		w.Reset(make([]byte, 100))
		sim.Coder{Codec: &w.Codec}.FineVec(&v, 100)
		require.NoError(t, w.Err())
		var r bitstream.Reader
		r.Reset(w.Bytes())
		var back sim.Vec3
		sim.Coder{Codec: &r.Codec}.FineVec(&back, 100)
		require.NoError(t, r.Err())
		require.Equal(t, v, back)
	}
}

func TestFineRejectsOutOfRange(t *testing.T) {
	var w bitstream.Writer
	w.Reset(make([]byte, 100))
	bits := uint64(1<<18 - 1)
	w.Bits(&bits, 18)
	var r bitstream.Reader
	r.Reset(w.Bytes())
	p := 7.0
	sim.Coder{Codec: &r.Codec}.Fine(&p, 100)
	assert.ErrorIs(t, r.Err(), bitstream.ErrRange)
	assert.Equal(t, 7.0, p)
}

func TestClampedMoves(t *testing.T) {
	m := sim.Move{X: 127, Y: -128, Z: 16, Yaw: -32768, Triggers: 0xff}.Clamped()
	assert.Equal(t, sim.Move{X: 16, Y: -16, Z: 16, Yaw: -32768, Triggers: 0x3f}, m)
	assert.Equal(t, 1.0, m.Right())
	assert.Equal(t, -1.0, m.Forward())
	m.SetTrigger(sim.JetTrigger, false)
	assert.False(t, m.Trigger(sim.JetTrigger))
	assert.True(t, m.Trigger(sim.FireTrigger))
}
