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

// TestWorkersHaveTheirOwnTables checks that a worker finds its own tables again.
func TestWorkersHaveTheirOwnTables(t *testing.T) {
	im := NewSnapshots()
	table := &im.packetOf(3).encodings
	assert.Same(t, table, &im.packetOf(3).encodings)
	assert.NotSame(t, table, &im.packetOf(4).encodings)
	assert.NotSame(t, im.packetOf(maxWorkers), im.packetOf(maxWorkers), "such a worker keeps nothing")
}

// TestUsualKeysHaveTheirOwnPlaces checks that the usual updates of an object do not replace each
// other in the tables: those without a baseline, and those that are sent in every tick, or in every
// second, fourth or eighth tick.
func TestUsualKeysHaveTheirOwnPlaces(t *testing.T) {
	table := &NewSnapshots().packetOf(0).encodings
	ages := [][2]uint32{{0, 0}, {1, 1}, {2, 2}, {4, 4}, {8, 8}}
	for _, mask := range []uint32{2, 4, 6, 14, 38, 1030} {
		seen := map[uint32]bool{}
		for _, a := range ages {
			seen[placeOf(9, mask, pairOfAges(knownPair(a[1]), a[0]), 10)] = true
		}
		assert.Len(t, seen, len(ages), "mask %d", mask)
	}
	for group := 1; group < 12; group++ {
		seen := map[*groupBits]bool{}
		for _, a := range ages {
			seen[table.placeOfGroup(1, newGroupKey(group, a[0], a[1]))] = true
		}
		assert.Len(t, seen, len(ages), "group %d", group)
	}
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
