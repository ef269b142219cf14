package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestScopeRules checks the table at the top of visibility.go for every combination of an object's
// conditions.
func TestScopeRules(t *testing.T) {
	for i := range 1 << 6 {
		has := func(bit int) bool { return i>>bit&1 != 0 }
		near, shared, always, bound, denied, camera := has(0), has(1), has(2), has(3), has(4), has(5)
		r := newScopeRig(t, newTestSink(10))
		r.viewer(100)
		x := 1000.0
		if near {
			x = 10
		}
		o := r.thing(x, 0)
		r.conn().Visible.SetGroups(0b10)
		if groups := uint64(0b100); shared {
			r.host.Rules.SetGroups(o, groups|0b10)
		} else {
			r.host.Rules.SetGroups(o, groups)
		}
		if always {
			r.host.Rules.SetAlways(o)
		}
		if bound {
			r.conn().Visible.ToClient(o)
		}
		if camera {
			require.NoError(t, r.conn().Visible.SetObject(o))
		}
		r.scripts.answer = func(sim.Object, *Connection) (bool, bool) { return !denied, true }
		r.run(1)
		want := camera || !denied && (bound || shared && (always || near))
		assert.Equal(t, want, r.sees(o), "near %v, shared %v, always %v, bound %v, denied %v, camera %v",
			near, shared, always, bound, denied, camera)
	}
}

// TestScopeGroups checks that an object with scope groups is seen only by connections that share
// one, and an object without groups by all.
func TestScopeGroups(t *testing.T) {
	for _, c := range []struct {
		object, client uint64
		in             bool
	}{{0, 0, true}, {0, 5, true}, {1, 0, false}, {1, 1, true}, {6, 3, true}, {6, 9, false}, {1 << 63, 1 << 63, true}} {
		r := newScopeRig(t, newTestSink(10))
		o := r.thing(0, 0)
		r.host.Rules.SetGroups(o, c.object)
		r.conn().Visible.SetGroups(c.client)
		r.run(1)
		assert.Equal(t, c.in, r.sees(o), "object %b, client %b", c.object, c.client)
		assert.Equal(t, c.client, r.conn().Visible.Groups())
	}
}

// TestScopeGroupsBeatStay checks that an object hidden by its groups leaves at once, even if it has
// just entered or no query reaches it any more.
func TestScopeGroupsBeatStay(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(100)
	a, b := r.thing(10, 0), r.thing(20, 0)
	r.run(1)
	require.True(t, r.sees(a) && r.sees(b))
	r.host.Rules.SetGroups(a, 1)
	r.move(viewer, 5000, 0)
	r.host.Rules.SetGroups(b, 1)
	r.run(1)
	assert.False(t, r.sees(a))
	assert.False(t, r.sees(b))
	c := r.thing(5000, 0)
	r.host.Rules.SetGroups(c, 2)
	r.conn().Visible.SetGroups(2)
	r.run(1)
	require.True(t, r.sees(c))
	r.conn().Visible.SetGroups(4)
	r.move(viewer, 0, 0)
	r.run(1)
	assert.False(t, r.sees(c))
	r.sane()
}

// TestScopeEarly checks that rules set for an object before it has a number apply from its first
// tick. Rules for an object that never gets a number are forgotten.
func TestScopeEarly(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	make := func(x float64) *thing {
		o, err := r.host.world.New("Thing", nil)
		require.NoError(t, err)
		o.(*thing).place.Position.X = x
		return o.(*thing)
	}
	always, bound, secret, never := make(900), make(800), make(1), make(2)
	r.host.Rules.SetAlways(always)
	r.conn().Visible.ToClient(bound)
	r.host.Rules.SetGroups(secret, 8)
	r.host.Rules.SetAlways(never)
	for _, o := range []*thing{always, bound, secret} {
		r.last++
		o.SetNumber(r.last)
		r.scope.add(r.last, o)
	}
	r.run(1)
	assert.True(t, r.sees(always) && r.sees(bound) && !r.sees(secret))
	assert.Empty(t, r.scope.pendingRules)
	assert.Empty(t, r.conn().Visible.early)

	// An object of a redeclared class gets another number and keeps its rules.
	r.scope.remove(always.Number())
	r.last++
	always.SetNumber(r.last)
	r.scope.add(r.last, always)
	r.run(1)
	assert.True(t, r.sees(always))
}

// TestScopeRenumbered checks that an object bound to a client stays bound when it gets another
// number.
func TestScopeRenumbered(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	o := r.thing(900, 0)
	r.conn().Visible.ToClient(o)
	r.run(1)
	require.True(t, r.sees(o))
	r.scope.remove(o.Number())
	assert.False(t, r.sees(o))
	r.last++
	o.SetNumber(r.last)
	r.scope.add(r.last, o)
	r.run(1)
	assert.True(t, r.sees(o))
	r.delete(o)
	assert.Empty(t, r.conn().Visible.toClient.list)
	r.run(1)
	r.sane()
}

// TestGhostIsNotScopedToItsSource checks that a ghost is sent to other peers, but not to its
// source.
func TestGhostIsNotScopedToItsSource(t *testing.T) {
	r := newScopeRig(t, newTestSink(10), newTestSink(10))
	o := r.host.world.Make(r.host.world.Classes().Lookup("Thing"))
	o.Ident().SetGhost(true)
	r.host.world.Add(o)
	r.last++
	o.Ident().SetNumber(r.last)
	r.scope.add(r.last, o) // the object is numbered before it is a member
	require.NoError(t, r.conn().Add(o))
	r.host.Rules.SetAlways(o)
	r.conn().Visible.ToClient(o)
	require.NoError(t, r.conn().Visible.SetObject(o))
	r.run(9)
	assert.False(t, r.sinks[0].in[r.last])
	assert.True(t, r.sinks[1].in[r.last])
}

// TestScopeMount checks that a driver sees the vehicle, whatever its length.
func TestScopeMount(t *testing.T) {
	r := newScopeRig(t, newTestSink(10))
	viewer, vehicle := r.viewer(10), r.thing(500, 0)
	r.run(1)
	require.False(t, r.sees(vehicle))
	viewer.mount = vehicle
	r.run(1)
	assert.True(t, r.sees(vehicle))
	assert.EqualValues(t, mostUrgent, r.conn().Visible.weight(vehicle.Number()))
}

// TestScopeView checks that under ViewOnly, objects behind the viewer are out of scope, with a
// margin. They enter when the viewer turns.
func TestScopeView(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(1000)
	r.conn().Visible.SetView(ScopeView{Distance: 1000, FOV: 90, ViewOnly: true})
	ahead, left, behind := r.thing(0, 100), r.thing(-100, 0), r.thing(0, -100)
	margin, beyond := r.thing(-100, 75), r.thing(-100, 50) // 53° and 63° from the view direction
	large := r.object("Thing", sim.Place{Position: sim.Vec3{X: -100, Y: 20}, Radius: 60})
	nowhere := r.object("Score", sim.Place{})
	r.run(1)
	assert.True(t, r.sees(ahead) && r.sees(margin) && r.sees(large) && r.sees(nowhere) && r.sees(viewer))
	assert.False(t, r.sees(left) || r.sees(behind) || r.sees(beyond))
	viewer.place.Rotation.Yaw = 90 // to the left
	r.scope.update(viewer.Number())
	r.run(1)
	assert.True(t, r.sees(left), "who turns queries at once")
	assert.True(t, r.sees(ahead), "what was only just seen stays")
	r.run(scopeStay + scopeInterval)
	assert.False(t, r.sees(ahead))
	viewer.place.Rotation = sim.Rot{Pitch: -90}
	r.scope.update(viewer.Number())
	below := r.object("Thing", sim.Place{Position: sim.Vec3{Z: -100}})
	r.run(1)
	assert.True(t, r.sees(below))
	r.conn().Visible.SetView(ScopeView{FOV: 360, ViewOnly: true})
	r.run(1)
	assert.True(t, r.sees(ahead) && r.sees(left) && r.sees(behind), "360 degrees is everything")
}

// TestScopeViewDefaults checks that any numbers give a valid view.
func TestScopeViewDefaults(t *testing.T) {
	r := newScopeRig(t, newTestSink(10))
	assert.Equal(t, DefaultScopeView, (&Connection{}).Visible.View())
	for _, x := range notNumbers {
		r.conn().Visible.SetView(ScopeView{Distance: x, FOV: x})
		v := r.conn().Visible.View()
		assert.True(t, v.Distance > 0 && v.Distance <= farthestView && v.FOV >= 1 && v.FOV <= 360, "%v gives %v", x, v)
	}
}

// TestScopeViewLeaves checks the hysteresis of a turning view: the angle for leaving the scope is
// larger than the angle for entering it.
func TestScopeViewLeaves(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(1000)
	r.conn().Visible.SetView(ScopeView{Distance: 1000, FOV: 90, ViewOnly: true})
	ahead := r.thing(0, 100)
	turn := func(yaw float64) {
		viewer.place.Rotation.Yaw = yaw
		r.scope.update(viewer.Number())
		r.run(4 * (scopeStay + scopeInterval))
	}
	turn(0)
	require.True(t, r.sees(ahead))
	turn(60)
	assert.True(t, r.sees(ahead))
	beside := r.thing(0, 100)
	turn(60)
	assert.True(t, r.sees(ahead))
	assert.False(t, r.sees(beside))
	turn(70)
	assert.False(t, r.sees(ahead))
	turn(60)
	assert.False(t, r.sees(ahead))
}

// TestScopeViewBehind checks that a sphere close behind the viewer, which does not touch the view,
// stays out. The nearest point of the view is the viewer itself there, at every angle.
func TestScopeViewBehind(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(1000)
	r.conn().Visible.SetView(ScopeView{FOV: 79, ViewOnly: true})
	apart := r.object("Thing", sim.Place{Position: sim.Vec3{Y: -6}, Radius: 5})
	touching := r.object("Thing", sim.Place{Position: sim.Vec3{Y: -6}, Radius: 7})
	r.run(scopeStay + scopeInterval)
	assert.Zero(t, r.sinks[0].admits[apart.Ident().Number()])
	assert.True(t, r.sees(touching))
}

// TestConesNest checks that the margin for leaving the view holds every sphere that the margin for
// entering it holds. Otherwise an object would come and go at each query.
func TestConesNest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		k := camera{look: direction(sim.Rot{Yaw: rng.Float64() * 360, Pitch: rng.Float64()*180 - 90})}
		k.aim(ScopeView{Distance: 100, FOV: 1 + rng.Float64()*359})
		at, radius := point{x: rng.Float32() - 0.5, y: rng.Float32() - 0.5, z: rng.Float32() - 0.5}, rng.Float32()
		require.False(t, k.holds(at, radius, false) && !k.holds(at, radius, true), "%+v, at %v, radius %v", k, at, radius)
	}
}
