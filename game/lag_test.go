package game

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// TestPositionHistory checks before against recorded positions while bodies move, rest, enter
// and leave.
func TestPositionHistory(t *testing.T) {
	for seed := range testenv.Seeds(t, 10, 40) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		type known struct {
			p   *Player
			was []sim.Vec3 // at the ends of ticks
		}
		var all []*known
		for tick := range 120 {
			if rng.IntN(8) == 0 {
				all = append(all, &known{p: addPlayer(t, w, "soldier", nil, values{"position": vec(rng.Float64()*100, 0, 500)})})
			}
			if n := len(all); n > 0 && rng.IntN(20) == 0 {
				require.NoError(t, w.Delete(all[n-1].p))
				all = all[:n-1]
			}
			for _, k := range all {
				if rng.IntN(3) != 0 { // a position in the air, that a tick would change
					k.p.move(k.p.position.Add(sim.Vec3{X: rng.Float64() * 30}), sim.Vec3{})
					k.p.updateSpace()
				}
			}
			for _, k := range all {
				require.Equal(t, k.p.position, k.p.before(0))
				for lag := 1; lag <= min(historyTicks, len(k.was)); lag++ {
					want := k.was[len(k.was)-lag]
					require.Equal(t, want, k.p.before(lag), "seed %d tick %d lag %d", seed, tick, lag)
				}
				require.Equal(t, k.p.before(historyTicks), k.p.before(historyTicks+1), "seed %d tick %d: beyond the history", seed, tick)
			}
			spaceOf(w).Ticked(0)
			w.Sweep()
			for _, k := range all {
				k.was = append(k.was, k.p.position)
			}
		}
	}
}

// TestLagCompensation lets a shooter with latency aim at a runner where the shooter sees it. The
// shot hits with lagCompensation and misses without.
func TestLagCompensation(t *testing.T) {
	for _, hitscan := range []bool{true, false} {
		for _, c := range []struct {
			allowed, lag int // ms, ticks
			hits         bool
		}{
			{0, 0, true}, {0, 6, false}, {250, 6, true}, {250, 8, true}, {64, 6, false}, {250, 0, true},
		} {
			t.Run(fmt.Sprintf("hitscan=%v allowed=%d lag=%d", hitscan, c.allowed, c.lag), func(t *testing.T) {
				w := newWorld(t)
				makeBlock(t, w, "ProjectileData", "shot", values{"hitscan": sim.Bool(hitscan), "lagCompensation": sim.Number(float64(c.allowed)),
					"directDamage": sim.Number(10), "muzzleVelocity": sim.Number(400), "range": sim.Number(500)})
				makeBlock(t, w, "ShapeBaseImageData", "rifle", values{"projectile": sim.String("shot")})
				shooter := addPlayer(t, w, "shooter", nil, nil)
				runner := addPlayer(t, w, "runner", values{"maxSideSpeed": sim.Number(15)}, values{"position": vec(-20, 10, 0)})
				_, err := callMethod(shooter, "mountImage", sim.String("rifle"))
				require.NoError(t, err)
				shooter.SetLag(c.lag)
				shooter.SetController(1)
				runner.SetController(2)
				var seen []sim.Vec3
				for range 60 {
					seen = append(seen, boxCenter(runner)) // position that the client received, of the tick before
					runner.Control(sim.Move{X: 16})
					shooter.Control(sim.Move{})
					run(w, 1)
				}
				require.InDelta(t, 15, runner.velocity.X, 0.1)
				at := boxCenter(runner)
				if c.lag > 0 {
					at = append(seen, at)[len(seen)+1-c.lag]
				}
				eye, _ := shooter.eye()
				yaw, pitch := sim.Bearing(at.Sub(eye))
				shooter.rotation = sim.Rot{Yaw: sim.Degrees(yaw), Pitch: signedDegrees(pitch)}
				if c.lag == 0 {
					runner.velocity = sim.Vec3{}
				}
				shooter.Control(holding(sim.Move{}, sim.FireTrigger))
				for range 3 {
					if c.lag > 0 {
						runner.Control(sim.Move{X: 16})
					}
					run(w, 1)
				}
				assert.Equal(t, c.hits, runner.damageLevel > 0)
				assert.LessOrEqual(t, runner.damageLevel, 10.0)
			})
		}
	}
}

// TestRewindIsBounded checks that the rewind is at most 250 ms, for any lag of the client.
func TestRewindIsBounded(t *testing.T) {
	for _, c := range []struct{ allowed, lag, want int }{
		{0, 8, 0}, {250, 0, 0}, {250, 8, 8}, {250, 3, 3}, {32, 8, 1}, {33, 8, 2}, {100, 8, 4},
	} {
		d := ProjectileData{lagCompensation: c.allowed}
		assert.Equal(t, c.want, d.rewind(c.lag), "%+v", c)
	}
	var i sim.Identity
	i.SetLag(1000)
	assert.Equal(t, sim.MaxLag, (&ProjectileData{lagCompensation: 250}).rewind(i.Lag()))
}

func TestTrailsAllocateNothing(t *testing.T) {
	w, all := newMovingPlayers(t)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		movePlayers(all)
		spaceOf(w).Ticked(0)
		spaceOf(w).ray(sim.Vec3{Y: -99, Z: 1}, sim.Vec3{Y: 99, Z: 1}, nil, 6)
	}))
}

// newMovingPlayers returns a world with 128 moving players.
func newMovingPlayers(t testing.TB) (*sim.World, []*Player) {
	w := newWorld(t)
	var all []*Player
	for n := range 128 {
		all = append(all, addPlayer(t, w, "soldier", nil, values{"position": vec(float64(n%16)*6-48, float64(n/16)*6-24, 0)}))
	}
	for range 20 {
		movePlayers(all)
		spaceOf(w).Ticked(0)
	}
	return w, all
}

func movePlayers(all []*Player) {
	for _, p := range all {
		p.position.X += 0.25
		if p.position.X > 50 {
			p.position.X = -50
		}
		p.updateSpace()
	}
}

func BenchmarkTrails(b *testing.B) {
	w, all := newMovingPlayers(b)
	b.ReportAllocs()
	for b.Loop() {
		movePlayers(all)
		spaceOf(w).Ticked(0)
	}
}

// BenchmarkRay measures a shot through 128 players, with and without lag.
func BenchmarkRay(b *testing.B) {
	for _, lag := range []int{0, 6} {
		b.Run(fmt.Sprintf("lag=%d", lag), func(b *testing.B) {
			w, _ := newMovingPlayers(b)
			b.ReportAllocs()
			for b.Loop() {
				spaceOf(w).ray(sim.Vec3{X: -99, Y: -99, Z: 1}, sim.Vec3{X: 99, Y: 99, Z: 30}, nil, lag)
			}
		})
	}
}

// TestCastRayIntoThePast casts rays at a runner at the positions of earlier ticks.
func TestCastRayIntoThePast(t *testing.T) {
	w := newWorld(t)
	shooter := addPlayer(t, w, "shooter", nil, values{"position": vec(0, -30, 0)})
	runner := addPlayer(t, w, "runner", values{"maxSideSpeed": sim.Number(15)}, values{"position": vec(-20, 10, 0)})
	runner.SetController(2)
	var was []sim.Vec3 // at the ends of ticks
	for range 60 {
		runner.Control(sim.Move{X: 16})
		run(w, 1)
		was = append(was, runner.position)
	}
	hits := func(ticks int, options ...sim.Value) bool {
		at := was[len(was)-1-ticks]
		got, err := callFunction(w, "castRay", append([]sim.Value{vec(at.X, at.Y-5, 1), vec(at.X, at.Y+5, 1)}, options...)...)
		require.NoError(t, err)
		return len(got) > 0
	}
	none, by := sim.Nil(), sim.Handle(shooter.ID())
	// Two ticks at 15 m/s are 0.96 m, so a ray at the middle of the runner hits at one tick only or
	// at its neighbours.
	for _, c := range []struct {
		ago         sim.Value
		lag, actual int // lag is of the shooter, -1 for none
	}{
		{none, -1, 0}, {sim.Number(0), -1, 0}, {sim.Number(15), -1, 0}, {sim.Number(128), -1, 4},
		{sim.Number(250), -1, 8}, {sim.Number(1e300), -1, 8},
		{none, 0, 0}, {none, 5, 5}, {none, 1000, 8}, {sim.Number(96), 6, 3}, {sim.Number(250), 2, 2}, {sim.Number(0), 6, 0},
	} {
		of := none
		if c.lag >= 0 {
			shooter.SetLag(c.lag)
			of = by
		}
		for ticks := range 12 {
			near := ticks == c.actual
			if far := ticks > c.actual+1 || ticks < c.actual-1; near || far {
				assert.Equal(t, near, hits(ticks, none, c.ago, of), "ago %s, lag %d: %d ticks ago", c.ago.Literal(), c.lag, ticks)
			}
		}
	}

	w.BeginTick(runTick)
	shooter.SetLag(6)
	assert.True(t, hits(5, none, none, by), "a command sees the tick 6 before the one that has begun")
	assert.False(t, hits(7, none, none, by))
	eye, look := shooter.eye()
	got, err := callFunction(w, "castRay", sim.Vec(eye), sim.Vec(eye.Add(look.Mul(0.1))), none, none, by)
	require.NoError(t, err)
	assert.Empty(t, got, "the line ignores the shooter")
	for _, wrong := range []sim.Value{sim.Number(-1), sim.String("x")} {
		_, err = callFunction(w, "castRay", vec(0, 0, 1), vec(0, 9, 1), none, wrong)
		assert.ErrorContains(t, err, "ago must be a number of at least 0")
	}
}
