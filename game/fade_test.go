package game

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestFadesTakeTheirTime fades a shape after a delay. Its ghost gets one update at the beginning,
// and shows the values between by itself.
func TestFadesTakeTheirTime(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", nil, nil)
	ghostWorld := newWorld(t)
	makeBlock(t, ghostWorld, "PlayerData", "soldier", nil)
	g := fadedGhost(t, p, ghostWorld)
	_, err := callMethod(p, "startFade", sim.Number(320), sim.Number(160), sim.Bool(true))
	require.NoError(t, err)
	w.ClearMarks()
	marks := 0
	for n := range uint64(30) {
		w.BeginTick(n)
		w.Tick(n)
		ghostWorld.BeginTick(n)
		if p.Dirty()&(1<<nameGroup) != 0 {
			marks++
			assert.EqualValues(t, 4, n, "the delay has 5 ticks")
			update(t, p, g, nameGroup)
		}
		w.ClearMarks()
		want := 0.0
		if n >= 4 {
			want = min(float64(n-4)/10, 1)
		}
		assert.InDelta(t, want, g.ShownFade(), 1e-9, "tick %d", n)
	}
	assert.Equal(t, 1, marks)
	assert.InDelta(t, 1, p.ShownFade(), 0, "the server has the end")

	late := fadedGhost(t, p, ghostWorld)
	assert.InDelta(t, 1, late.ShownFade(), 0, "a new ghost has no beginning")
	_, err = callMethod(p, "startFade", sim.Number(320), sim.Number(0), sim.Bool(false))
	require.NoError(t, err)
	update(t, p, g, nameGroup)
	ghostWorld.BeginTick(34)
	assert.InDelta(t, 0.5, g.ShownFade(), 1e-9)
	_, err = callMethod(p, "setCloaked", sim.Bool(true))
	require.NoError(t, err)
	update(t, p, g, nameGroup)
	assert.InDelta(t, 0.5, g.ShownFade(), 1e-9, "it continues from the fade that was shown")
	ghostWorld.BeginTick(60)
	assert.InDelta(t, cloakFade, g.ShownFade(), 0.04)
	ghostWorld.BeginTick(3)
	assert.InDelta(t, cloakFade, g.ShownFade(), 0.04, "a demo goes back")
}

// TestItemsAndBoxesFade: after its delay, a fade of an item or of a box is one update of one group,
// and the ghost shows the values between.
func TestItemsAndBoxesFade(t *testing.T) {
	w := newWorld(t)
	makeBlock(t, w, "ItemData", "disc", values{"gravityMod": sim.Number(0)})
	ghostWorld := newWorld(t)
	for class, group := range map[string]int{"Item": itemFadeGroup, "Box": boxFadeGroup} { // any order
		fields := values{"position": vec(0, 0, 0)}
		if class == "Item" {
			fields["dataBlock"] = sim.String("disc")
		}
		o, err := w.New(class, set(t, fields))
		require.NoError(t, err)
		g := ghostWorld.Make(ghostWorld.Classes().Lookup(class)).(shownFader)
		g.Ident().SetGhost(true)
		send(t, o, g, placeGroup, turnGroup, group)
		require.NotZero(t, ghostWorld.Add(g))
		_, err = callMethod(o, "startFade", sim.Number(320), sim.Number(160), sim.Bool(true))
		require.NoError(t, err)
		w.ClearMarks()
		marks := uint64(0)
		for n := range uint64(20) {
			w.BeginTick(n)
			w.Tick(n)
			ghostWorld.BeginTick(n)
			if dirty := o.Ident().Dirty(); dirty != 0 {
				assert.EqualValues(t, 4, n, "%s: the delay has 5 ticks", class)
				marks |= uint64(dirty)
				update(t, o, g, group)
			}
			w.ClearMarks()
			assert.InDelta(t, min(max(float64(n)-4, 0)/10, 1), g.ShownFade(), 1e-9, "%s, tick %d", class, n)
		}
		assert.Equal(t, uint64(1)<<group, marks, class)
		assert.InDelta(t, 1, o.(shownFader).ShownFade(), 0, class)
		_, err = callMethod(o, "setCloaked", sim.Bool(true))
		require.NoError(t, err)
		assert.InDelta(t, cloakFade, o.Ident().Class().Lookup("fade").Get(o).Number(), 0, class)
	}
}

// shownFader is an object of a game that fades, and its ghost.
type shownFader interface {
	sim.Interpolator
	ShownFade() float64
}

// fadedGhost makes a ghost of a player in another world.
func fadedGhost(t *testing.T, p *Player, w *sim.World) *Player {
	g := w.Make(w.Classes().Lookup("Player")).(*Player)
	g.SetGhost(true)
	require.NoError(t, set(t, values{"dataBlock": sim.String("soldier")})(g))
	send(t, p, g, placeGroup, turnGroup, nameGroup)
	require.NotZero(t, w.Add(g))
	return g
}

func TestFadeErrors(t *testing.T) {
	w := newWorld(t)
	p := addPlayer(t, w, "soldier", nil, nil)
	for want, f := range map[string]func() ([]sim.Value, error){
		"ms must be a number from 0 to 4064, got 5000": func() ([]sim.Value, error) {
			return callMethod(p, "startFade", sim.Number(5000), sim.Number(0), sim.Bool(true))
		},
		"out must be a boolean, got nil": func() ([]sim.Value, error) {
			return callMethod(p, "startFade", sim.Number(50), sim.Number(0))
		},
		"on must be a boolean, got 1": func() ([]sim.Value, error) { return callMethod(p, "setCloaked", sim.Number(1)) },
		`skin must be a string of at most 16 bytes, got "12345678901234567"`: func() ([]sim.Value, error) {
			return callMethod(p, "setSkinName", sim.String("12345678901234567"))
		},
	} {
		_, err := f()
		assert.EqualError(t, err, want)
	}
	_, err := callMethod(p, "setSkinName", sim.String("gold"))
	require.NoError(t, err)
	assert.Equal(t, "gold", p.Class().Lookup("skin").Get(p).Text())
}
