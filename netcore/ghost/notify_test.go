package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

// newLateRig returns a rig with objects in scope and their creates in flight. The stream decides
// when it applies a fate.
func newLateRig(t *testing.T, cfg Config, objects int) (r *ghostRig, objs []uint32) {
	r = newGhostRig(t, cfg, box)
	r.late = true
	for range objects {
		objs = append(objs, r.object(box))
		require.True(t, r.from.Scope(objs[len(objs)-1]))
	}
	require.NotNil(t, r.pack())
	return r, objs
}

// TestFatesWaitForPack checks that the work of an ack is done by the worker that packs, not by the
// owner that reads the packet.
func TestFatesWaitForPack(t *testing.T) {
	var acked []uint32
	r, objs := newLateRig(t, Config{Acked: func(obj uint32) { acked = append(acked, obj) }}, 2)
	r.ack(false)
	assert.Empty(t, acked)
	assert.Equal(t, []Status{Creating, Creating}, r.from.table.state[:2])
	r.begin()
	r.pack()
	assert.Equal(t, objs, acked)
	assert.Equal(t, []Status{Live, Live}, r.from.table.state[:2])
}

// TestAnswersKnowTheFates checks the answers that a fate can change: they are right before the next
// packet.
func TestAnswersKnowTheFates(t *testing.T) {
	for name, knows := range map[string]func(g *Stream, obj uint32) bool{
		"Live":     func(g *Stream, obj uint32) bool { return g.Live(obj) },
		"ToWire":   func(g *Stream, obj uint32) bool { return g.ToWire(obj) == 1 },
		"NameOf":   func(g *Stream, obj uint32) bool { return g.NameOf(obj)&netcore.NameMask == 1 },
		"ObjectOf": func(g *Stream, obj uint32) bool { return g.ObjectOf(1) == obj },
	} {
		r, objs := newLateRig(t, Config{}, 1)
		assert.False(t, knows(r.from, objs[0]), "%s: the create is in flight", name)
		r.ack(false)
		assert.True(t, knows(r.from, objs[0]), "%s: the create has arrived", name)
	}
}

// TestScopeFindsTheIDsOfArrivedKills checks that a full table takes a new object as soon as the
// peer has acknowledged a kill.
func TestScopeFindsTheIDsOfArrivedKills(t *testing.T) {
	r, objs := newLateRig(t, Config{Max: 1}, 1)
	r.ack(false)
	r.from.Unscope(objs[0])
	r.begin()
	require.Equal(t, []string{"kill 0 0"}, bodiesOf(r.pack()))
	next := r.object(box)
	assert.False(t, r.from.Scope(next), "the kill is in flight")
	r.ack(false)
	assert.True(t, r.from.Scope(next))
}

// TestFatesMakeTheStreamDue checks that a lost packet is due at once, and that people who look
// apply no fate: a replay of a journal does not look.
func TestFatesMakeTheStreamDue(t *testing.T) {
	r, _ := newLateRig(t, Config{}, 1)
	assert.Greater(t, r.from.Due(r.now), r.now)
	r.ack(true)
	assert.Equal(t, r.now, r.from.Due(r.now))
	r.from.Each(func(int, uint32, Status) {})
	r.from.EachSeen(func(Seen) {})
	r.from.Pending()
	assert.Len(t, r.from.told, 1)
	assert.Equal(t, []string{"create 0 1111"}, bodiesOf(r.pack()))
	assert.Empty(t, r.from.told)
}
