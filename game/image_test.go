package game

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// newArmedPlayer returns a player with a weapon in slot 0.
func newArmedPlayer(t testing.TB, w *sim.World, image, shot values) *Player {
	makeBlock(t, w, "ProjectileData", "shot", shot)
	makeBlock(t, w, "ShapeBaseImageData", "rifle", with(values{"projectile": sim.String("shot")}, image))
	p := addPlayer(t, w, "shooter", values{"rechargeRate": sim.Number(0), "maxEnergy": sim.Number(60)}, nil)
	p.SetController(1)
	_, err := callMethod(p, "mountImage", sim.String("rifle"), sim.Number(0))
	require.NoError(t, err)
	return p
}

// shots returns all projectiles of a world.
func shots(w *sim.World) (all []*Projectile) {
	w.Each(w.Classes().Lookup("Projectile"), func(o sim.Object) bool {
		all = append(all, o.(*Projectile))
		return true
	})
	return all
}

var fires = holding(sim.Move{}, sim.FireTrigger)

func TestRateOfFire(t *testing.T) {
	for timeout, want := range map[float64]int{32: 125, 96: 42, 100: 40, 500: 8, 60000: 1} {
		w := newWorld(t)
		p := newArmedPlayer(t, w, values{"fireTimeout": sim.Number(timeout)}, nil)
		runMove(p, fires, 125) // 4 s
		assert.Len(t, shots(w), want, "%v ms", timeout)
		runMove(p, sim.Move{}, 125)
		assert.Len(t, shots(w), want, "nobody pulls")
	}
}

func TestShotCost(t *testing.T) {
	fast := values{"fireTimeout": sim.Number(32)}
	for name, c := range map[string]struct {
		image values
		ammo  float64
		want  int
		left  float64
		spent float64
	}{
		"nothing":        {nil, 0, 50, 0, 0},
		"energy":         {values{"energyPerShot": sim.Number(7)}, 0, 8, 0, 56},
		"ammunition":     {values{"usesAmmo": sim.Bool(true)}, 5, 5, 0, 0},
		"two at a time":  {values{"usesAmmo": sim.Bool(true), "ammoPerShot": sim.Number(2)}, 5, 2, 1, 0},
		"none is there":  {values{"usesAmmo": sim.Bool(true)}, 0, 0, 0, 0},
		"a load of shot": {values{"projectileCount": sim.Number(3), "usesAmmo": sim.Bool(true)}, 2, 6, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			p := newArmedPlayer(t, w, with(fast, c.image), nil)
			_, err := callMethod(p, "setImageAmmo", sim.Number(0), sim.Number(c.ammo))
			require.NoError(t, err)
			runMove(p, fires, 50)
			assert.Len(t, shots(w), c.want)
			got, err := callMethod(p, "imageAmmo", sim.Number(0))
			require.NoError(t, err)
			assert.Equal(t, c.left, got[0].Number())
			assert.InDelta(t, 60-c.spent, p.energy, 0.01)
		})
	}
}

func TestShotDirection(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"muzzle": vec(0.25, 0.5, -0.125)},
		values{"muzzleVelocity": sim.Number(60), "velInheritFactor": sim.Number(0.5)})
	p.rotation = sim.Rot{Yaw: 90} // to -X
	p.velocity = sim.Vec3{Z: 10}
	p.position.Z = 100
	p.Control(fires)
	s := shots(w)[0]
	assert.Equal(t, p.ID(), s.source)
	assert.InDelta(t, 0, s.velocity.Sub(sim.Vec3{X: -60, Z: p.velocity.Z / 2}).Len(), 1)
	eye, _ := p.eye()
	assert.InDelta(t, 0, s.position.Sub(eye.Add(sim.Vec3{X: -0.5, Y: 0.25, Z: -0.125})).Len(), 1e-6)
	at, err := callMethod(p, "getMuzzlePoint")
	require.NoError(t, err)
	assert.Equal(t, s.position, at[0].Vec())
	assert.Contains(t, deliveredEvents(w), fmt.Sprintf("Player onFire %s %s", handle(w.Blocks.ByName("rifle")).Literal(), handle(s).Literal()))
}

func TestMuzzleBehindWall(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"muzzle": vec(0, 2, 0)}, values{"directDamage": sim.Number(1)})
	addBox(t, w, sim.Vec3{Y: 1.5}, sim.Vec3{X: 9, Y: 0.5, Z: 9})
	p.Control(fires)
	eye, _ := p.eye()
	assert.Equal(t, eye, shots(w)[0].position)
	run(w, 1)
	assert.True(t, shots(w)[0].Exploded())
}

func TestSpread(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"spread": sim.Number(5), "fireTimeout": sim.Number(32)}, nil)
	p.position.Z = 500
	runMove(p, fires, 400)
	var mean sim.Vec3
	widest := 0.0
	for _, s := range shots(w) {
		way := s.velocity.Normalized()
		mean = mean.Add(way)
		widest = max(widest, math.Acos(min(way.Y, 1))*180/math.Pi)
	}
	assert.LessOrEqual(t, widest, 5.0)
	assert.Greater(t, widest, 4.5)
	assert.InDelta(t, 1, mean.Div(400).Y, 0.01)
	assert.InDelta(t, 0, mean.Div(400).X, 0.01)
}

func TestHitscan(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, nil, values{"hitscan": sim.Bool(true), "range": sim.Number(100), "directDamage": sim.Number(9)})
	victim := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 50, 0)})
	far := addPlayer(t, w, "soldier", highHealth, values{"position": vec(0, 150, 0)})
	p.Control(fires)
	assert.Equal(t, 9.0, victim.damageLevel)
	s := shots(w)[0]
	assert.True(t, s.Exploded())
	assert.InDelta(t, 49.5, s.position.Y, 0.1, "it shows where it hit")
	require.NoError(t, w.Delete(victim))
	w.Sweep()
	runMove(p, fires, 40)
	assert.Zero(t, far.damageLevel, "out of range")
	assert.Equal(t, 9.0, victim.damageLevel)
	run(w, lingerTicks)
	assert.Empty(t, shots(w))
}

func TestTriggerOfSecondSlot(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"fireTimeout": sim.Number(32)}, nil)
	_, err := callMethod(p, "mountImage", handle(w.Blocks.ByName("rifle")), sim.Number(1))
	require.NoError(t, err)
	p.Control(holding(sim.Move{}, sim.AltTrigger))
	assert.Len(t, shots(w), 1)
	p.Control(holding(sim.Move{}, sim.AltTrigger, sim.FireTrigger))
	assert.Len(t, shots(w), 3)
	_, err = callMethod(p, "unmountImage", sim.Number(0))
	require.NoError(t, err)
	for slot, want := range []sim.Value{sim.Nil(), handle(w.Blocks.ByName("rifle"))} {
		got, err := callMethod(p, "mountedImage", sim.Number(float64(slot)))
		require.NoError(t, err)
		assert.Equal(t, []sim.Value{want}, got)
	}
	p.Control(fires)
	assert.Len(t, shots(w), 3)
}

func TestImageMethodErrors(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, nil, nil)
	for want, f := range map[string]func() ([]sim.Value, error){
		"image must be a datablock of class ShapeBaseImageData, got \"shot\"": func() ([]sim.Value, error) { return callMethod(p, "mountImage", sim.String("shot")) },
		"image must be a datablock of class ShapeBaseImageData, got nil":      func() ([]sim.Value, error) { return callMethod(p, "mountImage") },
		"slot must be a whole number from 0 to 1, got 2":                      func() ([]sim.Value, error) { return callMethod(p, "mountedImage", sim.Number(2)) },
		"slot must be a whole number from 0 to 1, got -1":                     func() ([]sim.Value, error) { return callMethod(p, "imageAmmo", sim.Number(-1)) },
		"n must be a whole number from 0 to 10000, got nan": func() ([]sim.Value, error) {
			return callMethod(p, "setImageAmmo", sim.Number(0), sim.Number(math.NaN()))
		},
	} {
		_, err := f()
		assert.EqualError(t, err, want)
	}
}

// TestGhostsAndReplaysDoNotFire checks that ghosts and replayed moves create no projectiles, but
// spend energy as predicted.
func TestGhostsAndReplaysDoNotFire(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"energyPerShot": sim.Number(5)}, nil)
	w.Replay(func() { p.Control(fires) })
	assert.Empty(t, shots(w))
	assert.InDelta(t, 55, p.energy, 0.01)
}

// TestFiringIsPredicted checks that server and client compute the same energy, ammunition, clip,
// state and wait from the same state.
func TestFiringIsPredicted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	image := values{"fireTimeout": sim.Number(100), "energyPerShot": sim.Number(3), "usesAmmo": sim.Bool(true),
		"clip": sim.Number(4), "reloadTime": sim.Number(250), "prepareTime": sim.Number(500)}
	here, there := newWorld(t), newWorld(t)
	p, g := newArmedPlayer(t, here, image, nil), newArmedPlayer(t, there, image, nil)
	p.images[0].ammo = 200
	restore(t, g, state(t, p))
	require.Equal(t, 200, g.images[0].ammo)
	for range 500 {
		m := wildMove(rng)
		p.Control(m)
		there.Replay(func() { g.Control(m) })
		require.Equal(t, state(t, p), state(t, g))
	}
	assert.NotEmpty(t, shots(here))
	assert.Empty(t, shots(there))
}

func TestInvalidImageControlState(t *testing.T) {
	p := newArmedPlayer(t, newWorld(t), nil, nil)
	out := bitstream.NewWriter(make([]byte, 20))
	wrong := uint64(sim.MaxBlocks + 1)
	out.Bits(&wrong, blockBits)
	none := bitstream.NewReader(append(out.Bytes(), make([]byte, 10)...))
	p.codeImages(sim.Coder{Codec: &none.Codec})
	assert.Error(t, none.Err(), "there is no such datablock")
	for seed := range testenv.Seeds(t, 75, 300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		bits := make([]byte, rng.IntN(12))
		for i := range bits {
			bits[i] = byte(rng.Uint32())
		}
		var r bitstream.Reader
		r.Reset(bits)
		before := p.images
		p.codeImages(sim.Coder{Codec: &r.Codec})
		if r.Err() != nil {
			require.Equal(t, before, p.images)
		}
		runMove(p, fires, 3)
	}
}

// TestProjectileLimit checks the limit of maxProjectiles with an absurd weapon.
func TestProjectileLimit(t *testing.T) {
	w := newWorld(t)
	p := newArmedPlayer(t, w, values{"fireTimeout": sim.Number(32), "projectileCount": sim.Number(maxShots)}, flight(60))
	p.position.Z = 5000
	runMove(p, fires, 200)
	assert.Len(t, shots(w), maxProjectiles)
	require.NoError(t, w.Delete(shots(w)[0]))
	w.Sweep()
	p.Control(fires)
	assert.Len(t, shots(w), maxProjectiles)
}

func TestHoldingFireAllocatesNothing(t *testing.T) {
	p := newArmedPlayer(t, newWorld(t), values{"usesAmmo": sim.Bool(true)}, nil)
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.tickImages(1) }))
	p = newArmedPlayer(t, newWorld(t), values{"clip": sim.Number(1), "reloadTime": sim.Number(32), "projectile": sim.Nil()}, nil)
	assert.Zero(t, testing.AllocsPerRun(100, func() { p.tickImages(1) }))
}
