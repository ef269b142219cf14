package ghost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJoinedUpdatesEqualComposedOnes checks every update of a game with loss, hidden groups, and
// groups that change at their own rates, against the general form.
func TestJoinedUpdatesEqualComposedOnes(t *testing.T) {
	f := newFighterWorld(70)
	var all []*testConn
	for i := range 8 {
		all = append(all, f.watch(i, 5+i))
	}
	relative := 0
	for range 60 {
		f.step()
		for _, v := range all {
			v.send()
			for _, it := range v.from.packet.lists[kindUpdate].items {
				if sameAsLong(t, v.from, &it, "tick %d, ghost %d", f.tick, it.id) {
					relative++
				}
			}
		}
	}
	n := waysOf(all)
	assert.Greater(t, relative, 20000)
	assert.Greater(t, n.Copies(), n.Updates()/4)
	assert.Zero(t, n.Composed, "nothing has a reference, and nothing is too long")
}

// TestGhostsWithDifferentBaselinesShare checks that connections share the updates of ghosts whose
// groups arrived with different packets.
func TestGhostsWithDifferentBaselinesShare(t *testing.T) {
	f := newFighterWorld(40)
	var all []*testConn
	for range 10 {
		all = append(all, f.watch(0, 0))
	}
	before := Ways{}
	for tick := range 40 {
		if f.step(); tick == 20 {
			before = waysOf(all)
		}
		for _, v := range all {
			v.send()
		}
	}
	n, split := waysSince(all, before), 0
	for id := range 40 {
		if all[0].from.table.split.has(id) {
			split++
		}
	}
	assert.Greater(t, split, 30)
	assert.Equal(t, 9*n.Filled, n.Copies(), "only the first of ten connections encodes")
}

// TestUpdatesThatShareAnEntry checks that an entry serves only the update that it was made for,
// also when the updates of several objects have the same place.
func TestUpdatesThatShareAnEntry(t *testing.T) {
	f := newFighterWorld(70)
	var all []*testConn
	for i := range 4 {
		all = append(all, f.watch(i, 7+i))
	}
	f.images.packetOf(0)
	table := &f.images.packets[0].encodings
	table.shift = 3
	for range 40 {
		f.step()
		for _, v := range all {
			v.send()
			for _, it := range v.from.packet.lists[kindUpdate].items {
				sameAsLong(t, v.from, &it, "tick %d, ghost %d", f.tick, it.id)
				require.True(t, recorded(&v.from.flight, &it), "tick %d, ghost %d: groups of another update", f.tick, it.id)
			}
		}
	}
	assert.EqualValues(t, 3, table.shift)
	assert.Positive(t, waysOf(all).Joined, "of two ghosts of a word with the same place, one is joined alone")
}

// recorded reports whether a record of the newest packet has the ghost of an item, with its groups.
func recorded(f *flight, it *item) bool {
	for back := range int(f.packets.At(f.packets.Len() - 1).records) {
		if r := f.records.At(f.records.Len() - 1 - back); r.word == it.id>>6 && r.mask == it.mask && r.ids>>(it.id&63)&1 != 0 {
			return true
		}
	}
	return false
}

// TestUpdatesWithTooManyAges checks updates with more baselines than a key has room for, and with
// older ones.
func TestUpdatesWithTooManyAges(t *testing.T) {
	groups := []CellGroup{{}}
	for range 6 {
		groups = append(groups, CellGroup{Cells: smoothCells("x", 16, 1)})
	}
	w := &movingWorld{images: NewSnapshots(), tick: 1}
	w.images.Begin(1)
	w.bodies = []movingObject{{obj: w.images.Add(NewLayout(1, "Wide", groups))}}
	v := newTestConn(w, Config{}, false)
	for tick := uint32(2); tick < 300; tick++ {
		w.images.Begin(tick)
		for group := 1; group <= 6; group++ {
			if tick < 20 || tick%(1<<group) < 2 {
				w.images.Set(w.bodies[0].obj, group, &Values{Cells: []uint64{uint64(tick) * 31}})
			}
		}
		v.send()
		for _, it := range v.from.packet.lists[kindUpdate].items {
			sameAsLong(t, v.from, &it, "tick %d", tick)
		}
	}
	n := v.from.Stats().Ways
	assert.Positive(t, n.Joined)
	assert.Greater(t, n.Looped, n.Joined)
	assert.Zero(t, n.Composed)
}

// TestGroupsInTheTable checks that an entry serves only the group, the object, the baseline and the
// tick that it was made for, also when others have the same place.
func TestGroupsInTheTable(t *testing.T) {
	world := newMovingWorld(80)
	c := newTestConn(world, Config{}, false)
	c.warm(80)
	g, rng := c.from, rand.New(rand.NewPCG(1, 2))
	table := &g.packet.encodings
	table.groups, table.shift = table.groups[:groupParts<<groupShift<<3], 3 // objects share entries
	for range 3000 {
		if rng.IntN(50) == 0 {
			world.step()
			c.send()
		}
		obj, group := world.bodies[rng.IntN(len(world.bodies))].obj, 1+rng.IntN(3)
		since, span := uint32(rng.IntN(20)), uint32(rng.IntN(10))
		if since == 0 || group == 3 {
			since, span = 0, 0
		}
		var u joined
		got, want := *g.bitsOf(&u, obj, group, since, span), groupBits{}
		require.Equal(t, got, *g.bitsOf(new(joined), obj, group, since, span), "found")
		g.encodeGroup(&want, obj, group, since, span)
		require.Equal(t, want, got, "object %d, group %d, baseline %d %d", obj, group, since, span)
	}
}

// TestLongUpdatesAreComposed checks an update with more bits than can be joined, and one of a group
// that has none in the table.
func TestLongUpdatesAreComposed(t *testing.T) {
	r := newGhostRig(t, Config{}, plainLayout(1, 32), mixedLayout(2))
	many, mixed := r.object(r.layouts[1]), r.object(r.layouts[2])
	r.images.Set(mixed, 5, &Values{Raw: []byte{0}, RawBits: 3, RawEnds: []RawEnd{{"n", 3}, {"x", 3}}})
	for _, obj := range []uint32{many, mixed} {
		r.from.Scope(obj)
	}
	r.runUntilIdle(20)
	r.begin()
	for group := 1; group < 32; group++ {
		r.set(many, group, 1)
	}
	r.images.Set(mixed, 3, &Values{Cells: []uint64{0, 1}, Texts: []string{"name"}})
	require.NotNil(t, r.pack())
	n := r.from.Stats().Ways
	assert.EqualValues(t, 1, n.Composed[CauseLong])
	assert.EqualValues(t, 1, n.Composed[CauseReference])
	r.ack(false)
	r.runUntilIdle(20)
}

// TestFewRecordsPerPacket checks that the ghosts of a word with the same groups are in one record,
// although their updates alternate with others.
func TestFewRecordsPerPacket(t *testing.T) {
	f := newFighterWorld(64)
	v := f.watch(0, 0)
	for range 40 {
		f.step()
		v.send()
	}
	masks := map[uint32]bool{}
	for _, it := range v.from.packet.lists[kindUpdate].items {
		masks[it.mask] = true
	}
	flight := &v.from.flight
	assert.LessOrEqual(t, int(flight.packets.At(flight.packets.Len()-1).records), len(masks)+4)
}
