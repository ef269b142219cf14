package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestConnectionsShareEncodings checks that nearly all bodies are copies. Without loss, all
// connections with the same round-trip time have the same baselines.
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
	before := waysOf(viewers)
	world.step()
	for _, v := range viewers {
		v.send()
	}
	n := waysSince(viewers, before)
	assert.EqualValues(t, 300, n.Filled, "each object is encoded once")
	assert.EqualValues(t, 19*300, n.Copies(), "the update that is encoded is no copy")
	assert.GreaterOrEqual(t, n.Misses, uint64(300))
	assert.Zero(t, n.Composed)
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
	before := waysOf(viewers)
	round()
	n := waysSince(viewers, before)
	assert.Greater(t, n.Looped+n.Joined, uint64(20*190), "nearly all updates are copies")
}

// TestKeysOfEncodings checks that an entry serves only the update that it was made for.
func TestKeysOfEncodings(t *testing.T) {
	im := NewSnapshots()
	table := &im.packetOf(3).encodings
	assert.Same(t, table, &im.packetOf(3).encodings)
	assert.NotSame(t, table, &im.packetOf(4).encodings)
	assert.NotSame(t, im.packetOf(maxWorkers), im.packetOf(maxWorkers), "such a worker keeps nothing")
	k := newUpdateKey(1, 7, 80, 3)
	e := encoding{objectForm: k.objectForm, age: k.age, sent: 50, reach: 2}
	assert.True(t, e.holds(k))
	for _, other := range []updateKey{newUpdateKey(2, 7, 80, 3), newUpdateKey(1, 8, 80, 3), newUpdateKey(1, 7, 88, 3), newUpdateKey(1, 7, 80, 259)} {
		assert.False(t, e.holds(other), "%v", other)
	}
	assert.NotEqual(t, newUpdateKey(1, 7, 80, 3), newUpdateKey(1, 7, 1<<16+80, 3), "values from long ago")
	for sent, serves := range map[uint32]bool{47: false, 48: true, 49: true, 50: true, 51: false} {
		assert.Equal(t, serves, e.serves(sent), "sent at %d", sent)
	}
}

// TestReachOfEncodings checks that an update serves the ghosts that owe the same groups, and no
// others.
func TestReachOfEncodings(t *testing.T) {
	world := newMovingWorld(1)
	c := newTestConn(world, Config{}, false)
	c.warm(12)
	g := c.from
	id := g.table.find(world.bodies[0].obj)
	recent := &world.images.recent[world.bodies[0].obj]
	recent.groups = [recentTicks]uint32{2, 2, 6, 6, 14}
	g.packet.header.usual = 0
	for n, want := range [][2]uint32{{0, 1}, {0, 1}, {2, 1}, {2, 1}, {4, 0}, {5, 0}} {
		g.table.sent[id] = recent.last - 1 - uint32(n)
		newest, before := g.reach(id, &encoding{mask: recent.groups[min(n, recentTicks-1)]})
		assert.Equal(t, want, [2]uint32{recent.last - 1 - newest, uint32(before)}, "%d ticks before", n)
	}
	recent.smooth, recent.light, g.packet.header.usual = 6, 4, 6
	g.table.sent[id] = recent.last - 1
	newest, before := g.reach(id, &encoding{mask: 6, kind: newUpdateKind(0, true)})
	assert.Equal(t, [2]uint32{recent.last - 1, 3}, [2]uint32{newest, uint32(before)}, "groups that are completed to the same")
}

// TestFormsOfPackets checks that packets share encodings only if all that their updates depend on
// is the same.
func TestFormsOfPackets(t *testing.T) {
	var table encodings
	number := func(tick, usual, oldest uint32) uint32 {
		table.begin(packetForm{tick, usual, oldest})
		return table.form
	}
	seen := map[uint32]bool{}
	for _, f := range []packetForm{{5, 6, 60}, {5, 2, 60}, {5, 6, 120}, {6, 6, 60}, {7, 6, 60}, {7, 2, 60}} {
		n := number(f.tick, f.usual, f.oldest)
		assert.False(t, seen[n], "%v", f)
		seen[n] = true
		assert.Equal(t, n, number(f.tick, f.usual, f.oldest), "%v", f)
	}
	first := number(7, 6, 60)
	assert.True(t, seen[first])
	assert.NotEqual(t, first, number(7, 2, 60))
	assert.Len(t, table.forms, 2, "the forms of earlier ticks are forgotten")
}
