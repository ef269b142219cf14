package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestScopeQuestions checks that scripts are queried when an object comes near, and then at most
// every 16 ticks. Both answers take effect at once.
func TestScopeQuestions(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	o, far := r.thing(50, 0), r.thing(500, 0)
	visible, at := true, []uint64{}
	r.scripts.answer = func(asked sim.Object, _ *Connection) (bool, bool) {
		require.NotSame(t, far, asked, "what is far away is not asked about")
		if asked == o {
			at = append(at, r.host.tick)
		}
		return visible, true
	}
	r.run(1)
	assert.True(t, r.sees(o))
	visible = false
	for r.sees(o) {
		r.run(1)
		require.LessOrEqual(t, r.host.tick, uint64(1+scopeStay+scopeInterval))
	}
	visible = true
	r.run(scopeStay + scopeInterval)
	assert.True(t, r.sees(o))
	r.run(100)
	for i := range at[1:] {
		require.GreaterOrEqual(t, at[i+1]-at[i], uint64(scopeStay))
		require.LessOrEqual(t, at[i+1]-at[i], uint64(scopeStay+scopeInterval))
	}
}

// TestScopeQuestionsAtTheEdge checks that an object that goes to and fro at the edge is not queried
// more often.
func TestScopeQuestionsAtTheEdge(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	o, asked := r.thing(50, 0), 0
	r.scripts.answer = func(q sim.Object, _ *Connection) (bool, bool) {
		if q == o {
			asked++
		}
		return false, true
	}
	for i := range 160 {
		r.move(o, [...]float64{50, 500}[i%2], 0)
		r.run(1)
	}
	assert.False(t, r.sees(o))
	assert.LessOrEqual(t, asked, 1+160/scopeStay)
	assert.Zero(t, r.sinks[0].admits[o.Number()])
}

// TestScopeQueryWithoutHandler checks that a class without scope handlers costs one query in 16
// ticks for all connections together. A new handler takes effect soon.
func TestScopeQueryWithoutHandler(t *testing.T) {
	sinks := make([]*testSink, 16)
	for i := range sinks {
		sinks[i] = newTestSink(1000)
	}
	r := newScopeRig(t, sinks...)
	for i := range 100 {
		r.thing(float64(i), 0)
	}
	r.run(1)
	assert.Len(t, sinks[15].in, 100)
	assert.Equal(t, 1, r.scripts.asked)
	for _, c := range r.host.conns {
		assert.Zero(t, cap(c.Visible.asks), "the memory of the first questions is free")
	}
	r.run(160)
	for _, c := range r.host.conns {
		assert.Zero(t, cap(c.Visible.asks), "no connection has had a question since")
	}
	assert.LessOrEqual(t, r.scripts.asked, 1+160/scopeStay)
	r.scripts.answer = func(sim.Object, *Connection) (bool, bool) { return false, true }
	r.run(scopeStay + scopeInterval + 1 + 1600/scopeQuestions)
	assert.Empty(t, sinks[0].in)
}

// TestScopeQuestionBudget checks the limit of scope queries per tick. An object not yet queried
// stays unknown to the peer. Every object is queried in the end, and no connection waits for
// another.
func TestScopeQuestionBudget(t *testing.T) {
	sinks := []*testSink{newTestSink(10000), newTestSink(10000), newTestSink(10000)}
	r := newScopeRig(t, sinks...)
	inTick := 0
	r.scripts.answer = func(sim.Object, *Connection) (bool, bool) { inTick++; return true, true }
	for i := range 2000 {
		r.thing(float64(i), 0)
	}
	for tick := 1; len(sinks[0].in)+len(sinks[1].in)+len(sinks[2].in) < 6000; tick++ {
		inTick = 0
		r.run(1)
		require.LessOrEqual(t, inTick, scopeQuestions)
		if tick == 8 {
			for i, d := range sinks {
				assert.Greater(t, len(d.in), 8*scopeQuestions/6, "connection %d", i)
			}
		}
		require.Less(t, tick, 100)
	}
	r.scripts.busy = func() bool { return true }
	r.scripts.asked = 0
	late := r.thing(0, 0)
	r.run(5)
	assert.LessOrEqual(t, r.scripts.asked, 5*questionShare, "scripts that have no time are not asked on and on")
	r.scripts.busy = nil
	r.run(50)
	assert.True(t, r.sees(late))
	r.sane()
}

// TestScopeQuestionsReenter checks that scripts can change anything during a scope query.
func TestScopeQuestionsReenter(t *testing.T) {
	r := newScopeRig(t, newTestSink(100), newTestSink(100))
	viewer := r.viewer(100)
	var all []*thing
	for i := range 50 {
		all = append(all, r.thing(float64(i), 0))
	}
	n := 0
	r.scripts.answer = func(o sim.Object, c *Connection) (bool, bool) {
		n++
		switch n % 7 {
		case 0:
			c.Visible.reset()
			clear(c.Visible.sink.(*testSink).in)
			c.Visible.begin()
			c.Visible.open()
		case 1:
			r.host.Rules.SetGroups(o, uint64(n%3))
		case 2:
			all = append(all, r.thing(float64(n%90), 1))
		case 3:
			c.Visible.ToClient(all[n%len(all)])
		case 4:
			_ = c.Visible.SetObject(all[n%len(all)])
		case 5:
			r.move(all[n%len(all)], float64(n*37%1000), 0)
		case 6:
			c.Visible.ClearToClient(all[n%len(all)])
		}
		return n%5 != 0, true
	}
	for range 60 {
		r.run(1)
		r.sane()
	}
	r.scripts.answer = nil
	require.NoError(t, r.conn().Visible.SetObject(viewer))
	r.run(4 * scopeStay)
	assert.True(t, r.sees(viewer))
	r.sane()
}

// TestScopeQuestionTurns checks that connections take turns if a tick has no time for all of them.
func TestScopeQuestionTurns(t *testing.T) {
	sinks := make([]*testSink, 4*scopeQuestions/questionShare)
	for i := range sinks {
		sinks[i] = newTestSink(10000)
	}
	r := newScopeRig(t, sinks...)
	r.scripts.answer = func(sim.Object, *Connection) (bool, bool) { return true, true }
	for range 2000 {
		r.thing(0, 0)
	}
	r.run(len(sinks))
	for i, d := range sinks {
		assert.NotEmpty(t, d.in, "connection %d", i)
	}
}

// TestScopeCompletesAfterQueries checks that a connection's scope is complete only after scripts
// were asked about every object.
func TestScopeCompletesAfterQueries(t *testing.T) {
	r := newScopeRig(t, newTestSink(10000))
	r.scripts.answer = func(o sim.Object, _ *Connection) (bool, bool) { return true, true }
	const things = 3*scopeQuestions + 1
	for range things {
		r.thing(0, 0)
	}
	settled := func() bool { return r.conn().Visible.settled(func(uint32) bool { return true }) }
	assert.False(t, settled())
	for range 3 {
		r.run(1)
		assert.False(t, settled())
	}
	r.run(1)
	assert.True(t, settled())
	assert.Len(t, r.sinks[0].in, things)
	assert.False(t, r.conn().Visible.settled(func(n uint32) bool { return n != 7 }))
}

// TestScopeRulesWhileAsked checks that scope rules set during a query take effect, also for objects
// that the connection already sees.
func TestScopeRulesWhileAsked(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	r.viewer(100)
	seen := r.thing(10, 0)
	r.run(2)
	require.True(t, r.sees(seen))
	r.scripts.answer = func(o sim.Object, _ *Connection) (bool, bool) {
		if o != seen {
			r.scope.setRule(seen, rule{groups: 1})
		}
		return true, true
	}
	r.object("Car", sim.Place{Position: sim.Vec3{X: 20}}) // of a class without a query so far
	r.run(2)
	assert.False(t, r.sees(seen))
}

// TestClassesWithoutObjectsNeedNoAnswer checks that entries of objects that scripts never hide are
// freed, although the newest object of another class, the one that scripts were asked about, is
// gone.
func TestClassesWithoutObjectsNeedNoAnswer(t *testing.T) {
	for name, shots := range map[string]int{"the class is empty": 1, "another one is left": 2} {
		t.Run(name, func(t *testing.T) {
			r := newScopeRig(t, newTestSink(4000))
			var newest sim.Object
			for range shots {
				newest = r.object("Shot", sim.Place{Position: sim.Vec3{X: 5000}})
			}
			r.viewer(1000)
			r.run(4)
			r.delete(newest)
			r.run(2 * scopeStay)
			for i := range 1000 {
				r.thing(float64(i%30), float64(i/30))
			}
			r.run(scopeStay + 2*scopeInterval*scopeTrim)
			require.Equal(t, 1001, r.conn().Visible.in.len())
			require.Empty(t, r.conn().Visible.entries)
			require.Equal(t, shots == 1, r.scope.quiet, "nobody asks about the other shot")
			r.sane()
		})
	}
}
