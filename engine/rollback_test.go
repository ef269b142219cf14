package engine

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// TestRollbackRestoresScope checks that a rollback restores scope settings.
func TestRollbackRestoresScope(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	c, a, b, d := r.conn(), r.thing(1, 0), r.thing(2, 0), r.thing(3, 0)
	c.Visible.SetView(ScopeView{Distance: 300})
	c.Visible.SetGroups(2)
	r.host.Rules.SetGroups(a, 2)
	c.Visible.ToClient(b)
	r.run(1)
	bound := func() [3]bool { return [3]bool{c.Visible.bound(a), c.Visible.bound(b), c.Visible.bound(d)} }
	view, rule := c.Visible.View(), r.host.scope.rule(a)

	change := r.host.world.Begin()
	c.Visible.SetView(ScopeView{Distance: 5})
	c.Visible.SetGroups(4)
	r.host.Rules.SetGroups(a, 8)
	r.host.Rules.SetAlways(a)
	require.NoError(t, r.host.Rules.SetWeight(a, 1))
	c.Visible.ToClient(a)
	c.Visible.ToClient(a)
	c.Visible.ToClient(b)
	c.Visible.ClearToClient(b)
	c.Visible.ClearToClient(d)
	assert.Equal(t, [3]bool{true, false, false}, bound())
	change.Rollback()
	assert.Equal(t, view, c.Visible.View())
	assert.Equal(t, uint64(2), c.Visible.Groups())
	assert.Equal(t, rule, r.host.scope.rule(a))
	assert.Equal(t, [3]bool{false, true, false}, bound())
	r.run(1)
	r.sane()
}

// described lists everything that decides what the connections of a rig see.
func (r *scopeRig) described() string {
	var text strings.Builder
	for n := uint32(1); n <= r.last; n++ {
		b := r.scope.bodies[n]
		fmt.Fprintf(&text, "body %d %+v always %v controller %d\n", n, b, r.scope.always.has(n), r.scope.sources[n].object.Ident().Controller())
	}
	for i, c := range r.host.conns {
		v := &c.Visible
		fmt.Fprintf(&text, "conn %d view %v groups %d object %v control %v camera %+v\n", i, v.view, v.groups, v.Object(), c.Control.Object(), v.camera)
		for n := uint32(1); n <= r.last; n++ {
			fmt.Fprintf(&text, " %d bound %v in %v\n", n, v.toClient.has(n), r.sinks[i].in[n])
		}
	}
	return text.String()
}

// TestRollbackRestoresVisibility walks through each pair of changes of what connections see. After
// a rollback all is as before, and no object has left the scope of a connection for a tick.
func TestRollbackRestoresVisibility(t *testing.T) {
	r := newScopeRig(t, newTestSink(100), newTestSink(100))
	a, b, rules := r.conn(), r.host.conns[1], r.host.Rules
	eye, other := r.viewer(100), r.thing(0, 5000)
	near, far, always, bound, team := r.thing(0, 10), r.thing(900, 0), r.thing(0, 900), r.thing(0, -900), r.thing(0, 20)
	body, second := r.object("Pawn", sim.Place{}), r.object("Pawn", sim.Place{Position: sim.Vec3{X: 9}})
	require.NoError(t, b.Visible.SetObject(other))
	require.NoError(t, a.Control.Set(body))
	rules.SetAlways(always)
	rules.SetGroups(team, 2)
	a.Visible.ToClient(bound)
	a.Visible.SetView(ScopeView{Distance: 100, FOV: 60, ViewOnly: true})
	a.Visible.SetGroups(2)
	must := func(err error) { require.NoError(t, err) }
	changes := []func(){
		func() { rules.SetAlways(far) },
		func() { rules.ClearAlways(always) },
		func() { rules.SetGroups(near, 8) },
		func() { rules.SetGroups(team, 0) },
		func() { must(rules.SetWeight(near, 1)) },
		func() { a.Visible.ToClient(far) },
		func() { a.Visible.ClearToClient(bound) },
		func() { b.Visible.ToClient(near) },
		func() { a.Visible.SetView(ScopeView{Distance: 5, FOV: 20}) },
		func() { b.Visible.SetView(ScopeView{Distance: 2000, ViewOnly: true}) },
		func() { a.Visible.SetGroups(4) },
		func() { b.Visible.SetGroups(2) },
		func() { must(a.Visible.SetObject(other)) },
		func() { must(b.Visible.SetObject(nil)) },
		func() { must(a.Control.Set(second)) },
		func() { must(b.Control.Set(body)) },
		func() { must(a.Control.Set(nil)) },
	}
	r.run(3)
	before, expelled := r.described(), maps.Clone(r.sinks[0].expels)
	require.True(t, r.sees(near) && r.sees(always) && r.sees(bound) && r.sees(team) && r.sees(eye) && !r.sees(far))
	for i, first := range changes {
		for j, then := range changes {
			change := r.host.world.Begin()
			first()
			then()
			first()
			change.Rollback()
			r.run(1)
			require.Equal(t, before, r.described(), "changes %d and %d", i, j)
		}
	}
	assert.Equal(t, expelled, r.sinks[0].expels)
	r.sane()
}
