//go:build !js

package main

import (
	"bytes"
	"fmt"
	"image/png"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node"
)

// stands puts a player of a team without a client ahead metres before and right metres beside the
// first client's player. It returns where.
func stands(t *testing.T, s *node.Server, team int, ahead, right float64) (at sim.Vec3) {
	t.Helper()
	require.NoError(t, s.Do(func() {
		w := s.Host().World()
		from := s.Host().Connections()[0].Control.Object().(sim.Placer).Place()
		way := sim.Look(sim.Turn(from.Rotation.Yaw), 0)
		at = from.Position.Add(way.Mul(ahead)).Add(sim.Vec3{X: way.Y, Y: -way.X}.Mul(right)).Add(sim.Vec3{Z: 3})
		_, err := w.New("Player", func(o sim.Object) error {
			for name, v := range map[string]sim.Value{
				"dataBlock": sim.Handle(w.Blocks.ByName("LightArmor").Ident().ID()), "team": sim.Number(float64(team)),
				"position": sim.Vec(at), "rotation": sim.Rotation(sim.Rot{Yaw: from.Rotation.Yaw + 150}),
			} {
				f, err := o.Ident().Class().Field(name)
				if err == nil {
					err = f.Set(o, v)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}))
	return at
}

// peace waits until the match has begun and nobody moves to another place, and removes the turrets.
func (b *browser) peace(s *node.Server) {
	b.t.Helper()
	b.until(`torc.view.ground > 0 && /[0-9]/.test(torc.hud.lines[1]) && !/warm-up/.test(torc.hud.lines[1])`)
	require.NoError(b.t, s.Do(func() {
		w := s.Host().World()
		w.Each(w.Classes().Lookup("Turret"), func(o sim.Object) bool { return assert.NoError(b.t, w.Delete(o)) })
	}))
}

// TestSixtyFourPlayersAreCheapToDraw counts what a picture of medium quality costs the graphics
// card, shadows included.
func TestSixtyFourPlayersAreCheapToDraw(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	s, url, key := newGame(t, "0")
	b.join(url, key, "Ann")
	b.peace(s)
	for i := range 63 {
		stands(t, s, 1+i%2, 8+float64(i/9*6), float64(i%9*3-12))
	}
	b.until(`torc.view.things.people.length === 64`)
	frame := eval[int](b, `torc.view.things.frame`)
	b.until(fmt.Sprintf(`torc.view.things.frame > %d`, frame+2))
	cost := eval[[]int](b, `[torc.view.renderer.info.render.calls, torc.view.renderer.info.render.triangles]`)
	t.Logf("%d draw calls, %d triangles", cost[0], cost[1])
	b.picture("crowd")
	assert.LessOrEqual(t, cost[0], 200)
	assert.LessOrEqual(t, cost[1], 300_000)
}

// TestPixelsShowPlayersWhereTheServerHasThem compares the picture with the places on the server.
func TestPixelsShowPlayersWhereTheServerHasThem(t *testing.T) {
	b := openBrowser(t, 1280, 720)
	s, url, key := newGame(t, "0")
	b.join(url, key, "Ann")
	b.peace(s)
	red, blue := stands(t, s, 1, 7, -1.5), stands(t, s, 2, 7, 1.5)
	b.until(`torc.view.things.people.length === 3 && torc.view.things.people.every((k) => Math.abs(k.vz) < 0.1)`)
	b.until(`!torc.view.things.people.some((k) => !k.isOwn && torc.view.things.frame - k.seen > 1)`)
	run(b, chromedp.Evaluate[chromedp.Void](`document.getElementById("tags").hidden = true`))
	picture, err := png.Decode(bytes.NewReader(run(b, chromedp.CaptureScreenshot())))
	require.NoError(t, err)
	b.picture("pixels")
	for _, c := range []struct {
		at   sim.Vec3
		blue bool
	}{{red, false}, {blue, true}} {
		// Its height is that of the ground: it has fallen.
		at := eval[[]float64](b, fmt.Sprintf(`(() => {
			const v = torc.view.camera.position.clone().set(%g, %g, torc.view.terrain.height(%[1]g, %[2]g) + 1.2).project(torc.view.camera);
			return [(v.x + 1) / 2 * innerWidth, (1 - v.y) / 2 * innerHeight];
		})()`, c.at.X, c.at.Y))
		r, _, bl, _ := picture.At(int(at[0]), int(at[1])).RGBA()
		assert.Equal(t, c.blue, bl > r, "at %v: red %d, blue %d", at, r>>8, bl>>8)
		assert.Greater(t, max(r, bl), min(r, bl)*3/2, "it is the colour of a team and not of the ground: red %d, blue %d", r>>8, bl>>8)
	}
}
