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
