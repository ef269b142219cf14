package game

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// ask returns the result of a method without arguments but the slot.
func ask(t testing.TB, o sim.Object, method string) sim.Value {
	t.Helper()
	got, err := callMethod(o, method, sim.Number(0))
	require.NoError(t, err)
	return got[0]
}

// call runs a method that must succeed.
func call(t testing.TB, o sim.Object, method string, list ...sim.Value) {
	t.Helper()
	_, err := callMethod(o, method, list...)
	require.NoError(t, err)
}

// statesOf runs ticks with a move, and returns the first letter of the state after each.
func statesOf(t testing.TB, o sim.Controllable, m sim.Move, ticks int) string {
	t.Helper()
	var all strings.Builder
	for range ticks {
		o.Control(m)
		all.WriteByte(ask(t, o, "imageState").Text()[0])
	}
	return all.String()
}

// clipped is a weapon with two shots in its clip, and times of two, three and five ticks.
var clipped = values{"prepareTime": sim.Number(64), "fireTimeout": sim.Number(96), "reloadTime": sim.Number(160), "clip": sim.Number(2)}

func TestImageStates(t *testing.T) {
	for name, c := range map[string]struct {
		image values
		move  sim.Move
		want  string
		shots int
	}{
		"held":           {nil, fires, "pffffffrrrrrffffffrrrrrf", 5},
		"not held":       {nil, sim.Move{}, "prrrrrrr", 0},
		"no clip":        {values{"clip": sim.Number(0)}, fires, "pffffff", 2},
		"no times":       {values{"prepareTime": sim.Number(0), "reloadTime": sim.Number(0)}, fires, "ffffffrffffffrf", 5},
		"not of a tick":  {values{"fireTimeout": sim.Number(40), "reloadTime": sim.Number(50)}, fires, "pfffrrffrrffrrff", 8},
		"only a prepare": {values{"prepareTime": sim.Number(96), "clip": sim.Number(0)}, sim.Move{}, "pprrr", 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := newArmedPlayer(t, w, with(clipped, c.image), nil)
			assert.Equal(t, c.want, statesOf(t, p, c.move, len(c.want)))
			assert.Len(t, shots(w), c.shots)
		})
	}
}

func TestReloadNeedsAmmo(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, with(clipped, values{"prepareTime": sim.Number(0), "usesAmmo": sim.Bool(true), "ammoPerShot": sim.Number(2)}), nil)
	call(t, p, "setImageAmmo", sim.Number(0), sim.Number(7))
	assert.Equal(t, 2.0, ask(t, p, "imageClip").Number())
	runMove(p, fires, 40)
	assert.Len(t, shots(w), 3)
	assert.Equal(t, "ready", ask(t, p, "imageState").Text(), "one shot is in the clip, but no ammunition is left for it")
	assert.Zero(t, ask(t, p, "imageClip").Number())
	call(t, p, "setImageClip", sim.Number(0), sim.Number(0))
	p.Control(sim.Move{})
	assert.Equal(t, "ready", ask(t, p, "imageState").Text(), "there is nothing to reload with")
	call(t, p, "setImageAmmo", sim.Number(0), sim.Number(2))
	p.Control(sim.Move{})
	assert.Equal(t, "reload", ask(t, p, "imageState").Text())
	runMove(p, sim.Move{}, 5)
	assert.Equal(t, 1.0, ask(t, p, "imageClip").Number())
}

func TestSetImageClip(t *testing.T) {
	p := newArmedPlayer(t, newWorld(t), with(clipped, values{"prepareTime": sim.Number(0)}), nil)
	call(t, p, "setImageClip", sim.Number(0), sim.Number(99))
	assert.Equal(t, 2.0, ask(t, p, "imageClip").Number(), "a clip has no more")
	call(t, p, "setImageClip", sim.Number(0), sim.Number(0))
	p.Control(fires)
	assert.Equal(t, "reload", ask(t, p, "imageState").Text())
	call(t, p, "unmountImage", sim.Number(0))
	call(t, p, "setImageClip", sim.Number(0), sim.Number(1))
	assert.Zero(t, ask(t, p, "imageClip").Number(), "nothing is there")
	assert.Equal(t, sim.Nil(), ask(t, p, "imageState"))
	for want, list := range map[string][]sim.Value{
		"n must be a whole number from 0 to 1000, got 1001": {sim.Number(0), sim.Number(1001)},
		"slot must be a whole number from 0 to 1, got 2":    {sim.Number(2), sim.Number(1)},
	} {
		_, err := callMethod(p, "setImageClip", list...)
		assert.EqualError(t, err, want)
	}
}

// TestSwappingWeaponsDoesNotReload: neither an emptied clip nor a reload that has begun.
func TestSwappingWeaponsDoesNotReload(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, with(clipped, values{"prepareTime": sim.Number(0), "projectile": sim.Nil()}), nil)
	makeBlock(t, w, "ShapeBaseImageData", "pistol", values{"projectile": sim.String("shot")})
	hold := func(image string) { call(t, p, "mountImage", sim.String(image), sim.Number(0)) }
	p.Control(fires)
	require.Equal(t, 1.0, ask(t, p, "imageClip").Number())
	hold("pistol")
	assert.Equal(t, "prepare", ask(t, p, "imageState").Text(), "the wait of the shot goes on")
	hold("rifle")
	assert.Equal(t, 1.0, ask(t, p, "imageClip").Number())
	assert.Equal(t, "ppfff", statesOf(t, p, fires, 5), "the second shot")
	runMove(p, sim.Move{}, 2)
	require.Equal(t, "reload", ask(t, p, "imageState").Text())
	hold("pistol")
	p.Control(fires)
	assert.Len(t, shots(w), 1, "the other weapon need not wait for the reload")
	runMove(p, sim.Move{}, 40)
	hold("rifle")
	assert.Equal(t, "rrrrrf", statesOf(t, p, fires, 6), "the reload begins again")
}

// TestClipsOfFewImagesAreRemembered: a mod can have any number of images.
func TestClipsOfFewImagesAreRemembered(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, nil, nil)
	hold := func(n int) { call(t, p, "mountImage", sim.String(fmt.Sprint("gun", n)), sim.Number(0)) }
	for n := range maxClips + 2 {
		makeBlock(t, w, "ShapeBaseImageData", fmt.Sprint("gun", n), values{"clip": sim.Number(9)})
		hold(n)
		call(t, p, "setImageClip", sim.Number(0), sim.Number(float64(1)))
	}
	call(t, p, "unmountImage", sim.Number(0))
	assert.Len(t, p.clips, maxClips)
	for n := range maxClips + 2 {
		hold(n)
		want := 1.0
		if n < 2 {
			want = 9
		}
		assert.Equal(t, want, ask(t, p, "imageClip").Number(), "gun %d", n)
	}
	assert.Len(t, p.clips, maxClips-1, "one of them is mounted")
}

// TestChangedClip: the datablock of a mounted image changes.
func TestChangedClip(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, with(clipped, values{"clip": sim.Number(9), "prepareTime": sim.Number(0)}), nil)
	d := w.Blocks.ByName("rifle")
	for _, c := range []struct {
		clip  float64
		state string
	}{{3, "ready"}, {0, "ready"}, {5, "reload"}} {
		require.NoError(t, d.Ident().SetField("clip", sim.Number(c.clip)))
		p.Control(sim.Move{})
		assert.Equal(t, c.state, ask(t, p, "imageState").Text())
		runMove(p, sim.Move{}, 6)
		assert.Equal(t, c.clip, ask(t, p, "imageClip").Number())
	}
}

// TestImagesOfOthers: a client computes the states of its own images, and receives those of others.
func TestImagesOfOthers(t *testing.T) {
	p := newArmedPlayer(t, newWorld(t), with(clipped, values{"projectile": sim.Nil()}), nil)
	p.SetGhost(true)
	assert.Equal(t, "pff", statesOf(t, p, fires, 3))
	p.SetController(0)
	for tick := range uint64(40) {
		p.Tick(tick)
	}
	assert.Equal(t, "fire", ask(t, p, "imageState").Text())
	require.NoError(t, p.SetField("imageState0", sim.Number(imageReloading)))
	p.Tick(40)
	assert.Equal(t, "reload", ask(t, p, "imageState").Text())
}

// TestStateIsSentWhenItChanges: a burst is one state, however many shots it has.
func TestStateIsSentWhenItChanges(t *testing.T) {
	p := newArmedPlayer(t, newWorld(t), values{"fireTimeout": sim.Number(96), "projectile": sim.Nil()}, nil)
	changes := func(m sim.Move, ticks int) (n int) {
		for range ticks {
			p.World().ClearMarks()
			p.Control(m)
			if p.Dirty()&(1<<imageStateGroup) != 0 {
				n++
			}
		}
		return n
	}
	assert.Equal(t, 1, changes(fires, 50))
	assert.Equal(t, 1, changes(sim.Move{}, 50))
}

// TestImagesOfDrivers: the weapon of a driver does not fire, and its state ends. So does that of a
// vehicle without a driver.
func TestImagesOfDrivers(t *testing.T) {
	v, players := newVehicleWithPlayers(t, wheeledKind, 1)
	w, p := v.World(), players[0]
	makeBlock(t, w, "ShapeBaseImageData", "gun", values{"prepareTime": sim.Number(96)})
	call(t, p, "mountImage", sim.String("gun"), sim.Number(0))
	call(t, v, "mountImage", sim.String("gun"), sim.Number(0))
	require.NoError(t, p.sit(v, 0))
	p.SetController(1)
	assert.Equal(t, "pprr", statesOf(t, p, fires, 4))
	assert.Equal(t, "fire", ask(t, v, "imageState").Text())
	p.unmount()
	for tick := range uint64(40) {
		v.Tick(tick)
	}
	assert.Equal(t, "ready", ask(t, v, "imageState").Text())
}
