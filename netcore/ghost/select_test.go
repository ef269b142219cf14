package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// weighBy gives one object weight 255, another weight 100, and all others weight 10.
func weighBy(first, second *uint32) func(objs []uint32, weights []uint8) {
	return func(objs []uint32, weights []uint8) {
		for i, o := range objs {
			switch o {
			case *first:
				weights[i] = 255
			case *second:
				weights[i] = 100
			default:
				weights[i] = 10
			}
		}
	}
}

// TestNewGhostsAreWeighedAtOnce checks that a new ghost is weighed at once, not with the stripe of
// its id.
func TestNewGhostsAreWeighedAtOnce(t *testing.T) {
	l := sized(1, 64)
	var heavy, none uint32
	r := newGhostRig(t, Config{Weigh: weighBy(&heavy, &none)}, l)
	r.scopeAll(l, 1)
	r.runUntilIdle(2) // the stripe of this tick is done
	r.size = 60
	r.scopeAll(l, 60)
	heavy = r.object(l)
	require.True(t, r.from.Scope(heavy))
	require.Contains(t, bodiesOf(r.pack()), "create 61 11")
}

// TestSmallerOnesFitBehindLargeOnes checks that a ghost that does not fit does not end the section.
// A smaller ghost with a lower priority can still fit.
func TestSmallerOnesFitBehindLargeOnes(t *testing.T) {
	large, small := sized(1, 500), sized(2, 20)
	var first, second uint32
	r := newGhostRig(t, Config{Weigh: weighBy(&first, &second)}, large, small)
	first, second = r.object(large), r.object(large)
	third := r.object(small)
	for _, o := range []uint32{first, second, third} {
		r.from.Scope(o)
	}
	r.runUntilIdle(4)
	r.size = 100
	r.begin()
	r.changeCell(1, first, second, third)
	assert.Equal(t, []string{"update 0 10", "update 2 10"}, bodiesOf(r.pack()))
	r.ack(false)
	r.runUntilIdle(4)
}

// TestRemovedObjectsDoNotCountAsChanged checks that an object that changes and is then removed does
// not make another one count as changed.
func TestRemovedObjectsDoNotCountAsChanged(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	r.scopeAll(box, 1)
	other := r.object(box)
	r.runUntilIdle(3)
	r.begin()
	r.changeCell(1, other)
	r.images.Remove(other)
	require.Nil(t, r.pack())
}

// TestMostUrgentGroupDecides checks that the urgency of a ghost is the weight of its most urgent
// pending group.
func TestMostUrgentGroupDecides(t *testing.T) {
	l := NewLayout(1, "Graded", []CellGroup{{}, {Cells: []Cell{{Bits: 30}}}, {Cells: []Cell{{Bits: 30}}, Weight: 10}})
	r := newGhostRig(t, Config{}, l)
	objs := r.scopeAll(l, 40)
	r.runUntilIdle(20)
	r.size = 60
	r.begin()
	r.changeCell(2, objs...)
	r.changeCell(1, objs[30:]...)
	s := r.pack()
	require.NotEmpty(t, s.bodies)
	for i := range s.bodies {
		assert.GreaterOrEqual(t, s.bodies[i].id, uint16(30))
	}
}

// TestInactiveStreamSendsOnlyResets checks that an inactive stream sends nothing but a reset.
func TestInactiveStreamSendsOnlyResets(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	objs := r.scopeAll(box, 2)
	r.runUntilIdle(3)
	r.from.Activate(false)
	r.begin()
	r.changeCell(1, objs...)
	r.from.Unscope(objs[1])
	assert.Equal(t, netcore.Never, r.from.Due(0))
	assert.Nil(t, r.pack())
	r.from.Reset()
	r.from.Scope(objs[0])
	s := r.pack()
	require.NotNil(t, s)
	assert.Empty(t, s.bodies)
	r.ack(false)
	assert.Nil(t, r.pack())
	r.from.Activate(true)
	assert.Zero(t, r.from.Due(0))
	r.runUntilIdle(3)
	assert.Len(t, r.mirrors, 1)
}

// TestLargeGroupsTakeTurns checks that every group of an object is sent in turn if the whole update
// never fits into one packet.
func TestLargeGroupsTakeTurns(t *testing.T) {
	l := sized(1, 500, 500, 500)
	r := newGhostRig(t, Config{}, l)
	obj := r.scopeAll(l, 1)[0]
	r.runUntilIdle(5)
	r.size = 100
	sent := map[uint32]int{}
	for range 2 * maxGroups {
		r.begin()
		for g := 1; g <= 3; g++ {
			r.changeCell(g, obj)
		}
		s := r.pack()
		require.Len(t, s.bodies, 1)
		sent[s.bodies[0].mask]++
		r.ack(false)
	}
	for g := 1; g <= 3; g++ {
		assert.GreaterOrEqual(t, sent[1<<g], 2, "group %d of %v", g, sent)
	}
}

// TestJumpsAreSentWhole checks that a group is sent whole if its residuals would take more bits.
func TestJumpsAreSentWhole(t *testing.T) {
	for _, cells := range []int{1, 3} {
		group := CellGroup{}
		for range cells {
			group.Cells = append(group.Cells, Cell{Field: "at", Bits: 30, Smooth: true})
		}
		l := NewLayout(9, "Line", []CellGroup{{}, group})
		r := newGhostRig(t, Config{}, l)
		obj := r.object(l, nil)
		r.from.Scope(obj)
		for i, jump := range []uint64{1, 6, 11, 1 << 29, 1<<29 + 1} {
			r.begin()
			to := make([]uint64, cells)
			for c := range to {
				to[c] = jump + uint64(c)
			}
			r.set(obj, 1, to...)
			s := r.pack()
			require.Len(t, s.bodies, 1)
			if b := s.bodies[0]; i == 3 {
				assert.Equal(t, 2+30*cells, b.bits(), "a mask, a flag, and the values")
			} else if i < 3 && i > 0 {
				assert.Less(t, b.bits(), 20*cells)
			}
			r.ack(false)
		}
		r.requireEqual()
	}
}

// TestLargeGhostsAskForALargePacket checks that a ghost too large for the packets that the peer
// requested gets a larger packet, and that other ghosts do not wait for it.
func TestLargeGhostsAskForALargePacket(t *testing.T) {
	large, small := sized(1, 900), sized(2, 20)
	r := newGhostRig(t, Config{}, large, small)
	r.size = 60
	r.scopeAll(large, 1)
	r.scopeAll(small, 1)
	require.Equal(t, []string{"create 1 11"}, bodiesOf(r.pack()))
	r.ack(false)
	r.begin()
	require.Nil(t, r.pack())
	assert.Greater(t, r.from.Least(), 900/8)
	assert.LessOrEqual(t, r.from.Least(), 900/8+2+sectionOverhead)
	r.size = r.from.Least()
	require.Equal(t, []string{"create 0 11"}, bodiesOf(r.pack()))
	r.ack(false)
	r.begin()
	require.Nil(t, r.pack())
	assert.Zero(t, r.from.Least())
	r.requireEqual()
}

// TestMasksBecomeTheUsualOne checks when an update carries a light group that has not changed. Ten
// ghosts turn and move, so their mask is the usual one. The tenth stops turning.
func TestMasksBecomeTheUsualOne(t *testing.T) {
	const both, place = 1<<1 | 1<<2, 1 << 1
	narrow := NewLayout(1, "Narrow", []CellGroup{{}, {Cells: smoothCells("at", 18, 3)}, {Cells: smoothCells("yaw", 8, lightCells)}})
	wide := NewLayout(1, "Wide", []CellGroup{{}, {Cells: smoothCells("at", 18, 3)}, {Cells: smoothCells("yaw", 8, lightCells+1)}})
	for _, tt := range []struct {
		name   string
		layout *Layout
		cfg    Config
		held   uint32
		mask   uint32
	}{
		{"a light group", narrow, Config{}, 0, both},
		{"a light group in the general form", narrow, Config{Check: true}, 0, both},
		{"a withheld group", narrow, Config{}, 1 << 2, place},
		{"a group of many cells", wide, Config{}, 0, place},
		{"without baselines", narrow, Config{NoBaselines: true}, 0, place},
	} {
		t.Run(tt.name, func(t *testing.T) {
			images := NewSnapshots()
			images.Begin(1)
			var objects [10]uint32
			for i := range objects {
				objects[i] = images.Add(tt.layout)
			}
			g := New(Config{Snapshots: images, Check: tt.cfg.Check, NoBaselines: tt.cfg.NoBaselines})
			g.Activate(true)
			for _, obj := range objects {
				g.Scope(obj)
			}
			g.Withhold(objects[9], tt.held)
			w := bitstream.NewWriter(make([]byte, 1200))
			for tick := uint32(1); tick < 10; tick++ {
				if tick > 1 {
					images.Begin(tick)
				}
				for i, obj := range objects {
					images.Set(obj, 1, cellsOf(tt.layout, 1, uint64(10*tick)))
					if i < 9 || tick < 5 {
						images.Set(obj, 2, cellsOf(tt.layout, 2, uint64(tick)))
					}
				}
				w.Reset(make([]byte, 1200))
				g.Pack(w, netcore.Outgoing{Seq: netcore.Seq(tick)})
				g.Notify(netcore.Seq(tick), true)
			}
			items := g.packet.lists[kindUpdate].items
			require.Len(t, items, 10)
			for i, it := range items {
				want := uint32(both)
				if i == 9 {
					want = tt.mask
				}
				assert.Equal(t, want, it.mask, "ghost %d", i)
			}
		})
	}
}

// cellsOf returns values of a group, all the same.
func cellsOf(l *Layout, group int, v uint64) *Values {
	values := &Values{}
	for range l.Groups[group].Cells {
		values.Cells = append(values.Cells, v)
	}
	return values
}
