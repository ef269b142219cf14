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

// TestScopeFull checks a scope with more objects in range than the ghost table has ids. The most
// important objects get ids, the overflow is logged once, and all objects enter when there is room.
func TestScopeFull(t *testing.T) {
	for seed := range testenv.Seeds(t, 4, 20) {
		d := newTestSink(40)
		d.lag = 3
		r := newScopeRig(t, d)
		r.viewer(1000)
		rng := rand.New(rand.NewPCG(seed, 7))
		var all []*thing
		for range 160 {
			o := r.thing(rng.Float64()*900-450, rng.Float64()*900-450)
			require.NoError(t, r.host.Rules.SetWeight(o, rng.Float64()))
			all = append(all, o)
		}
		r.run(scopeStay + 400)
		r.sane()
		v := &r.conn().Visible
		least, most := 255, 0 // least priority inside the table, highest outside
		for _, o := range all {
			if w := int(v.weight(o.Number())); r.sees(o) {
				least = min(least, w)
			} else {
				most = max(most, w)
			}
		}
		require.Less(t, most, least+crowdMargin, "seed %d", seed)
		require.Len(t, d.in, 40)
		require.Equal(t, 1, r.logged("ghost table is full"))

		churn := sum(d.expels)
		r.run(200)
		require.Equal(t, churn, sum(d.expels), "at rest nothing is displaced any more")

		for _, o := range all[:130] {
			r.delete(o)
		}
		r.run(50)
		require.Len(t, d.in, 31, "there is room again")
		require.False(t, v.evictions.on)
		require.True(t, r.sees(r.thing(1, 1)) || func() bool { r.run(1); return len(d.in) == 32 }(), "and nobody waits")
		r.sane()
	}
}

// TestScopeFullNewcomer checks that an object that becomes important enters within a few ticks of a
// round trip, and that the least important object leaves for it.
func TestScopeFullNewcomer(t *testing.T) {
	d := newTestSink(20)
	d.lag = 3
	r := newScopeRig(t, d)
	viewer := r.viewer(1000)
	var all []*thing
	for i := range 60 {
		all = append(all, r.thing(0, -100-float64(i)))
	}
	r.run(100)
	shot := r.object("Shot", viewer.place)
	shot.(*thing).place.Position.Y = 20
	shot.(*thing).place.Velocity.Y = -65
	r.scope.update(shot.Ident().Number())
	before := sum(d.expels)
	for tick := 0; !r.sees(shot); tick++ {
		r.run(1)
		require.Less(t, tick, scopeInterval+d.lag+2)
	}
	r.run(100)
	assert.Equal(t, 1, sum(d.expels)-before, "one goes for one that comes, however long its id takes to be free")
	assert.True(t, r.sees(shot))
	assert.Equal(t, 1, d.admits[viewer.Number()], "the viewer's own object keeps its place")
	assert.Zero(t, d.expels[viewer.Number()])
	assert.True(t, slices.ContainsFunc(all, func(o *thing) bool { return d.expels[o.Number()] > 0 }))
	r.sane()
}

// TestScopeFullUnasked checks that an object evicts no other before scripts have allowed it to be
// seen, however important it is.
func TestScopeFullUnasked(t *testing.T) {
	d := newTestSink(20)
	r := newScopeRig(t, d)
	r.viewer(1000)
	for i := range 60 {
		require.NoError(t, r.host.Rules.SetWeight(r.thing(0, -100-float64(i)), 0))
	}
	r.run(100)
	require.True(t, r.conn().Visible.evictions.on)
	secret := map[sim.Object]bool{}
	r.scripts.answer = func(o sim.Object, _ *Connection) (bool, bool) { return !secret[o], true }
	r.run(2 * scopeStay)
	var all []*thing
	for range 4 * scopeQuestions { // more than one tick can query
		o := r.thing(0, 20)
		require.NoError(t, r.host.Rules.SetWeight(o, 1))
		secret[o] = true
		all = append(all, o)
	}
	before := sum(d.expels)
	r.run(100)
	assert.Equal(t, before, sum(d.expels), "nobody goes for an object that stays hidden")
	for _, o := range all {
		require.Zero(t, d.admits[o.Number()])
	}
}

// TestScopeFullBounded checks that the work of a tick does not grow with the number of objects
// outside the table.
func TestScopeFullBounded(t *testing.T) {
	d := newTestSink(3000)
	d.lag = 3
	r := newScopeRig(t, d)
	r.viewer(100)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		o := r.thing(rng.Float64()*100-50, rng.Float64()*100-50)
		require.NoError(t, r.host.Rules.SetWeight(o, rng.Float64()))
	}
	r.run(scopeStay)
	for range 100 {
		before := sum(d.expels)
		r.run(1)
		require.LessOrEqual(t, sum(d.expels)-before, crowdSwaps)
		require.LessOrEqual(t, len(r.scope.memories[0].ranking.numbers), crowdWindow)
	}
	r.sane()
}

func sum(counts map[uint32]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestWindow checks that a window visits every element in turn.
func TestWindow(t *testing.T) {
	for _, size := range []int{0, 1, crowdWindow - 1, crowdWindow, crowdWindow + 1, 5*crowdWindow + 3} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			var w scanWindow
			for range 3 {
				at := 100
				for at < 100+size {
					lo, hi := w.take(100, 100+size)
					require.Equal(t, at, lo)
					require.LessOrEqual(t, hi-lo, crowdWindow)
					at = hi
				}
			}
			lo, hi := w.take(0, 0)
			require.True(t, lo == 0 && hi == 0)
		})
	}
}

// TestScopeFullStay checks that an object that has just entered is not evicted.
func TestScopeFullStay(t *testing.T) {
	d := newTestSink(2)
	r := newScopeRig(t, d)
	viewer := r.viewer(1000)
	weak := r.thing(0, -900)
	r.run(1)
	require.True(t, r.sees(viewer) && r.sees(weak))
	strong := r.thing(0, 5)
	for range scopeStay - 1 {
		r.run(1)
		require.True(t, r.sees(weak))
	}
	r.run(scopeInterval)
	assert.True(t, r.sees(viewer) && r.sees(strong))
	assert.False(t, r.sees(weak))
	r.sane()
}
