package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
)

func TestScopeRange(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(100)
	near, edge, beyond := r.thing(50, 0), r.thing(100.9, 0), r.thing(101.1, 0)
	nowhere := r.object("Score", sim.Place{})
	r.run(1)
	assert.True(t, r.sees(viewer))
	assert.True(t, r.sees(near))
	assert.True(t, r.sees(edge), "its sphere is in range")
	assert.False(t, r.sees(beyond))
	assert.True(t, r.sees(nowhere), "what has no place is not far away")
	r.sane()
}

// TestScopeWithoutCamera checks a connection with neither a scope object nor a control object.
func TestScopeWithoutCamera(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	far := r.thing(1e6, 0)
	r.run(1)
	assert.True(t, r.sees(far))
	control := r.object("Pawn", sim.Place{Radius: 1})
	require.NoError(t, r.conn().Control.Set(control))
	r.run(scopeStay + scopeInterval)
	assert.False(t, r.sees(far), "the control object is the scope object")
	scope := r.thing(1e6, 100)
	require.NoError(t, r.conn().Visible.SetObject(scope))
	r.run(1)
	assert.True(t, r.sees(far), "a new scope object is looked from in the tick")
	assert.Equal(t, scope, r.conn().Visible.Object())
	assert.Equal(t, control, r.conn().Control.Object())
}

// TestScopeOscillation checks that an object that goes to and fro at the edge is not deleted and
// created again. Without hysteresis, each turn would do so.
func TestScopeOscillation(t *testing.T) {
	for _, only := range []bool{false, true} {
		r := newScopeRig(t, newTestSink(100))
		r.viewer(100)
		r.conn().Visible.SetView(ScopeView{Distance: 100, FOV: 360, ViewOnly: only})
		o := r.thing(99, 0)
		for i := range 400 {
			r.move(o, [...]float64{99, 112}[i/24%2], 0)
			r.run(1)
		}
		n := o.Number()
		assert.True(t, r.sees(o))
		assert.Equal(t, 1, r.sinks[0].admits[n], "view only %t", only)
		assert.Zero(t, r.sinks[0].expels[n], "view only %t", only)
	}
}

// TestScopeStay checks that an object that has just entered stays for a while and then leaves
// without a change of its own.
func TestScopeStay(t *testing.T) {
	for _, wait := range []int{0, 2} { // with an entry, and without one
		stay(t, wait)
	}
}

// stay checks an object that is made some ticks after the first one of its class.
func stay(t *testing.T, wait int) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	r.thing(1, 0) // scripts are asked about the class
	r.run(wait)
	o := r.thing(90, 0)
	r.run(1)
	require.True(t, r.sees(o))
	require.Equal(t, wait == 0, r.conn().Visible.where(o.Number()) >= 0)
	r.move(o, 500, 0)
	for tick := 1; tick <= scopeStay+scopeInterval; tick++ {
		r.run(1)
		if tick < scopeStay {
			require.True(t, r.sees(o), "tick %d", tick)
		}
	}
	assert.False(t, r.sees(o))
}

// TestScopeOldEntryLeaves checks that an object of any age leaves with the next query: the low bits
// of an old tick are not taken for those of a new one.
func TestScopeOldEntryLeaves(t *testing.T) {
	for age := 256; age < 256+scopeStay; age++ {
		r := newScopeRig(t, newTestSink(100))
		r.viewer(100)
		o := r.thing(50, 0)
		r.run(age - scopeInterval)
		require.True(t, r.sees(o))
		r.move(o, 500, 0)
		r.run(scopeInterval)
		assert.False(t, r.sees(o), "%d ticks", age)
	}
}

// TestScopeIdle checks that an object at rest leaves the scope when the viewer walks away.
func TestScopeIdle(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(100)
	o := r.thing(50, 0)
	r.run(scopeStay)
	for x := 0.0; x < 300; x += 5 {
		r.move(viewer, -x, 0)
		r.run(1)
	}
	assert.False(t, r.sees(o))
}

// TestScopeAtOnce checks that scope changes take effect in their tick, whichever connection's turn
// it is to query.
func TestScopeAtOnce(t *testing.T) {
	for name, act := range map[string]func(r *scopeRig, viewer, near, far *thing) (o sim.Object, in bool){
		"a new object": func(r *scopeRig, _, _, _ *thing) (sim.Object, bool) { return r.thing(10, 0), true },
		"it leaps near": func(r *scopeRig, _, _, far *thing) (sim.Object, bool) {
			r.move(far, 10, 0)
			return far, true
		},
		"it leaps away":        func(r *scopeRig, _, near, _ *thing) (sim.Object, bool) { r.move(near, 500, 0); return near, false },
		"the viewer leaps":     func(r *scopeRig, v, _, far *thing) (sim.Object, bool) { r.move(v, 500, 0); return far, true },
		"the viewer has leapt": func(r *scopeRig, v, near, _ *thing) (sim.Object, bool) { r.move(v, 500, 0); return near, false },
		"groups are set": func(r *scopeRig, _, near, _ *thing) (sim.Object, bool) {
			r.host.Rules.SetGroups(near, 4)
			return near, false
		},
		"always is set": func(r *scopeRig, _, _, far *thing) (sim.Object, bool) { r.host.Rules.SetAlways(far); return far, true },
		"it is bound": func(r *scopeRig, _, _, far *thing) (sim.Object, bool) {
			r.conn().Visible.ToClient(far)
			return far, true
		},
		"another scope object": func(r *scopeRig, _, _, far *thing) (sim.Object, bool) {
			_ = r.conn().Visible.SetObject(far)
			return far, true
		},
		"it is gone": func(r *scopeRig, _, near, _ *thing) (sim.Object, bool) { r.delete(near); return near, false },
		"the view becomes farther": func(r *scopeRig, _, _, far *thing) (sim.Object, bool) {
			r.conn().Visible.SetView(ScopeView{})
			return far, true
		},
	} {
		t.Run(name, func(t *testing.T) {
			for phase := range scopeInterval {
				r := newScopeRig(t, newTestSink(100))
				viewer, near, far := r.viewer(100), r.thing(10, 10), r.thing(500, 0)
				r.run(scopeStay + 1 + phase)
				n := near.Number()
				o, in := act(r, viewer, near, far)
				r.run(1)
				if o == near {
					assert.Equal(t, in, r.sinks[0].in[n], "phase %d", phase)
				} else {
					assert.Equal(t, in, r.sees(o), "phase %d", phase)
				}
				r.sane()
			}
		})
	}
}

// TestScopeStaggered checks that each of many connections queries every eight ticks, and that the
// queries are spread evenly over the ticks.
func TestScopeStaggered(t *testing.T) {
	sinks := make([]*testSink, 32)
	for i := range sinks {
		sinks[i] = newTestSink(10)
	}
	r := newScopeRig(t, sinks...)
	viewer := r.thing(5000, 0)
	viewer.place.Rotation.Yaw = 180
	for _, c := range r.host.conns {
		require.NoError(t, c.Visible.SetObject(viewer))
		c.Visible.SetView(ScopeView{ViewOnly: true})
	}
	r.run(2)
	for tick := range 3 * scopeInterval {
		before := map[*Connection]uint8{}
		for _, c := range r.host.conns {
			before[c] = c.Visible.queries
		}
		r.run(1)
		queries := 0
		for _, c := range r.host.conns {
			queries += int(c.Visible.queries - before[c])
		}
		require.Equal(t, len(sinks)/scopeInterval, queries, "tick %d", tick)
	}
}

// TestDeletedObjectLeavesScope checks that a deleted object leaves every table, also if its number
// is reused.
func TestDeletedObjectLeavesScope(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	nowhere, always, bound, near := r.object("Score", sim.Place{}), r.thing(900, 0), r.thing(900, 9), r.thing(9, 0)
	r.host.Rules.SetAlways(always)
	r.conn().Visible.ToClient(bound)
	r.run(1)
	require.Len(t, r.sinks[0].in, 5)
	for _, o := range []sim.Object{nowhere, always, bound, near} {
		r.delete(o)
	}
	assert.Len(t, r.sinks[0].in, 1)
	r.run(2 * scopeStay)
	assert.Len(t, r.sinks[0].in, 1)
	r.last -= 4
	for range 4 {
		r.thing(5000, 0)
	}
	r.run(2 * scopeStay)
	assert.Len(t, r.sinks[0].in, 1)
	r.sane()
}

// TestScopeObjectDies checks that the view stays in place when the scope object is deleted.
func TestScopeObjectDies(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	viewer := r.viewer(100)
	near, far := r.thing(50, 0), r.thing(500, 0)
	r.run(1)
	r.delete(viewer)
	r.run(3 * scopeStay)
	assert.True(t, r.sees(near))
	assert.False(t, r.sees(far))
	assert.Nil(t, r.conn().Visible.Object())
	require.NoError(t, r.conn().Visible.SetObject(nil))
	r.run(1)
	assert.True(t, r.sees(far), "and without a scope object everything is in range")
	require.ErrorContains(t, r.conn().Visible.SetObject(viewer), "not in this world")
	require.ErrorContains(t, r.conn().Visible.SetObject(r.object("Score", sim.Place{})), "no position")
}

// TestScopeStages checks that a peer that does not play yet receives only the objects that are
// always in scope.
func TestScopeStages(t *testing.T) {
	d := newTestSink(100)
	r := newScopeRig(t, d)
	near, always, bound := r.thing(1, 0), r.thing(1e5, 0), r.thing(1e5, 9)
	r.host.Rules.SetAlways(always)
	r.conn().Visible.ToClient(bound)
	v := &r.conn().Visible
	v.reset()
	clear(d.in)
	r.run(9)
	assert.Empty(t, d.in, "nothing while ghosting is off")
	gone, err := r.host.world.New("Thing", nil)
	require.NoError(t, err)
	r.conn().Visible.ToClient(gone)
	r.run(1)
	assert.Empty(t, v.early, "nor are objects kept that get no number")
	v.begin()
	assert.False(t, v.settled(func(uint32) bool { return true }), "nothing was looked at yet")
	r.run(1)
	late := r.thing(1, 0)
	r.run(1)
	assert.True(t, r.sees(always) && r.sees(bound) && !r.sees(near) && !r.sees(late))
	assert.True(t, v.settled(func(uint32) bool { return true }))
	assert.False(t, v.settled(func(n uint32) bool { return n != always.Number() }))
	v.open()
	r.run(1)
	assert.True(t, r.sees(always) && r.sees(bound) && r.sees(near))
	r.sane()
}

// TestScopeFlood checks that repeated scope changes of the same objects in one tick cost as much as
// one change of each.
func TestScopeFlood(t *testing.T) {
	r := newScopeRig(t, newTestSink(1000))
	viewer := r.viewer(100)
	o, far := r.thing(50, 0), r.thing(900, 0)
	for i := range 200 {
		r.thing(float64(i%20), float64(i/20))
	}
	r.run(scopeStay)
	serial := r.conn().Visible.queries
	for range 10000 {
		r.host.Rules.SetGroups(o, 2)
		r.host.Rules.SetGroups(o, 0)
		r.host.Rules.SetAlways(far)
		r.host.Rules.ClearAlways(far)
		r.conn().Visible.ToClient(far)
		r.conn().Visible.ClearToClient(far)
		r.move(viewer, 1e5, 0)
		r.move(viewer, 0, 0)
	}
	assert.LessOrEqual(t, len(r.scope.changed), 3)
	r.run(1)
	assert.LessOrEqual(t, r.conn().Visible.queries-serial, uint8(1))
	assert.True(t, r.sees(o) && !r.sees(far))
	assert.Equal(t, 1, r.sinks[0].admits[o.Number()])
	for i := range 100 { // a camera that leaps in every tick queries once per tick
		serial = r.conn().Visible.queries
		r.move(viewer, float64(i%2)*1e5, 0)
		r.run(1)
		require.LessOrEqual(t, r.conn().Visible.queries-serial, uint8(1))
	}
	r.move(viewer, 0, 0)
	r.run(scopeStay + scopeInterval)
	assert.True(t, r.sees(o))
	assert.Len(t, r.sinks[0].in, 202)
	r.sane()
}

// TestScopeBirths checks that all connections query when a tick adds more new objects than they
// examine one by one.
func TestScopeBirths(t *testing.T) {
	r := newScopeRig(t, newTestSink(10000))
	r.viewer(100)
	r.run(3)
	near := 0
	for i := range 4 * scopeChanges {
		o := r.thing(float64(i), 0)
		if i <= 101 {
			near++
		}
		_ = o
	}
	r.run(1)
	assert.Len(t, r.sinks[0].in, near+1)
	r.sane()
}

// TestScopeConverges checks that after random changes, when the world rests, every connection has
// exactly the objects that the rules give it.
func TestScopeConverges(t *testing.T) {
	for seed := range testenv.Seeds(t, 12, 60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a, b := rampage(t, seed), rampage(t, seed)
			assert.Equal(t, a, b, "two runs of a seed")
		})
	}
}

// rampage makes random changes for a while, lets the world rest, and compares the scope with the
// rules. It returns the objects in scope over time.
func rampage(t *testing.T, seed uint64) (history []map[uint32]int) {
	r := newScopeRig(t, newTestSink(1000), newTestSink(1000), newTestSink(1000))
	rng := rand.New(rand.NewPCG(seed, 1))
	hidden := map[sim.ID]bool{}
	r.scripts.answer = func(o sim.Object, c *Connection) (bool, bool) {
		return !hidden[o.Ident().ID()], o.Ident().Class().Name == "Loot"
	}
	at := func() float64 { return rng.Float64()*600 - 300 }
	born := func() *thing {
		class := [...]string{"Thing", "Loot", "Car"}[rng.IntN(3)]
		return r.object(class, sim.Place{Position: sim.Vec3{X: at(), Y: at()}, Radius: rng.Float64() * 9}).(*thing)
	}
	var all []*thing
	numbers := map[*thing]uint32{}
	for range 120 {
		o := born()
		all, numbers[o] = append(all, o), o.Number()
	}
	for range 240 {
		o, i := all[rng.IntN(len(all))], rng.IntN(3)
		c := r.host.conns[i]
		switch rng.IntN(14) {
		case 0, 1, 2, 3:
			r.move(o, at(), at())
		case 4:
			require.NoError(t, c.Visible.SetObject(o))
		case 5:
			c.Visible.SetView(ScopeView{Distance: 20 + rng.Float64()*300, FOV: 60 + rng.Float64()*300, ViewOnly: rng.IntN(2) == 0})
		case 6:
			r.host.Rules.SetGroups(o, uint64(rng.IntN(4)))
		case 7:
			c.Visible.SetGroups(uint64(rng.IntN(4)))
		case 8:
			hidden[o.ID()] = !hidden[o.ID()]
		case 9:
			r.host.Rules.setAlways(o, rng.IntN(2) == 0)
		case 10:
			if c.Visible.ToClient(o); rng.IntN(2) == 0 {
				c.Visible.ClearToClient(o)
			}
		case 11:
			o.place.Rotation.Yaw = rng.Float64() * 360
			r.scope.update(o.Number())
		case 12: // the numbers come back with other objects
			at := rng.IntN(len(all) - 3)
			swept := slices.Clone(all[at : at+3])
			r.sweep(swept...)
			r.run(1)
			last := r.last
			for i, o := range swept {
				r.last = numbers[o] - 1
				all[at+i] = born()
				numbers[all[at+i]] = numbers[o]
			}
			r.last = last
		case 13: // the map changes
			c.Visible.reset()
			clear(r.sinks[i].in)
			r.run(rng.IntN(2))
			c.Visible.begin()
			c.Visible.open()
		}
		r.run(rng.IntN(3))
	}
	r.run(4 * scopeStay)
	for i, c := range r.host.conns {
		for _, o := range all {
			n := o.Number()
			visible, asked := r.scripts.answer(o, c)
			must := c.Visible.allows(n, c.Visible.toClient.has(n)) && (visible || !asked || c.Visible.isCamera(n))
			near := c.Visible.toClient.has(n) || c.Visible.reaches(n, false)
			may := near || c.Visible.reaches(n, true)
			if in := r.sinks[i].in[n]; in != (must && near) {
				require.True(t, in && must && may, "seed %d, connection %d, object %d: in scope %v", seed, i, n, in)
			}
		}
		history = append(history, r.sinks[i].admits, r.sinks[i].expels)
	}
	r.sane()
	return history
}
