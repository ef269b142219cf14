package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRollbackRestoresScope checks that a rollback restores scope settings.
func TestRollbackRestoresScope(t *testing.T) {
	r := newScopeRig(t, newTestSink(100))
	c, a, b, d := r.conn(), r.thing(1, 0), r.thing(2, 0), r.thing(3, 0)
	c.SetScopeView(ScopeView{Distance: 300})
	c.SetScopeGroups(2)
	r.host.SetScopeGroups(a, 2)
	c.ScopeToClient(b)
	r.run(1)
	bound := func() [3]bool { return [3]bool{c.visible.bound(a), c.visible.bound(b), c.visible.bound(d)} }
	view, rule := c.ScopeView(), r.host.scope.rule(a)

	change := r.host.world.Begin()
	c.SetScopeView(ScopeView{Distance: 5})
	c.SetScopeGroups(4)
	r.host.SetScopeGroups(a, 8)
	r.host.SetScopeAlways(a)
	require.NoError(t, r.host.SetScopeWeight(a, 1))
	c.ScopeToClient(a)
	c.ScopeToClient(a)
	c.ScopeToClient(b)
	c.ClearScopeToClient(b)
	c.ClearScopeToClient(d)
	assert.Equal(t, [3]bool{true, false, false}, bound())
	change.Rollback()
	assert.Equal(t, view, c.ScopeView())
	assert.Equal(t, uint64(2), c.ScopeGroups())
	assert.Equal(t, rule, r.host.scope.rule(a))
	assert.Equal(t, [3]bool{false, true, false}, bound())
	r.run(1)
	r.sane()
}
