package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// metreATick is the velocity of one metre per tick.
const metreATick = 31.25

// ghostMotion is a Motion with the place of its object from the last update.
type ghostMotion struct {
	Motion
	rule MotionRule
	now  Place
}

func (f *ghostMotion) update(p Place) { f.updateLate(p, 0) }

func (f *ghostMotion) updateLate(p Place, late float64) {
	before := f.now
	f.now = p
	f.Received(&f.rule, before, p, late)
}

// x runs a tick and returns the shown X coordinate.
func (f *ghostMotion) x() float64 {
	f.Interpolate(&f.rule, f.now)
	return f.Shown(f.now, 0).Position.X
}

// tick is x for a ghost that runs its own ticks if its rule says so.
func (f *ghostMotion) tick() float64 {
	if f.Simulates(&f.rule) {
		f.now.Position = f.now.Position.Add(f.now.Velocity.Mul(TickSeconds))
	}
	return f.x()
}

func (f *ghostMotion) yaw() float64 {
	f.Interpolate(&f.rule, f.now)
	return f.Shown(f.now, 0).Rotation.Yaw
}

func along(x, velocity float64) Place {
	return Place{Position: Vec3{X: x}, Velocity: Vec3{X: velocity}}
}

func facing(yaw float64) Place { return Place{Rotation: Rot{Yaw: yaw}} }

func TestTicksOfAWarp(t *testing.T) {
	shot, rash := MotionRule{WarpTicks: 5}, MotionRule{WarpTicks: -2}
	for _, c := range []struct {
		rule            MotionRule
		distance, speed float64 // metres, metres a tick
		want            int
	}{
		{MotionRule{}, 0, 0.25, 0},
		{MotionRule{}, 0.125, 0.25, 0},
		{MotionRule{}, 0.126, 0.25, 1},
		{MotionRule{}, 0.374, 0.25, 1},
		{MotionRule{}, 0.375, 0.25, 2},
		{MotionRule{}, 0.625, 0.25, 3},
		{MotionRule{}, 20, 0.25, 3},
		{MotionRule{}, 0.01, 0, 3},
		{MotionRule{}, 0.01, 1e-5, 3},
		{MotionRule{}, 0.01, 1e-300, 3},
		{shot, 1.124, 0.25, 4},
		{shot, 1.125, 0.25, 5},
		{shot, 20, 0.25, 5},
		{shot, 20, 0, 5},
		{rash, 20, 0.25, 1},
		{rash, 20, 0, 1},
	} {
		assert.Equal(t, c.want, c.rule.warpDuration(c.distance, c.speed), "%g m at %g m a tick, %d ticks", c.distance, c.speed, c.rule.WarpTicks)
	}
}

// TestWarps checks tables of shown positions, tick by tick. The ghost starts at first and gets an
// update to then after two ticks.
func TestWarps(t *testing.T) {
	for name, c := range map[string]struct {
		rule        MotionRule
		first, then Place
		two         []float64 // the ticks before the update
		after       []float64
	}{
		"what stands takes three ticks": {
			MotionRule{}, along(0, 0), along(3, 0), []float64{0, 0}, []float64{1, 2, 3, 3}},
		"what moves goes on meanwhile": {
			MotionRule{}, along(0, metreATick), along(5, metreATick), []float64{1, 2}, []float64{4, 6, 8, 9}},
		"what is less than half a tick off is there in the next": {
			MotionRule{}, along(0, metreATick), along(2.5, metreATick), []float64{1, 2}, []float64{3.5, 4.5}},
		"one tick": {
			MotionRule{}, along(0, metreATick), along(3, metreATick), []float64{1, 2}, []float64{4, 5}},
		"two ticks": {
			MotionRule{}, along(0, metreATick), along(4, metreATick), []float64{1, 2}, []float64{4, 6, 7}},
		"the mean of both speeds counts": { // 1 m off at 0.5 m a tick
			MotionRule{}, along(0, metreATick), along(1, 0), []float64{1, 2}, []float64{1.5, 1, 1}},
		"back": {
			MotionRule{}, along(0, metreATick), along(-1, metreATick), []float64{1, 2}, []float64{2, 2, 2, 3}},
		"a shot has five": {
			MotionRule{WarpTicks: 5}, along(0, 0), along(10, 0), []float64{0, 0}, []float64{2, 4, 6, 8, 10, 10}},
		"too far to have moved": {
			MotionRule{}, along(0, metreATick), along(32.5, metreATick), []float64{1, 2}, []float64{33.5, 34.5}},
		"just not too far": {
			MotionRule{}, along(0, metreATick), along(32, metreATick), []float64{1, 2}, []float64{13, 24, 35, 36}},
		"its own distance": {
			MotionRule{SnapDistance: 2}, along(0, 0), along(3, 0), []float64{0, 0}, []float64{3, 3}},
		"it is silent from then on": {
			MotionRule{ExtrapolateTicks: 2}, along(0, metreATick), along(2, metreATick), []float64{1, 2}, []float64{3, 4, 4, 4}},
		"it does not guess": {
			MotionRule{ExtrapolateTicks: -1}, along(0, metreATick), along(3, metreATick), []float64{0, 0}, []float64{1, 2, 3, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			f := ghostMotion{rule: c.rule}
			f.update(c.first)
			for i, want := range c.two {
				require.InDelta(t, want, f.x(), 1e-12, "tick %d before the update", i)
			}
			f.update(c.then)
			for i, want := range c.after {
				require.InDelta(t, want, f.x(), 1e-12, "tick %d after the update", i)
			}
		})
	}
}

func TestTurns(t *testing.T) {
	const third = 20.0 / 3
	for name, c := range map[string]struct {
		first, then Place
		after       []float64
	}{
		"by the short side":   {facing(350), facing(10), []float64{-2*third + 10, -third + 10, 10, 10}},
		"and back":            {facing(10), facing(-10), []float64{2*third - 10, third - 10, -10, -10}},
		"too little to see":   {facing(10), facing(10.05), []float64{10.05}},
		"just enough":         {facing(10), facing(10.06), []float64{10.02, 10.04, 10.06}},
		"turned round":        {facing(0), facing(180), []float64{60, 120, 180}},
		"many times around":   {facing(0), facing(3603), []float64{3601, 3602, 3603}},
		"as fast as it moves": {along(1, metreATick), Place{Position: Vec3{X: 3}, Velocity: Vec3{X: metreATick}, Rotation: Rot{Yaw: 9}}, []float64{9, 9}},
		"while it goes straight": {along(1, metreATick), Place{Position: Vec3{X: 1}, Velocity: Vec3{X: metreATick}, Rotation: Rot{Yaw: 9}},
			[]float64{9, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			f := ghostMotion{}
			f.update(c.first)
			f.yaw()
			f.update(c.then)
			for i, want := range c.after {
				require.InDelta(t, 0, wrapDegrees(want-f.yaw()), 1e-9, "tick %d", i)
			}
		})
	}
}

// TestRotationUpdateKeepsPosition checks that an update of only the rotation does not affect the
// position. Extrapolation and warps continue.
func TestRotationUpdateKeepsPosition(t *testing.T) {
	f := ghostMotion{}
	f.update(along(0, metreATick))
	f.x()
	f.update(along(4, metreATick)) // 3 m off
	require.InDelta(t, 3, f.x(), 1e-12)
	turned := f.now
	turned.Rotation.Yaw = 40
	f.update(turned)
	for _, want := range []float64{5, 7, 8, 9} {
		require.InDelta(t, want, f.x(), 1e-12)
	}
}

// TestPositionUpdateKeepsRotation checks that updates of the position do not delay a turn.
func TestPositionUpdateKeepsRotation(t *testing.T) {
	f := ghostMotion{}
	f.update(facing(0))
	f.yaw()
	f.update(facing(30))
	for i, want := range []float64{10, 20, 30, 30} {
		require.InDelta(t, want, f.yaw(), 1e-12)
		p := facing(30)
		p.Position.X = float64(i) / 10
		f.update(p)
	}
}

// TestLateUpdatesDoNotJump: an object moves one metre in a tick. Updates that are late or early,
// also several or none in a tick, do not change that.
func TestLateUpdatesDoNotJump(t *testing.T) {
	for _, predict := range []bool{false, true} {
		f := ghostMotion{rule: MotionRule{Predict: predict}}
		f.update(along(10, metreATick))
		require.InDelta(t, 11, f.tick(), 1e-12)
		for i, delays := range [][]float64{{0}, {1.5}, {}, {}, {3, 2, -1}, {-2.5}, {}, {0}} {
			for _, late := range delays {
				// usually the newest place at the tick i is i+11
				f.updateLate(along(float64(i+11)-late, metreATick), late)
			}
			require.InDelta(t, float64(i+12), f.tick(), 1e-12, "tick %d, predict %v", i, predict)
		}
		f.updateLate(along(50, 0), 2)
		f.now.Position.X = 50
		for range 5 {
			f.Interpolate(&f.rule, f.now)
		}
		assert.Equal(t, 50.0, f.Shown(f.now, 0).Position.X, "an object that stands is where it is")
	}
}

// TestDrivenIsNotLate: a ghost that moves drive is shown at its own place.
func TestDrivenIsNotLate(t *testing.T) {
	f := ghostMotion{rule: MotionRule{Predict: true}}
	f.update(along(0, metreATick))
	f.x()
	f.updateLate(along(1, metreATick), 2)
	for range 4 {
		f.x()
	}
	f.Driven(&f.rule, f.now)
	assert.Equal(t, f.now.Position, f.Shown(f.now, 0).Position)
}

func TestShownBetweenTicks(t *testing.T) {
	f := ghostMotion{}
	assert.Equal(t, along(7, 1), f.Shown(along(7, 1), 0.5), "what was never shown is where it is")
	f.update(Place{Position: Vec3{Z: 10}, Velocity: Vec3{Z: metreATick}, Rotation: Rot{Pitch: 170}, Radius: 3})
	f.Interpolate(&f.rule, f.now)
	assert.Equal(t, Vec3{Z: 11}, f.Shown(f.now, 1).Position, "nothing is before the first tick")
	f.now.Rotation.Pitch = -170
	f.Interpolate(&f.rule, f.now)
	for _, c := range []struct{ back, z, pitch float64 }{
		{0, 12, -170}, {0.25, 11.75, -175}, {0.75, 11.25, -185}, {1, 11, -190},
	} {
		p := f.Shown(f.now, c.back)
		assert.InDelta(t, c.z, p.Position.Z, 1e-12, "%g back", c.back)
		assert.InDelta(t, c.pitch, p.Rotation.Pitch, 1e-9, "%g back", c.back)
		assert.Equal(t, 3.0, p.Radius)
		assert.Equal(t, Vec3{Z: metreATick}, p.Velocity)
	}
	f.update(along(500, 0))
	f.Interpolate(&f.rule, f.now)
	assert.Equal(t, Vec3{X: 500}, f.Shown(f.now, 0.9).Position, "it is not drawn on the way that it did not go")
}

func TestExtrapolationEnds(t *testing.T) {
	for _, c := range []struct {
		ticks int
		want  float64
	}{{0, 30}, {5, 5}, {-1, 0}, {Forever, 100}} {
		f := ghostMotion{rule: MotionRule{ExtrapolateTicks: c.ticks, SnapDistance: 1000}}
		f.update(along(0, metreATick))
		for range 99 {
			f.x()
		}
		assert.InDelta(t, c.want, f.x(), 1e-9, "%d", c.ticks)
	}
	f := ghostMotion{rule: MotionRule{ExtrapolateTicks: Forever}}
	f.update(Place{Velocity: Vec3{X: math.MaxFloat64}})
	for range 99 {
		f.x()
		require.True(t, f.Shown(f.now, 0.5).Position.finite())
	}
	assert.Zero(t, f.x(), "what leads nowhere is not followed")
}

func TestPredictionEnds(t *testing.T) {
	f := ghostMotion{rule: MotionRule{Predict: true, ExtrapolateTicks: 3}}
	for range 2 {
		f.update(f.now)
		var simulated []bool
		for range 5 {
			simulated = append(simulated, f.Simulates(&f.rule))
			f.x()
		}
		assert.Equal(t, []bool{true, true, true, false, false}, simulated)
	}
	assert.False(t, new(Motion).Simulates(&MotionRule{}))
}

// TestPredictedErrors checks that a predicted ghost has its true position at once, and that only
// the shown difference is warped.
func TestPredictedErrors(t *testing.T) {
	f := ghostMotion{rule: MotionRule{Predict: true}}
	var shown []float64
	for tick := range 8 {
		if tick == 4 {
			f.update(along(7, metreATick)) // it is at 4
		}
		f.now.Position.X++
		f.now.Velocity.X = metreATick
		shown = append(shown, f.x())
	}
	assert.Equal(t, []float64{1, 2, 3, 4, 6, 8, 10, 11}, shown)
}

// TestMotionConverges updates ghosts at random times with random places. It checks that there is no
// jump beyond the limit of a warp, no NaN and no infinity. WarpTicks after the last update the
// place must be exact.
func TestMotionConverges(t *testing.T) {
	for seed := range testenv.Seeds(t, 50, 500) {
		rng := rand.New(rand.NewPCG(seed, 3))
		spread := func(most float64) float64 { return (rng.Float64()*2 - 1) * most }
		f := ghostMotion{rule: MotionRule{WarpTicks: rng.IntN(7), ExtrapolateTicks: rng.IntN(12) - 1, SnapDistance: float64(rng.IntN(40))}}
		if seed%5 == 0 {
			f.rule.SnapDistance = math.Inf(1)
		}
		wide := []float64{0.01, 1, 20, 1e5, 1e154, 1e308}[rng.IntN(6)]
		ticks, last := 60+rng.IntN(20), -1
		for tick := range ticks {
			if tick < 50 && (tick == 0 || rng.IntN(1+int(seed%7)) == 0) {
				p := f.now
				if rng.IntN(3) > 0 {
					p.Position, p.Velocity = Vec3{spread(wide), spread(wide), spread(wide)}, Vec3{spread(wide), 0, spread(wide)}
				}
				if rng.IntN(3) > 0 {
					p.Rotation = Rot{spread(400), spread(wide), 0}
				}
				newest := f.Shown(f.now, 0)
				begun := f.begun
				f.update(p)
				if begun && f.begun {
					require.Equal(t, newest.Position, f.Shown(f.now, 0).Position, "seed %d: an update alone moves nothing", seed)
				}
				last = tick
			}
			step(t, &f, seed)
			if tick-last+1 >= f.rule.warpTicks() {
				require.Equal(t, f.truePosition(&f.rule, f.now), f.Shown(f.now, 0).Position, "seed %d tick %d", seed, tick)
				require.Equal(t, f.now.Rotation, f.Shown(f.now, 0).Rotation, "seed %d tick %d", seed, tick)
			}
		}
		end := f.truePosition(&f.rule, f.now)
		n := float64(f.rule.extrapolateTicks())
		if n < 10 && wide < 1e300 {
			require.Equal(t, f.now.Position.Add(f.now.Velocity.Mul(n*TickSeconds)), end, "seed %d: it stands at last", seed)
		}
	}
}

// step runs one tick of f and checks the size of the warp.
func step(t *testing.T, f *ghostMotion, seed uint64) {
	before, fresh := f.Motion, !f.begun
	f.Interpolate(&f.rule, f.now)
	warp := before.offset.Sub(f.offset).Len()
	require.LessOrEqual(t, warp, before.offset.Len()/float64(max(before.warpLeft, 1))*(1+1e-12), "seed %d", seed)
	require.LessOrEqual(t, warp, f.rule.snapDistance()*(1+1e-12), "seed %d", seed)
	require.True(t, f.offset.finite(), "seed %d", seed)
	if before.warpLeft == 0 && !fresh {
		require.Zero(t, f.warpLeft)
	}
	require.LessOrEqual(t, f.warpLeft, f.rule.warpTicks()-1, "seed %d", seed)
	for _, back := range []float64{0, 0.3, 1} {
		p := f.Shown(f.now, back)
		require.True(t, p.Position.finite(), "seed %d: %v", seed, p.Position)
		require.True(t, Vec3{p.Rotation.Yaw, p.Rotation.Pitch, p.Rotation.Roll}.finite(), "seed %d: %v", seed, p.Rotation)
	}
}

// movingObject is interpolated and has a Tick method. stillObject is interpolated and has none.
type (
	stillObject struct {
		NetObject
		shown []uint64
	}
	movingObject struct {
		stillObject
		ticks []uint64
	}
)

func (s *stillObject) Place() Place         { return Place{} }
func (s *stillObject) Received(Place)       {}
func (s *stillObject) Interpolate(n uint64) { s.shown = append(s.shown, n) }
func (s *stillObject) Shown(float64) Place  { return Place{} }
func (m *movingObject) Tick(n uint64)       { m.ticks = append(m.ticks, n) }

func TestGhostsAreInterpolated(t *testing.T) {
	cs := testClasses(t)
	require.NoError(t, cs.Register(Class{Name: "Still", Parent: "NetObject", New: func() Object { return new(stillObject) }}))
	require.NoError(t, cs.Register(Class{Name: "Mover", Parent: "NetObject", New: func() Object { return new(movingObject) }}))
	w := NewWorld(cs)
	add := func(class string, ghost bool) Object {
		o := w.Make(cs.Lookup(class))
		o.Ident().SetGhost(ghost)
		require.NotZero(t, w.Add(o))
		return o
	}
	here, there := add("Mover", false).(*movingObject), add("Mover", true).(*movingObject)
	lies, stands := add("Still", false).(*stillObject), add("Still", true).(*stillObject)
	runs, hangs := add("Thing", false).(*testObject), add("Thing", true).(*testObject)
	w.Tick(5)
	require.NoError(t, w.Delete(stands))
	w.Tick(6)
	w.Sweep()
	w.Tick(7)
	assert.Equal(t, []uint64{5, 6, 7}, here.ticks)
	assert.Empty(t, here.shown)
	assert.Equal(t, []uint64{5, 6, 7}, there.shown)
	assert.Empty(t, there.ticks, "a ghost decides nothing")
	assert.Empty(t, lies.shown)
	assert.Equal(t, []uint64{5}, stands.shown)
	assert.Equal(t, []uint64{5, 6, 7}, runs.ticks)
	assert.Empty(t, hangs.ticks)
}

func TestRulesAreInherited(t *testing.T) {
	cs := NewClasses()
	rule := MotionRule{WarpTicks: 5, Predict: true}
	make := func() Object { return new(stillObject) }
	require.NoError(t, cs.Register(Class{Name: "Shot", Parent: "NetObject", New: make, Motion: rule, Interest: 0.5}))
	require.NoError(t, cs.Register(Class{Name: "Disc", Parent: "Shot", New: make}))
	require.NoError(t, cs.Register(Class{Name: "Mine", Parent: "Shot", New: make, Motion: MotionRule{WarpTicks: 1}, Interest: 0.1}))
	assert.Equal(t, rule, cs.Lookup("Disc").Motion)
	assert.Equal(t, 0.5, cs.Lookup("Disc").Interest)
	assert.Equal(t, MotionRule{WarpTicks: 1}, cs.Lookup("Mine").Motion)
	assert.Equal(t, 0.1, cs.Lookup("Mine").Interest)
	for _, interest := range []float64{-0.1, 1.1, math.NaN()} {
		assert.ErrorContains(t, cs.Register(Class{Name: "Bore", Parent: "NetObject", New: make, Interest: interest}), "Interest must be")
	}
}

func BenchmarkMotion(b *testing.B) {
	f := ghostMotion{}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%3 == 0 {
			f.update(along(float64(n), metreATick))
		}
		f.Interpolate(&f.rule, f.now)
	}
}
