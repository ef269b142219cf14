package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

// scene is an object seen by a viewer at the origin. The viewer looks along Y, with a field of view
// of 90 degrees and a range of 1,000 m.
type scene struct {
	class          string
	x, y           float64
	vx, vy         float64
	radius, moves  float64
	weight         float64 // 0 means the default of 0.5
	viewer, ridden bool
}

// TestPriorities checks a table of objects and their priorities.
func TestPriorities(t *testing.T) {
	for _, c := range []struct {
		why        string
		more, less scene
	}{
		{"the viewer's own object before anything", scene{viewer: true}, scene{class: "Shot", y: 5, vy: -100, radius: 5, moves: 1, weight: 1}},
		{"what it is mounted on, too", scene{ridden: true, x: 900, y: -900}, scene{class: "Shot", y: 5, vy: -100, radius: 5, moves: 1, weight: 1}},
		{"a shot at the viewer before a vehicle", scene{class: "Shot", y: 100, vy: -65, radius: 0.2}, scene{class: "Car", y: 100, vy: -10, radius: 2}},
		{"a shot at the viewer before a player", scene{class: "Shot", y: 100, vy: -65, radius: 0.2}, scene{class: "Walker", y: 100, vx: 10, radius: 1}},
		{"also a shot from behind", scene{class: "Shot", y: -80, vy: 65, radius: 0.2}, scene{class: "Loot", y: 80, radius: 0.5}},
		{"a shot at the viewer before one that passes", scene{class: "Shot", y: 100, vy: -65, radius: 0.2}, scene{class: "Shot", y: 100, vx: 65, radius: 0.2}},
		{"a shot at the viewer before one that flies off", scene{class: "Shot", y: 100, vy: -65, radius: 0.2}, scene{class: "Shot", y: 100, vy: 65, radius: 0.2}},
		{"a fast shot before a slow one", scene{class: "Shot", y: 100, vy: -60, radius: 0.2}, scene{class: "Shot", y: 100, vy: -40, radius: 0.2}},
		{"a player before an item", scene{class: "Walker", y: 100, radius: 1}, scene{class: "Loot", y: 100, radius: 1}},
		{"a vehicle before an item", scene{class: "Car", y: 100, radius: 1}, scene{class: "Loot", y: 100, radius: 1}},
		{"a shot that flies off before an item", scene{class: "Shot", y: 100, vy: 65, radius: 1}, scene{class: "Loot", y: 100, radius: 1}},
		{"an item before the rest", scene{class: "Loot", y: 100, radius: 1}, scene{class: "Thing", y: 100, radius: 1}},
		{"near before far", scene{class: "Loot", y: 50, radius: 1}, scene{class: "Loot", y: 500, radius: 1}},
		{"near before far at the same size on the screen", scene{class: "Loot", y: 50, radius: 0.5}, scene{class: "Loot", y: 500, radius: 5}},
		{"near before far at the same size behind", scene{class: "Loot", y: -50, radius: 0.5}, scene{class: "Loot", y: -500, radius: 5}},
		{"in the view before behind", scene{class: "Loot", y: 50, radius: 1}, scene{class: "Loot", y: -50, radius: 1}},
		{"half in the view before beside it", scene{class: "Car", x: 50, y: 47, radius: 5}, scene{class: "Car", x: 50, y: 30, radius: 5}},
		{"large on the screen before small", scene{class: "Thing", y: 100, radius: 10}, scene{class: "Thing", y: 100, radius: 1}},
		{"across the view before along it", scene{class: "Walker", y: 30, vx: 15, radius: 1}, scene{class: "Walker", y: 30, vy: 15, radius: 1}},
		{"across the view before at rest", scene{class: "Walker", y: 30, vx: 15, radius: 1}, scene{class: "Walker", y: 30, radius: 1}},
		{"across near before across far", scene{class: "Walker", y: 30, vx: 15, radius: 1}, scene{class: "Walker", y: 300, vx: 15, radius: 1}},
		{"animated before still", scene{class: "Walker", y: 30, radius: 1, moves: 1}, scene{class: "Walker", y: 30, radius: 1}},
		{"what scripts raise before the same", scene{class: "Loot", y: 300, radius: 1, weight: 0.9}, scene{class: "Loot", y: 300, radius: 1}},
		{"what scripts lower after the same", scene{class: "Loot", y: 300, radius: 1}, scene{class: "Loot", y: 300, radius: 1, weight: 0.1}},
		{"a flag that scripts raise before a near item", scene{class: "Thing", y: 400, radius: 1, weight: 1}, scene{class: "Loot", y: 200, radius: 1}},
		{"what the viewer aims at before a nearer one beside it", scene{class: "Walker", y: 120, radius: 1}, scene{class: "Walker", x: 60, y: 80, radius: 1}},
		{"a far shot at the viewer before a near player", scene{class: "Shot", y: 400, vy: -65, radius: 0.2}, scene{class: "Walker", y: 50, vx: 10, radius: 1}},
		{"a near item in view before a far player behind", scene{class: "Loot", y: 20, radius: 1}, scene{class: "Walker", y: -800, radius: 1}},
	} {
		assert.Greater(t, c.more.weight255(t), c.less.weight255(t), c.why)
	}
	assert.Equal(t, scene{class: "Walker", x: 40, y: 90, radius: 1}.weight255(t), scene{class: "Car", x: 40, y: 90, radius: 1}.weight255(t),
		"a player is as urgent as a vehicle of the same size")
}

func (s scene) weight255(t *testing.T) uint8 {
	r := newScopeRig(t, newTestSink(10))
	viewer := r.viewer(1000)
	if s.class == "" {
		s.class = "Thing"
	}
	o := r.object(s.class, sim.Place{Position: sim.Vec3{X: s.x, Y: s.y}, Velocity: sim.Vec3{X: s.vx, Y: s.vy}, Radius: s.radius}).(*thing)
	o.animation = s.moves
	r.scope.update(o.Number())
	if s.weight != 0 {
		require.NoError(t, r.host.Rules.SetWeight(o, s.weight))
	}
	if s.ridden {
		viewer.mount = o
	}
	if s.viewer {
		o = viewer
	}
	r.run(1)
	return r.conn().Visible.weight(o.Number())
}

// TestFarObjectsWait checks how much rarer the updates of far players are.
func TestFarObjectsWait(t *testing.T) {
	walker := func(y float64) float64 {
		return float64(scene{class: "Walker", x: y / 2, y: y, radius: 1}.weight255(t))
	}
	near := walker(20)
	assert.InDelta(t, 1, near/walker(40), 0.25)
	assert.InDelta(t, 2, near/walker(70), 0.3, "half as often at 80 m")
	assert.InDelta(t, 9, near/walker(300), 3)
	assert.InDelta(t, 1, walker(300)/walker(900), 0.25, "a far one is not forgotten")
}

// TestZoomIsNear checks that a narrow view makes far objects in it urgent, and no others.
func TestZoomIsNear(t *testing.T) {
	r := newScopeRig(t, newTestSink(10))
	r.viewer(1000)
	ahead, behind := r.thing(10, 300), r.thing(10, -300)
	r.run(1)
	v := &r.conn().Visible
	before := [2]uint8{v.weight(ahead.Number()), v.weight(behind.Number())}
	v.SetView(ScopeView{FOV: 15})
	assert.Greater(t, v.weight(ahead.Number()), 3*before[0]/2)
	assert.InDelta(t, before[1], v.weight(behind.Number()), 1, "its size counts more")
}

// TestPriorityBounds checks that a priority is 1…255 for any numbers, and that no term exceeds its
// weight.
func TestPriorityBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	number := func() float64 {
		if rng.IntN(3) == 0 {
			return notNumbers[rng.IntN(len(notNumbers))]
		}
		return rng.NormFloat64() * 1000
	}
	vec := func() sim.Vec3 { return sim.Vec3{X: number(), Y: number(), Z: number()} }
	r := newScopeRig(t, newTestSink(10))
	viewer := r.viewer(1000)
	o := r.thing(0, 0)
	loose := r.object("Score", sim.Place{})
	for range testenv.Length(5000, 20000) {
		viewer.place = sim.Place{Position: vec(), Rotation: sim.Rot{Yaw: number(), Pitch: number(), Roll: number()}}
		o.place = sim.Place{Position: vec(), Velocity: vec(), Radius: number()}
		o.animation = number()
		r.scope.update(viewer.Number())
		r.scope.update(o.Number())
		r.conn().Visible.SetView(ScopeView{Distance: number(), FOV: number(), ViewOnly: rng.IntN(2) == 0})
		r.run(1)
		v := &r.conn().Visible
		b := &r.scope.bodies[o.Number()]
		sum, share := v.camera.urgencyInSight(b)
		require.True(t, share >= leastShare && share <= 1, "%v", share)
		require.True(t, sum >= 0 && sum <= sightTerms*1.0001, "%v", sum)
		require.True(t, b.base >= 0 && b.base <= ownTerms*1.0001, "%v", b.base)
		for _, n := range []uint32{viewer.Number(), o.Number(), loose.Ident().Number()} {
			require.NotZero(t, v.weight(n))
		}
	}
	r.sane()
	v := &r.conn().Visible
	v.camera.on = false
	assert.NotZero(t, v.weight(o.Number()), "without a camera")
	weights := []uint8{9, 9}
	v.weigh([]uint32{0, o.Number()}, weights)
	assert.Zero(t, weights[0], "a hole")
	full := &scopeBody{base: ownTerms}
	assert.LessOrEqual(t, (&camera{}).urgency(full), uint8(mostUrgent))
	for _, w := range []float64{-0.1, 1.1, notNumbers[0], notNumbers[1]} {
		assert.ErrorContains(t, r.host.Rules.SetWeight(o, w), "0…1")
	}
}

// TestPriorityAllocs checks that neither the priority computation nor a step at rest allocates.
func TestPriorityAllocs(t *testing.T) {
	r, numbers := benchScope(t, 4, 5000)
	weights := make([]uint8, len(numbers))
	r.run(50)
	assert.Zero(t, testing.AllocsPerRun(10, func() { r.host.conns[0].Visible.weigh(numbers, weights) }))
	assert.Zero(t, testing.AllocsPerRun(64, func() { r.host.tick++; r.scope.step() }))
}

func BenchmarkWeigh(b *testing.B) {
	r, numbers := benchScope(b, 1, 64000)
	r.run(1)
	weights := make([]uint8, len(numbers))
	b.ReportAllocs()
	for b.Loop() {
		r.host.conns[0].Visible.weigh(numbers, weights)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(numbers)), "ns/object")
}
