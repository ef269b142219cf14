package game

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

func newCamera(t testing.TB, w *sim.World, own values) *Camera {
	o, err := w.New("Camera", set(t, own))
	require.NoError(t, err)
	return o.(*Camera)
}

func TestCameraFlyMode(t *testing.T) {
	for name, c := range map[string]struct {
		move sim.Move
		rot  sim.Rot
		want sim.Vec3
	}{
		"ahead":           {sim.Move{Y: 16}, sim.Rot{}, sim.Vec3{Y: 10}},
		"to the right":    {sim.Move{X: 16}, sim.Rot{Yaw: 90}, sim.Vec3{Y: 10}},
		"up":              {sim.Move{Z: 8}, sim.Rot{Pitch: 50}, sim.Vec3{Z: 5}},
		"where it looks":  {sim.Move{Y: 16}, sim.Rot{Pitch: 30}, sim.Vec3{Y: 8.66, Z: 5}},
		"no faster":       {sim.Move{X: 16, Y: 16}, sim.Rot{}, sim.Vec3{X: 7.07, Y: 7.07}},
		"through the box": {sim.Move{Y: -16}, sim.Rot{}, sim.Vec3{Y: -10}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			addBox(t, w, sim.Vec3{Y: -5}, sim.Vec3{X: 4, Y: 4, Z: 4})
			cam := newCamera(t, w, values{"speed": sim.Number(10), "rotation": sim.Rotation(c.rot)})
			for range 125 {
				cam.Control(c.move)
			}
			assert.InDelta(t, 0, cam.position.Sub(c.want.Mul(4)).Len(), 0.15, "%v", cam.position)
			cam.Control(sim.Move{})
			assert.Zero(t, cam.velocity)
		})
	}
}

func TestCameraOrbitMode(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(10, 20, 0)})
	cam := newCamera(t, w, values{"mode": sim.String("orbit"), "orbit": sim.Handle(p.ID()), "distance": sim.Number(5)})
	middle := sim.Vec3{X: 10, Y: 20, Z: 1}
	for i := range 50 {
		cam.Control(sim.Move{Yaw: 999, Pitch: int16(300 - 20*i), Y: 16})
		at, look := cam.eye()
		require.InDelta(t, 0, at.Add(look.Mul(5)).Sub(middle).Len(), 0.005)
	}
	runMove(p, fullAhead, 30)
	cam.Tick(1)
	at, look := cam.eye()
	assert.InDelta(t, 0, at.Add(look.Mul(5)).Sub(p.position.Add(sim.Vec3{Z: 1})).Len(), 0.005, "it follows")
	was := cam.position
	require.NoError(t, w.Delete(p))
	cam.Tick(2)
	assert.Equal(t, was, cam.position, "what is gone is not followed")
	got, err := callMethod(cam, "getEyePoint")
	require.NoError(t, err)
	assert.Equal(t, []sim.Value{sim.Vec(was)}, got)
}

func TestControlStateOfCameras(t *testing.T) {
	cam, other := newCamera(t, newWorld(t), values{"position": vec(0.1, 70000.0/3, -5)}), newCamera(t, newWorld(t), values{"mode": sim.String("orbit")})
	restore(t, other, state(t, cam))
	for i := range 100 {
		m := sim.Move{X: int8(i % 17), Y: 16, Z: -3, Yaw: int16(40 * i), Pitch: int16(20 * i)}
		cam.Control(m)
		other.Control(m)
		require.Equal(t, state(t, cam), state(t, other))
		require.Equal(t, sim.SnapVec(cam.velocity), cam.velocity)
	}
	require.Equal(t, cam.position, other.position)
	f, err := cam.Class().Field("mode")
	require.NoError(t, err)
	assert.EqualError(t, f.Set(cam, sim.String("walk")), `mode must be one of fly, orbit, got "walk"`)
}
