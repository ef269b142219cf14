package game

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// TestVehiclesStayAboveGround checks that a vehicle stays above the ground and its numbers
// stay finite, for random datablocks, start states and moves.
func TestVehiclesStayAboveGround(t *testing.T) {
	for seed := range testenv.Seeds(t, 22, 90) {
		rng := rand.New(rand.NewPCG(seed, 4))
		w := newWorld(t)
		addHills(t, w, float64(seed), rng.Float64()*60)
		data := wildData(rng, w.Classes().Lookup("VehicleData"), kinds[seed%3])
		spread := func(most float64) float64 { return (rng.Float64()*2 - 1) * most }
		v := addVehicle(t, w, "wild", data, values{"position": vec(spread(300), spread(300), spread(200)),
			"velocity": vec(spread(maxVehicleSpeed), spread(maxVehicleSpeed), spread(maxVehicleSpeed)),
			"rotation": sim.Rotation(sim.Rot{Yaw: spread(180), Pitch: spread(180), Roll: spread(180)})})
		m := sim.Move{}
		for tick := range 300 {
			if tick%20 == 0 {
				m = wildMove(rng)
			}
			if tick%50 == 49 {
				v.push(v.position, sim.Vec3{X: spread(1e6), Y: spread(1e6), Z: spread(1e6)})
			}
			v.Control(m)
			require.GreaterOrEqual(t, clearance(v), -0.01, "seed %d, tick %d, %v", seed, tick, data)
			for _, x := range []float64{v.position.X, v.position.Y, v.position.Z, v.velocity.X, v.velocity.Y, v.velocity.Z, v.spin.X, v.spin.Y, v.spin.Z, v.steer, v.energy} {
				if sim.Snap(x) != x { // require is slow
					t.Fatalf("seed %d, tick %d: %g is not on the grid", seed, tick, x)
				}
			}
			require.LessOrEqual(t, math.Abs(v.velocity.Z), float64(maxVehicleSpeed))
		}
	}
}

// TestRandomVehiclesComeToRest checks that springs and dampers of random datablocks do not
// oscillate with growing amplitude.
func TestRandomVehiclesComeToRest(t *testing.T) {
	for seed := range testenv.Seeds(t, 15, 60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		w := newWorld(t)
		data := wildData(rng, w.Classes().Lookup("VehicleData"), kinds[seed%3])
		data["elasticity"], data["grip"], data["brake"] = sim.Number(0.3), sim.Number(20), sim.Number(20)
		for _, wheel := range []string{"wheel1", "wheel2", "wheel3", "wheel4", "wheel5", "wheel6"} {
			delete(data, wheel) // keep the wheel positions: random ones do not make a working vehicle
		}
		v := addVehicle(t, w, "wild", data, values{"position": vec(0, 0, 3)})
		highest := 0.0
		for n := range uint64(1500) {
			v.Tick(n)
			if n > 1000 {
				highest = max(highest, v.velocity.Len())
			}
		}
		require.Less(t, highest, 3.0, "seed %d, %v", seed, data)
	}
}

// TestVehicleControlStateIsBitExact checks that a vehicle with the control state and the moves of
// another stays bit-identical to it.
func TestVehicleControlStateIsBitExact(t *testing.T) {
	for seed := range testenv.Seeds(t, 7, 30) {
		rng := rand.New(rand.NewPCG(seed, 6))
		data := with(kindOf(kinds[seed%3]), values{"boost": sim.Number(2), "boostDrain": sim.Number(20), "maxEnergy": sim.Number(2), "rechargeRate": sim.Number(3)})
		here, there := newWorld(t), newWorld(t)
		for _, w := range []*sim.World{here, there} {
			addHills(t, w, float64(seed), 20)
			addBox(t, w, sim.Vec3{X: 10, Y: 10, Z: 5}, sim.Vec3{X: 30, Y: 2, Z: 30})
		}
		v := addVehicle(t, here, "buggy", data, values{"position": vec(0, 0, 20)})
		g := addVehicle(t, there, "buggy", data, values{"position": vec(55, 5, 2), "velocity": vec(1, 2, 3)})
		m := sim.Move{}
		for tick := range 200 {
			if tick%10 == 0 {
				m = wildMove(rng)
			}
			if tick == 60 {
				restore(t, g, state(t, v))
			}
			v.Control(m)
			if tick < 60 {
				g.Control(wildMove(rng))
			} else {
				g.Control(m)
				require.Equal(t, state(t, v), state(t, g), "seed %d, tick %d", seed, tick)
				require.Equal(t, v.Place(), g.Place(), "seed %d, tick %d", seed, tick)
			}
		}
	}
}

// TestVehicleHashIsPinned pins the hash of the final states of drives. A machine that fuses
// products and sums gets another hash.
func TestVehicleHashIsPinned(t *testing.T) {
	h, rng := fnv.New64a(), rand.New(rand.NewPCG(1, 1))
	for n := range 12 {
		w := newWorld(t)
		addHills(t, w, float64(n), 25)
		v := addVehicle(t, w, "buggy", kindOf(kinds[n%3]), values{"position": vec(0, 0, 30)})
		for range 40 {
			runVehicleMove(v, wildMove(rng), 10)
		}
		for _, x := range []float64{v.position.X, v.position.Y, v.position.Z, v.velocity.X, v.velocity.Y, v.velocity.Z, v.spin.X, v.spin.Y} {
			require.NoError(t, binary.Write(h, binary.LittleEndian, x))
		}
	}
	assert.Equal(t, uint64(0x3041d01f9b191605), h.Sum64())
}

func TestBoxesStopVehicles(t *testing.T) {
	for _, kind := range kinds {
		for _, speed := range []float64{5, 60, 200} {
			v := newVehicle(t, with(kindOf(kind), values{"maxSpeed": sim.Number(speed), "maxAcceleration": sim.Number(100)}), values{"position": vec(0, 0, 1)})
			addBox(t, v.World(), sim.Vec3{Y: 300, Z: -5}, sim.Vec3{X: 100, Y: 1, Z: 50})
			for range 500 {
				v.Control(fullAhead)
				require.Less(t, v.position.Y, 300.0, "%s at %g", kind, speed)
			}
			if speed == 5 {
				assert.Zero(t, v.damageLevel, kind)
				continue
			}
			assert.Greater(t, v.damageLevel, 10.0, "%s at %g", kind, speed)
		}
	}
}

func TestVehiclesDriveOnBoxes(t *testing.T) {
	for _, kind := range kinds {
		v := newVehicle(t, kindOf(kind), values{"position": vec(0, 0, 12)})
		addBox(t, v.World(), sim.Vec3{Y: 50, Z: 5}, sim.Vec3{X: 20, Y: 200, Z: 5})
		runVehicleMove(v, fullAhead, 100)
		assert.Greater(t, v.position.Z, 9.5, kind)
		assert.Greater(t, v.position.Y, 20.0, kind)
		runVehicleMove(v, fullAhead, 400)
		if kind != flyingKind {
			assert.Less(t, v.position.Z, 5.0, "%s: beyond its end it falls", kind)
		}
	}
}

func TestVehiclesRamEachOther(t *testing.T) {
	w := newWorld(t)
	data := values{"maxSpeed": sim.Number(30), "minCollisionSpeed": sim.Number(5)}
	a := addVehicle(t, w, "a", data, nil)
	b := addVehicle(t, w, "b", with(data, values{"mass": sim.Number(400)}), values{"position": vec(0, 60, 0)})
	for n := range uint64(60) {
		a.Control(sim.Move{})
		b.Tick(n)
	}
	require.True(t, b.blocks(), "what stands is in the way")
	fastest := 0.0
	for n := range uint64(150) {
		a.Control(fullAhead)
		b.Tick(n)
		fastest = max(fastest, b.velocity.Y)
		require.Less(t, a.position.Y, b.position.Y)
	}
	assert.Greater(t, fastest, 3.0)
	assert.Greater(t, a.damageLevel, 0.0)
	assert.Greater(t, b.damageLevel, 0.0)
	assert.Less(t, a.damageLevel, 60.0, "each time they meet counts once")
}

func TestVehiclesRunPeopleOver(t *testing.T) {
	w := newWorld(t)
	v := addVehicle(t, w, "buggy", values{"collisionDamage": sim.Number(2)}, nil)
	p := addPlayer(t, w, "soldier", values{"maxDamage": sim.Number(1000)}, values{"position": vec(0, 40, 0)})
	runVehicleMove(v, sim.Move{}, 60)
	for range 150 {
		v.Control(fullAhead)
		p.Control(sim.Move{})
	}
	assert.Greater(t, p.damageLevel, 5.0)
	assert.Less(t, p.damageLevel, 100.0, "each time they meet counts once")
	assert.Greater(t, p.position.Y, 45.0, "he is thrown")
	hurt := p.damageLevel
	slow := addVehicle(t, w, "slow", values{"maxSpeed": sim.Number(5)}, values{"position": p.pointAhead(-8)})
	for range 150 {
		slow.Control(fullAhead)
		p.Control(sim.Move{})
	}
	assert.Equal(t, hurt, p.damageLevel, "slow ones push")
}

func TestSeparatingVehiclesDoNotCollide(t *testing.T) {
	w := newWorld(t)
	v := addVehicle(t, w, "buggy", kindOf(hoverKind), values{"position": vec(0, 0, 1), "velocity": vec(0, -15, 0)})
	p := addPlayer(t, w, "soldier", nil, values{"position": vec(0, 2, 1)})
	v.Control(sim.Move{})
	assert.Equal(t, sim.Vec3{}, p.velocity)
	assert.Zero(t, p.damageLevel)
	assert.Less(t, v.velocity.Y, -14.0)
}

// pointAhead returns a point some metres ahead of the player.
func (p *Player) pointAhead(metres float64) sim.Value {
	return vec(p.position.X, p.position.Y+metres, 0)
}

func TestDestroyedVehicleIgnoresMoves(t *testing.T) {
	v := newVehicle(t, kindOf(hoverKind), nil)
	v.applyDamage(nil, 1e4, "")
	runVehicleMove(v, fullAhead, 60)
	assert.Zero(t, v.velocity.Y)
	other := newVehicle(t, kindOf(hoverKind), nil)
	other.SetGhost(true)
	restore(t, other, state(t, v))
	runVehicleMove(other, fullAhead, 60)
	assert.Zero(t, other.velocity.Y, "nor by who predicts it")
}

func TestVehicleTicksAllocateNothing(t *testing.T) {
	for _, kind := range kinds {
		w := newWorld(t)
		addHills(t, w, 1, 20)
		v := addVehicle(t, w, "buggy", kindOf(kind), values{"position": vec(0, 0, 30)})
		runVehicleMove(v, fullAhead, 200)
		w.ClearMarks()
		assert.Zero(t, testing.AllocsPerRun(100, func() { v.Control(fullAhead) }), kind)
	}
}

func BenchmarkVehicle(b *testing.B) {
	for _, kind := range kinds {
		b.Run(kind, func(b *testing.B) {
			w := newWorld(b)
			addHills(b, w, 1, 20)
			v := addVehicle(b, w, "buggy", kindOf(kind), values{"position": vec(0, 0, 30)})
			b.ReportAllocs()
			for b.Loop() {
				v.Control(fullAhead)
			}
		})
	}
}
