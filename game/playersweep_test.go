package game

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// addTerrainAndBoxes adds hills and some boxes to a world.
func addTerrainAndBoxes(t testing.TB, w *sim.World, rng *rand.Rand) {
	_, err := w.New("TerrainBlock", set(t, values{
		"seed": sim.Number(float64(rng.IntN(1000))), "squareSize": sim.Number(6 + spread(rng, 4)), "size": sim.Number(64),
		"height": sim.Number(float64(rng.IntN(120))), "roughness": sim.Number(rng.Float64()), "position": vec(spread(rng, 50), spread(rng, 50), spread(rng, 20)),
	}))
	require.NoError(t, err)
	s := spaceOf(w)
	for range 40 {
		x, y := spread(rng, 60), spread(rng, 60)
		z, _ := s.ground(x, y)
		addBox(t, w, sim.Vec3{X: x, Y: y, Z: z + spread(rng, 3)}, sim.Vec3{X: rng.Float64() * 20, Y: rng.Float64() * 20, Z: rng.Float64() * 6})
	}
}

func spread(rng *rand.Rand, most float64) float64 { return float64((rng.Float64()*2 - 1) * most) }

// depth returns the depth of a player in the block that contains it most deeply. It is less than 0
// outside of all blocks.
func depth(p *Player) float64 {
	s, deepest := spaceOf(p.World()), math.Inf(-1)
	lo, hi := boxOnGround(p.Data().size)
	for i := range s.places {
		if !s.places[i].solid {
			continue
		}
		b := s.places[i].block.expanded(lo, hi)
		at := p.position
		deepest = max(deepest, min(at.X-b.lo.X, b.hi.X-at.X, at.Y-b.lo.Y, b.hi.Y-at.Y, at.Z-b.lo.Z, b.hi.Z-at.Z))
	}
	return deepest
}

// randomMoves generates random moves that each last for a while.
type randomMoves struct {
	rng  *rand.Rand
	move sim.Move
}

func (r *randomMoves) next() sim.Move {
	if r.rng.IntN(12) == 0 {
		r.move = wildMove(r.rng)
		if r.rng.IntN(2) == 0 {
			r.move.Y = sim.MoveFull
		}
	}
	r.move.Yaw, r.move.Pitch = int16(r.rng.IntN(2000)-1000), int16(r.rng.IntN(2000)-1000)
	return r.move
}

// TestPlayersStayOutOfSolids checks that no player gets below the ground or into a box, exceeds its
// maximum speed, or gets a NaN, at any speed and angle.
func TestPlayersStayOutOfSolids(t *testing.T) {
	for seed := range testenv.Seeds(t, 15, 60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		addTerrainAndBoxes(t, w, rng)
		p := addPlayer(t, w, "soldier", values{
			"maxSpeed": sim.Number(20 + rng.Float64()*480), "jetForce": sim.Number(20 + rng.Float64()*100), "maxEnergy": sim.Number(1000),
			"canSki": sim.Bool(rng.IntN(2) == 0), "maxStepHeight": sim.Number(rng.Float64()), "runSurfaceAngle": sim.Number(20 + rng.Float64()*60),
			"size": vec(0.2+rng.Float64()*2, 0.2+rng.Float64()*2, 0.5+rng.Float64()*3),
		}, values{"position": vec(spread(rng, 60), spread(rng, 60), 200)})
		d, bot := p.Data(), randomMoves{rng: rng}
		for tick := range 600 {
			if rng.IntN(60) == 0 {
				p.push(sim.Vec3{}, sim.Vec3{X: spread(rng, 50000), Y: spread(rng, 50000), Z: spread(rng, 50000)})
			}
			was := p.position
			p.Control(bot.next())
			way := math.Hypot(p.position.X-was.X, p.position.Y-was.Y)
			require.LessOrEqual(t, way, d.maxSpeed*sim.TickSeconds+0.002, "seed %d tick %d: too far", seed, tick)
			z, _ := spaceOf(w).ground(p.position.X, p.position.Y)
			require.GreaterOrEqual(t, p.position.Z, z, "seed %d tick %d: under ground", seed, tick)
			require.LessOrEqual(t, depth(p), 0.011, "seed %d tick %d: in a box", seed, tick)
			require.LessOrEqual(t, p.velocity.Len(), d.maxSpeed+0.01, "seed %d tick %d", seed, tick)
			if sim.SnapVec(p.position) != p.position || sim.SnapVec(p.velocity) != p.velocity { // require is slow
				t.Fatalf("seed %d tick %d: not on the grid: %v, %v", seed, tick, p.position, p.velocity)
			}
		}
	}
}

// TestNoMovesMakeAPlayerFaster checks that on flat ground no sequence of moves exceeds the speed of
// legs and jets.
func TestNoMovesMakeAPlayerFaster(t *testing.T) {
	for seed := range testenv.Seeds(t, 15, 60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		p := newPlayer(t, values{
			"maxForwardSpeed": sim.Number(rng.Float64() * 20), "maxBackwardSpeed": sim.Number(rng.Float64() * 20),
			"maxSideSpeed": sim.Number(rng.Float64() * 20), "airControl": sim.Number(rng.Float64()), "runForce": sim.Number(rng.Float64() * 1000),
			"jetForce": sim.Number(rng.Float64() * 100), "maxJetSpeed": sim.Number(rng.Float64() * 30), "jumpSpeed": sim.Number(rng.Float64() * 20),
			"canSki": sim.Bool(rng.IntN(2) == 0), "maxEnergy": sim.Number(100), "rechargeRate": sim.Number(50),
		}, nil)
		d, bot := p.Data(), randomMoves{rng: rng}
		level := max(d.maxForwardSpeed, d.maxBackwardSpeed, d.maxSideSpeed, d.maxJetSpeed)
		for tick := range 1500 {
			m := bot.next()
			if rng.IntN(2) == 0 {
				m.Yaw = int16(rng.IntN(65536) - 32768)
			}
			p.Control(m)
			if speed, up := levelSpeed(p), p.velocity.Z; !(speed <= level+0.01 && up <= max(d.jumpSpeed, d.maxJetSpeed)+0.01) {
				t.Fatalf("seed %d tick %d: %g m/s, and %g m/s upwards", seed, tick, speed, up)
			}
		}
	}
}

// TestRandomPlayerData checks that all numbers stay finite and equal on server and client, for
// random datablocks and moves.
func TestRandomPlayerData(t *testing.T) {
	for seed := range testenv.Seeds(t, 15, 60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		w := newWorld(t)
		addTerrainAndBoxes(t, w, rng)
		data := wildData(rng, w.Classes().Lookup("PlayerData"), "")
		delete(data, "kind")
		p := addPlayer(t, w, "wild", data, values{"position": vec(spread(rng, Extent), spread(rng, Extent), spread(rng, 500))})
		for tick := range 100 {
			p.Control(wildMove(rng))
			for _, x := range []float64{p.position.X, p.position.Y, p.position.Z, p.velocity.X, p.velocity.Y, p.velocity.Z, p.energy} {
				require.LessOrEqual(t, math.Abs(x), 2.0*Extent, "seed %d tick %d", seed, tick)
			}
			bits := state(t, p)
			restore(t, p, bits)
			require.Equal(t, bits, state(t, p), "seed %d tick %d", seed, tick)
		}
	}
}

// TestPlayersStayInClosedRoom checks this for thin walls and high speeds.
func TestPlayersStayInClosedRoom(t *testing.T) {
	for seed := range testenv.Seeds(t, 7, 30) {
		rng := rand.New(rand.NewPCG(seed, 5))
		w := newWorld(t)
		if seed%2 == 0 {
			addHills(t, w, float64(seed), 5)
		}
		const thin, high = 1.0 / 32, 100.0
		for _, wall := range [][2]sim.Vec3{
			{{Z: high}, {X: 30, Y: 30, Z: thin}}, {{Z: high + 20}, {X: 30, Y: 30, Z: thin}},
			{{X: 15, Z: high}, {X: thin, Y: 31, Z: 21}}, {{X: -15, Z: high}, {X: thin, Y: 31, Z: 21}},
			{{Y: 15, Z: high}, {X: 31, Y: thin, Z: 21}}, {{Y: -15, Z: high}, {X: 31, Y: thin, Z: 21}},
		} {
			addBox(t, w, wall[0], wall[1])
		}
		p := addPlayer(t, w, "soldier", values{"maxSpeed": sim.Number(500), "maxEnergy": sim.Number(1000), "jetDrain": sim.Number(1),
			"jetForce": sim.Number(1000), "maxJetSpeed": sim.Number(500)}, values{"position": vec(0, 0, high+1)})
		bot := randomMoves{rng: rng}
		for tick := range 600 {
			if rng.IntN(4) == 0 {
				p.push(sim.Vec3{}, sim.Vec3{X: spread(rng, 90000), Y: spread(rng, 90000), Z: spread(rng, 90000)})
			}
			p.Control(bot.next())
			at := p.position.Sub(sim.Vec3{Z: high + 10})
			require.LessOrEqual(t, max(math.Abs(at.X), math.Abs(at.Y)), 15.0, "seed %d tick %d", seed, tick)
			require.LessOrEqual(t, math.Abs(at.Z), 10.1, "seed %d tick %d", seed, tick)
		}
	}
}

// onSteepGround returns a player on ground steeper than 60 degrees, who looks uphill, with the
// position and the slope.
func onSteepGround(t testing.TB, seed uint64, data values) (p *Player, at, slope sim.Vec3) {
	rng := rand.New(rand.NewPCG(seed, 4))
	w := newWorld(t)
	addHills(t, w, float64(seed), 300)
	slope = sim.Vec3{Z: 1}
	for slope.Z > 0.5 {
		at = sim.Vec3{X: spread(rng, 250), Y: spread(rng, 250)}
		at.Z, slope = spaceOf(w).ground(at.X, at.Y)
	}
	yaw := math.Atan2(slope.X, -slope.Y) * 180 / math.Pi
	return addPlayer(t, w, "soldier", data, values{"position": sim.Vec(at), "rotation": sim.Rotation(sim.Rot{Yaw: yaw})}), at, slope
}

// TestSteepGroundIsNotClimbed checks that neither running nor skiing climbs steep ground, for any
// time and acceleration.
func TestSteepGroundIsNotClimbed(t *testing.T) {
	for seed := range testenv.Seeds(t, 5, 20) {
		for _, m := range []sim.Move{fullAhead, holding(fullAhead, sim.JumpTrigger)} {
			p, at, _ := onSteepGround(t, seed, values{"runSurfaceAngle": sim.Number(20), "jumpSpeed": sim.Number(0), "drag": sim.Number(0),
				"airControl": sim.Number(1), "runForce": sim.Number(100)})
			for tick := range 600 {
				p.Control(m)
				require.LessOrEqual(t, p.position.Z, at.Z+11*11/(2*Gravity), "seed %d tick %d", seed, tick)
			}
		}
	}
}

// TestNoStepOntoSteepGround checks that no step leads from a floor onto ground that is too
// steep.
func TestNoStepOntoSteepGround(t *testing.T) {
	for seed := range testenv.Seeds(t, 5, 20) {
		p, at, slope := onSteepGround(t, seed, values{"maxStepHeight": sim.Number(1), "runSurfaceAngle": sim.Number(20)})
		level := sim.Vec3{X: slope.X, Y: slope.Y}.Normalized()
		floor := at.Add(level.Mul(4))
		if z, _ := spaceOf(p.World()).ground(floor.X, floor.Y); z > floor.Z {
			continue // in the hill
		}
		addBox(t, p.World(), floor, sim.Vec3{X: 6, Y: 6, Z: 0.25})
		top := floor.Z + 0.25
		p.teleport(floor.Add(sim.Vec3{Z: 0.3}), p.rotation)
		for tick := range 100 {
			p.Control(fullAhead)
			if _, n := spaceOf(p.World()).ground(p.position.X, p.position.Y); n.Z > 0.93 {
				break // round the hill
			}
			require.LessOrEqual(t, p.position.Z, top+0.06, "seed %d tick %d", seed, tick)
		}
	}
}
