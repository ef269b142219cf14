package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBearing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 20000 {
		yaw, pitch := uint16(rng.Uint32()), uint16(rng.IntN(0x7fff)-0x3fff)
		gotYaw, gotPitch := Bearing(Look(yaw, pitch).Mul(rng.Float64()*1000 + 0.01))
		require.LessOrEqual(t, max(int16(gotPitch-pitch), int16(pitch-gotPitch)), int16(1))
		if _, cos := SinCos(pitch); cos > 0.01 {
			require.LessOrEqual(t, max(int16(gotYaw-yaw), int16(yaw-gotYaw)), int16(1), "%d %d", yaw, pitch)
		}
	}
	for _, c := range []struct {
		v          Vec3
		yaw, pitch uint16
	}{
		{Vec3{}, 0, 0}, {Vec3{Y: 1}, 0, 0}, {Vec3{X: -2}, 0x4000, 0}, {Vec3{Y: -3}, 0x8000, 0}, {Vec3{X: 1}, 0xc000, 0},
		{Vec3{Z: 5}, 0, 0x4000}, {Vec3{Z: -5}, 0, 0xc000}, {Vec3{X: -1, Y: 1}, 0x2000, 0},
		{Vec3{Y: 1e300}, 0, 0},
	} {
		yaw, pitch := Bearing(c.v)
		assert.Equal(t, []uint16{c.yaw, c.pitch}, []uint16{yaw, pitch}, "%v", c.v)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		Bearing(Vec3{x, x, x})
		Bearing(Vec3{1, x, 1})
	}
}

type tickCounter struct{ ticks []uint64 }

func (c *tickCounter) Ticked(n uint64) { c.ticks = append(c.ticks, n) }

func TestGameTickListener(t *testing.T) {
	w, c := testWorld(t), &tickCounter{}
	o := newThing(t, w)
	w.Tick(1)
	w.Game = c
	w.Tick(2)
	assert.Equal(t, []uint64{2}, c.ticks)
	assert.Equal(t, []uint64{1, 2}, o.ticks)
}
