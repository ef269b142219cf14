package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestConnectionsShareEncodings checks that nearly all bodies are copies. Without loss, all connections
// with the same round-trip time have the same baselines.
func TestConnectionsShareEncodings(t *testing.T) {
	world := newMovingWorld(300)
	var viewers []*testConn
	for range 20 {
		viewers = append(viewers, newTestConn(world, Config{}, false))
	}
	for range 20 {
		world.step()
		for _, v := range viewers {
			v.send()
		}
	}
	table := &world.images.packets[0].encodings
	table.used, table.misses = 0, 0
	world.step()
	for _, v := range viewers {
		v.send()
	}
	assert.Greater(t, table.misses, uint64(250), "objects whose groups have one pair of baselines")
	assert.Equal(t, 20*table.misses, table.used, "each body is encoded once")
}

// TestHeldGroupsDoNotKeepOthersFromSharing checks that a connection that keeps groups of one ghost
// back still shares the encodings of all others. Each client of a game keeps its own control object
// back.
func TestHeldGroupsDoNotKeepOthersFromSharing(t *testing.T) {
	world := newMovingWorld(200)
	var viewers []*testConn
	for i := range 20 {
		v := newTestConn(world, Config{}, false)
		v.from.Withhold(world.bodies[i].obj, 1<<1)
		viewers = append(viewers, v)
	}
	round := func() {
		world.step()
		for _, v := range viewers {
			v.send()
		}
	}
	for range 20 {
		round()
	}
	table := &world.images.packets[0].encodings
	table.used = 0
	round()
	assert.Greater(t, table.used, uint64(20*190), "nearly all updates are copies")
}

// TestStampedEncodings checks that an entry serves only the body that it was made for.
func TestStampedEncodings(t *testing.T) {
	im := NewSnapshots()
	table := &im.packetOf(3).encodings
	assert.Same(t, table, &im.packetOf(3).encodings)
	assert.NotSame(t, table, &im.packetOf(4).encodings)
	assert.NotSame(t, im.packetOf(maxWorkers), im.packetOf(maxWorkers), "such a worker keeps nothing")
	place := func(object, tick, mask, since, span uint32) (*encoding, bool) {
		var b wordBodies
		b.wanted[9] = newGroupsAge(mask, since, span)
		missing := table.search(&b, &[64]uint32{9: object}, tick, 1<<9)
		e := &table.entries[b.places[9]]
		*e = encoding{groupsAge: b.wanted[9], objectTick: objectTick(object, tick)}
		return e, missing == 0
	}
	e, ok := place(1, 7, 2, 5, 1)
	assert.False(t, ok)
	again, ok := place(1, 7, 2, 5, 1)
	assert.True(t, ok)
	assert.Same(t, e, again)
	for _, other := range [][5]uint32{{2, 7, 2, 5, 1}, {1, 8, 2, 5, 1}, {1, 7, 4, 5, 1}, {1, 7, 2, 13, 1}, {1, 7, 2, 5, 5}} {
		place(1, 7, 2, 5, 1)
		_, ok := place(other[0], other[1], other[2], other[3], other[4])
		assert.False(t, ok, "%v", other)
	}
}
