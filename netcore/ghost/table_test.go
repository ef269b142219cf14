package ghost

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

func TestFullGhostTable(t *testing.T) {
	r := newGhostRig(t, Config{Max: 3}, box)
	objs := r.scopeAll(box, 3)
	extra := r.object(box)
	assert.False(t, r.from.Scope(extra))
	assert.False(t, r.from.Scope(extra))
	assert.True(t, r.from.Scope(objs[0]), "it is there")
	assert.Equal(t, uint64(1), r.from.Stats().Full)
	r.runUntilIdle(3)
	r.from.Unscope(objs[1])
	assert.False(t, r.from.Scope(extra), "the kill is not even sent")
	r.pack()
	assert.False(t, r.from.Scope(extra), "the kill may be lost")
	assert.Equal(t, 3, r.from.Len())
	r.ack(false)
	assert.True(t, r.from.Scope(extra))
	assert.Equal(t, uint64(1), r.from.Stats().Full)
	assert.False(t, r.from.Scope(objs[1]))
	assert.Equal(t, uint64(2), r.from.Stats().Full)
	r.runUntilIdle(3)
	assert.True(t, r.from.Live(extra))
	assert.Equal(t, uint32(2), r.from.ToWire(extra), "the lowest free id is 1")
}

func TestEveryID(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	r.size = 1 << 17
	objs := r.scopeAll(box, Max)
	assert.False(t, r.from.Scope(r.object(box)))
	r.runUntilIdle(40)
	assert.Len(t, r.mirrors, Max)
	assert.Equal(t, uint32(Max), r.from.ToWire(objs[Max-1]))
	r.begin()
	r.changeCell(1, objs[7], objs[Max-1])
	require.Equal(t, []string{"update 65534 10", "update 7 10"}, bodiesOf(r.pack()))
	r.ack(false)
	for _, o := range objs {
		r.from.Unscope(o)
	}
	r.runUntilIdle(40)
	assert.Zero(t, r.from.Len())
}

// TestObjectIndex checks the index against a map under random insertions and removals.
func TestObjectIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	table := table{limit: 500}
	in := map[uint32]int{}
	for range 20000 {
		obj := 1 + rng.Uint32N(900)
		id, known := in[obj]
		if !known {
			id = -1
		}
		require.Equal(t, id, table.find(obj))
		switch {
		case known:
			table.free(id)
			delete(in, obj)
		case len(in) < 500:
			lowest := 0
			for lowest < table.rows() && table.used.has(lowest) {
				lowest++
			}
			var ok bool
			in[obj], ok = table.take(obj)
			require.True(t, ok)
			require.Equal(t, lowest, in[obj])
		default:
			_, ok := table.take(obj)
			require.False(t, ok)
		}
	}
}

// TestResetUnderLoss checks that a reset is announced until it is known to have arrived, and that
// the delivery of packets from before the reset has no effect.
func TestResetUnderLoss(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	objs := r.scopeAll(box, 4)
	r.runUntilIdle(3)
	r.begin()
	r.changeCell(1, objs...)
	require.NotNil(t, r.pack()) // it stays in flight during the reset
	r.from.Reset()
	assert.Zero(t, r.from.Len())
	r.from.Activate(false)
	assert.Zero(t, r.from.Due(0), "the reset is owed")
	require.NotNil(t, r.pack())
	r.ack(true)
	r.ack(true)
	require.NotNil(t, r.pack(), "told again")
	assert.Len(t, r.mirrors, 4)
	r.ack(false)
	assert.Empty(t, r.mirrors)
	require.Nil(t, r.pack())
	assert.Equal(t, netcore.Never, r.from.Due(0))
	r.from.Activate(true)
	r.from.Scope(objs[2])
	r.runUntilIdle(3)
	assert.Equal(t, uint32(1), r.from.ToWire(objs[2]))
}

// TestManyResets checks several resets in a row, with creates of the same ids in each epoch.
func TestManyResets(t *testing.T) {
	for seed := range testenv.Seeds(t, 12, 100) {
		rng := rand.New(rand.NewPCG(seed, 3))
		r := newGhostRig(t, Config{}, box, mixedLayout(6))
		objs := []uint32{r.object(box), r.object(box), r.object(box)}
		for range 60 {
			r.begin()
			r.changeCell(1, objs[rng.IntN(3)])
			r.from.Scope(objs[rng.IntN(3)])
			if rng.IntN(5) == 0 {
				r.from.Reset()
			}
			r.pack()
			for len(r.inFlight) > 0 && rng.IntN(3) > 0 {
				r.ack(rng.IntN(2) == 0)
			}
		}
		for len(r.inFlight) > 0 {
			r.ack(rng.IntN(2) == 0)
		}
		r.runUntilIdle(10)
	}
}

// pointer is a class with a constant reference and a reference that can change.
var pointer = NewLayout(8, "Pointer", []CellGroup{
	{Cells: []Cell{{Field: "owner", Kind: CellRef}}},
	{Cells: []Cell{{Field: "target", Kind: CellRef}}},
})

// target returns the id of the ghost that a reference leads to at the receiver, -1 for none.
func (r *ghostRig) target(obj uint32, group int) int {
	m := r.mirrors[uint16(r.from.ToWire(obj)-1)]
	require.NotNil(r.t, m)
	t := uint32(m.groups[group].Cells[0])
	if o := r.mirrors[uint16(t)]; t == 0 || o == nil || o.token != t {
		return -1
	}
	return int(uint16(t))
}

func TestReferencesWaitForTheirTarget(t *testing.T) {
	r := newGhostRig(t, Config{}, box, pointer)
	to := r.object(box)
	from := r.object(pointer)
	r.images.Set(from, 0, &Values{Cells: []uint64{uint64(to)}})
	r.images.Set(from, 1, &Values{Cells: []uint64{uint64(to)}})
	r.from.Scope(from)
	r.runUntilIdle(3)
	assert.Equal(t, -1, r.target(from, 1), "the target is not there")
	r.from.Scope(to)
	r.begin()
	require.Equal(t, []string{"create 1 1111"}, bodiesOf(r.pack()))
	r.begin()
	require.Nil(t, r.pack(), "nothing is sent before the target is known to be there")
	r.ack(false)
	require.Equal(t, []string{"create 0 11"}, bodiesOf(r.pack()), "both groups, and the constant one only travels with all")
	r.ack(false)
	assert.Equal(t, 1, r.target(from, 0))
	assert.Equal(t, 1, r.target(from, 1))

	r.from.Unscope(to) // killed, and created again under another id
	r.begin()
	r.from.Scope(to)
	r.pack()
	r.ack(false)
	r.runUntilIdle(4)
	assert.Equal(t, uint32(3), r.from.ToWire(to))
	assert.Equal(t, 2, r.target(from, 1))

	r.from.Unscope(to)
	r.runUntilIdle(4)
	r.images.Remove(to)
	assert.Equal(t, -1, r.target(from, 1))
	r.from.Owe(from, 1<<1)
	r.runUntilIdle(4)
	assert.Zero(t, r.mirrors[0].groups[1].Cells[0])
}

// A group that is sent while the create of its target is in flight carries no reference. If the
// create is lost, the peer must not have a reference to a ghost that it does not have.
func TestNoReferenceIsSentBeforeTheCreateIsAcknowledged(t *testing.T) {
	r := newGhostRig(t, Config{}, box, pointer)
	to, from := r.object(box), r.object(pointer)
	r.images.Set(from, 1, &Values{Cells: []uint64{uint64(to)}})
	r.from.Scope(from)
	r.runUntilIdle(3)
	r.from.Scope(to)
	r.begin()
	require.Equal(t, []string{"create 1 1111"}, bodiesOf(r.pack()))
	assert.Zero(t, r.from.ToWire(to), "the create is in flight")
	assert.False(t, r.from.Live(to))
	r.from.Owe(from, 1<<1)
	r.begin()
	require.Equal(t, []string{"update 0 10"}, bodiesOf(r.pack()))
	r.ack(true)
	r.ack(false)
	assert.Zero(t, r.mirrors[0].groups[1].Cells[0], "the create was lost")
	r.runUntilIdle(4)
	assert.Equal(t, 1, r.target(from, 1), "the reference follows the create")
}

func TestNumbersAreReusedAfterTwoPasses(t *testing.T) {
	im := NewSnapshots()
	im.Begin(1)
	a, b := im.Add(box), im.Add(box)
	im.Remove(a)
	assert.Nil(t, im.Layout(a))
	assert.Equal(t, 1, im.Len())
	im.Begin(2)
	assert.Equal(t, b+1, im.Add(box))
	im.Begin(3)
	assert.Equal(t, a, im.Add(box))
	assert.Panics(t, func() { im.Begin(3) })
	assert.Panics(t, func() { im.Set(99, 0, &Values{}) })
	assert.Panics(t, func() { im.Set(a, 1, &Values{Cells: []uint64{256}}) })
}

func TestWithheldGroupsStayPending(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	obj := r.scopeAll(box, 1)[0]
	r.runUntilIdle(3)
	r.begin()
	r.from.Withhold(obj, 1<<1|1<<2)
	r.changeCell(1, obj)
	r.changeCell(2, obj)
	r.changeCell(3, obj)
	require.Equal(t, []string{"update 0 1000"}, bodiesOf(r.pack()))
	r.ack(true)
	r.begin()
	assert.Zero(t, r.from.Due(0))
	require.Equal(t, []string{"update 0 1000"}, bodiesOf(r.pack()))
	r.ack(false)
	r.begin()
	require.Nil(t, r.pack())
	assert.Equal(t, netcore.Never, r.from.Due(0))
	r.from.Withhold(obj, 1<<2)
	require.Equal(t, []string{"update 0 10"}, bodiesOf(r.pack()))
	r.ack(false)
	r.begin()
	r.from.Withhold(obj, 0)
	require.Equal(t, []string{"update 0 100"}, bodiesOf(r.pack()))
	r.ack(false)
	r.runUntilIdle(2)
	r.begin()
	r.from.Owe(obj, 1<<3|1<<30)
	require.Equal(t, []string{"update 0 1000"}, bodiesOf(r.pack()))
	r.ack(false)
	r.from.Withhold(12345, 2)
	r.from.Owe(12345, 2)
}

// TestChangeListsMatchSearch checks that the lists of changed objects find the same ghosts as a
// search of all ghosts. It also covers more ticks than there are lists.
func TestChangeListsMatchSearch(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	objs := r.scopeAll(box, 200)
	r.runUntilIdle(20)
	for _, ticks := range []int{1, 2, keptPasses - 1, keptPasses, keptPasses + 1, 300} {
		r.begin()
		r.changeCell(1, objs[17])
		for range ticks - 1 {
			r.begin()
		}
		r.changeCell(2, objs[99])
		require.Equal(t, []string{"update 17 10", "update 99 100"}, bodiesOf(r.pack()), "after %d ticks", ticks)
		r.ack(false)
	}
	r.requireEqual()
}

// TestUnannouncedResetsCountOnce checks that resets that no packet announced count as one. The
// epoch has only 8 bits, so 256 increments would be invisible.
func TestUnannouncedResetsCountOnce(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	r.scopeAll(box, 2)
	r.runUntilIdle(3)
	for range 256 {
		r.from.Reset()
	}
	require.NotNil(t, r.pack())
	r.ack(false)
	assert.Empty(t, r.mirrors)
	assert.Equal(t, netcore.Never, r.from.Due(0))
}

func TestEqualValuesAreNoChange(t *testing.T) {
	l := mixedLayout(1)
	r := newGhostRig(t, Config{}, l)
	obj := r.object(l)
	rng := rand.New(rand.NewPCG(1, 1))
	for g := range l.Groups {
		r.images.Set(obj, g, randomValues(rng, l, g, r.images.objects[obj].values(g, new(Values)), []uint32{obj}))
	}
	r.from.Scope(obj)
	r.runUntilIdle(4)
	r.begin()
	for g := range l.Groups {
		v := copyValues(r.images.objects[obj].values(g, new(Values)))
		assert.False(t, r.images.Set(obj, g, &v), "group %d", g)
	}
	assert.Equal(t, netcore.Never, r.from.Due(0))
	assert.Nil(t, r.pack())
}

// TestNoObjectHasTwoGhosts checks that the peer never has two ghosts of an object that comes back
// into scope early. The new ghost waits for the kill of the old one, also if the kill is lost.
func TestNoObjectHasTwoGhosts(t *testing.T) {
	p := newPaperReplay(t)
	p.from.Unscope(p.one)
	require.True(t, p.from.Scope(p.one))
	assert.Equal(t, []Status{Dying, Live, Unsent}, p.states())
	require.Equal(t, []string{"kill 0 0"}, bodiesOf(p.pack()))
	p.begin()
	require.Nil(t, p.pack(), "the kill is on its way")
	p.ack(true)
	p.begin()
	require.Equal(t, []string{"kill 0 0"}, bodiesOf(p.pack()))
	p.ack(false)
	p.begin()
	require.Equal(t, []string{"create 2 1111"}, bodiesOf(p.pack()))
	p.ack(false)
	p.requireEqual()

	p.from.Unscope(p.two)
	p.from.Scope(p.two)
	p.from.Unscope(p.two)
	assert.Equal(t, []Status{Dying, Live}, p.states(), "who waited is gone at once")
	p.pack()
	p.ack(false)
	p.from.Scope(p.two)
	p.begin()
	require.Equal(t, []string{"create 0 1111"}, bodiesOf(p.pack()))
}

// TestTableMemory keeps a table of 1,000 Live ghosts within 22 bytes per ghost.
func TestTableMemory(t *testing.T) {
	table := table{limit: Max}
	for obj := range uint32(1000) {
		id, _ := table.take(obj + 1)
		table.owe(id, 7)
		table.live(id, 1, true)
		table.owe(id, 0)
	}
	table.owed.trim()
	table.owed.trim()
	bytes := 4*(cap(table.obj)+cap(table.sent)) + cap(table.state) + 2*cap(table.birth) +
		4*cap(table.known) + int(unsafe.Sizeof(agePlanes{}))*cap(table.ages) + int(unsafe.Sizeof(beatPlanes{}))*cap(table.beats) +
		4*cap(table.smooth) + 2*cap(table.index) + 8*cap(table.owed.pages) + 256*table.owed.held()
	for _, set := range []idSet{
		table.used, table.dirty, table.fresh, table.resting, table.deferred, table.alive, table.simple, table.owing, table.holding, table.resent, table.confirmed, table.split,
		table.newborn[0], table.newborn[1],
	} {
		bytes += 8 * cap(set)
	}
	assert.LessOrEqual(t, bytes, 22*1000)
}
