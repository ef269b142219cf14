package ghost

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// sized returns a layout with an empty constant group and one group for each size in bits.
func sized(id uint16, bits ...int) *Layout {
	groups := []CellGroup{{}}
	for _, n := range bits {
		var g CellGroup
		for ; n > 0; n -= 32 {
			g.Cells = append(g.Cells, Cell{Field: "f", Bits: min(n, 32)})
		}
		groups = append(groups, g)
	}
	return NewLayout(id, "Sized", groups)
}

// kinds counts the bodies of a packet by kind.
func kinds(s *sentPacket) (n [3]int) {
	for i := range s.bodies {
		n[s.bodies[i].kind]++
	}
	return n
}

// changeCell changes the first cell of a group of some objects.
func (r *ghostRig) changeCell(group int, objs ...uint32) {
	for _, o := range objs {
		v := copyValues(r.images.objects[o].values(group, new(Values)))
		v.Cells[0]++
		r.images.Set(o, group, &v)
	}
}

func (r *ghostRig) scopeAll(l *Layout, n int) (objs []uint32) {
	for range n {
		objs = append(objs, r.object(l))
		require.True(r.t, r.from.Scope(objs[len(objs)-1]))
	}
	return objs
}

func TestKillsBeforeCreatesBeforeUpdates(t *testing.T) {
	l := sized(1, 64)
	r := newGhostRig(t, Config{}, l)
	old := r.scopeAll(l, 60)
	r.runUntilIdle(20)
	r.size = 200
	r.begin()
	for _, o := range old[:10] {
		r.from.Unscope(o)
	}
	fresh := r.scopeAll(l, 40)
	r.changeCell(1, old[10:]...)
	n := kinds(r.pack())
	assert.Equal(t, 10, n[kindKill], "all kills")
	assert.NotZero(t, n[kindCreate])
	assert.NotZero(t, n[kindUpdate])
	room := 8 * r.size
	assert.InDelta(t, room/2, n[kindCreate]*(classBits+64), 150, "creates have half the room")
	assert.Greater(t, n[kindUpdate]*64, room/3, "updates have the rest")
	for _, o := range fresh {
		r.from.Unscope(o)
	}
	r.runUntilIdle(100)
}

// TestCreatesTakeWhatIsLeft checks that creates can use the whole packet if no update waits.
func TestCreatesTakeWhatIsLeft(t *testing.T) {
	l := sized(1, 64)
	r := newGhostRig(t, Config{}, l)
	r.size = 200
	r.scopeAll(l, 100)
	assert.Greater(t, kinds(r.pack())[kindCreate]*(classBits+64), 8*r.size*8/10)
	r.runUntilIdle(100)
}

// TestLargeCreatesAreNotStarved checks that a create larger than its share can use the whole room
// in every second packet, so that updates do not delay it forever.
func TestLargeCreatesAreNotStarved(t *testing.T) {
	small, large := sized(1, 64), sized(2, 900)
	r := newGhostRig(t, Config{}, small, large)
	objs := r.scopeAll(small, 50)
	r.runUntilIdle(20)
	r.size = 150
	big := r.scopeAll(large, 1)[0]
	for range 3 {
		r.begin()
		r.changeCell(1, objs...)
		r.pack()
		r.ack(false)
	}
	assert.True(t, r.from.Live(big))
}

// TestLargerThanTheShare checks that creates larger than half of a long packet do not count as too
// large for any packet while updates wait: each goes into a packet that has the whole room for it.
func TestLargerThanTheShare(t *testing.T) {
	small, large := sized(1, 64), sized(2, 9600)
	r := newGhostRig(t, Config{}, small, large)
	objs := r.scopeAll(small, 50)
	r.runUntilIdle(20)
	r.size = 1400
	big := r.scopeAll(large, 2)
	for range 8 {
		r.begin()
		r.changeCell(1, objs...)
		require.NotNil(t, r.pack())
		r.ack(false)
	}
	assert.Zero(t, r.from.Stats().TooLarge)
	assert.True(t, r.from.Live(big[0]) && r.from.Live(big[1]))
}

// TestTooLarge checks that an object too large for any packet neither stops other ghosts nor makes
// the connection send all the time. An update that is too large is sent group by group.
func TestTooLarge(t *testing.T) {
	small, large, wide := sized(1, 64), sized(2, 9600), sized(3, 500, 500, 500)
	r := newGhostRig(t, Config{}, small, large, wide)
	w := r.scopeAll(wide, 1)[0]
	r.runUntilIdle(5)
	r.size = 100
	r.begin()
	r.changeCell(1, w)
	r.changeCell(2, w)
	r.changeCell(3, w)
	r.runUntilIdle(5)
	big := r.scopeAll(large, 1)[0]
	objs := r.scopeAll(small, 30)
	for range 20 {
		r.begin()
		if r.pack() != nil {
			r.ack(false)
		}
	}
	for _, o := range objs {
		require.True(t, r.from.Live(o))
	}
	assert.False(t, r.from.Live(big))
	assert.NotZero(t, r.from.Stats().TooLarge)
	assert.Equal(t, 1, r.from.Pending())
	assert.Equal(t, netcore.Never, r.from.Due(0), "not again in this tick")
	r.begin()
	assert.Zero(t, r.from.Due(0))
}

// TestNoGhostStarves checks an upper bound for the ticks between two updates of a ghost. Let W be
// the largest weight, w the ghost's weight, N the number of ghosts, and n the minimum number of
// updates per packet. After t ticks the ghost has priority w·t. Priorities are rounded down to an
// eighth. So a ghost that was sent in the meantime goes first again only after it has waited
// w·t/W·8/9 ticks. In that time each other ghost is sent at most once. The packets of that time
// carry w·t/W·8/9·n updates. At N + n updates, at the latest, it is the ghost's turn. So t <= (N/n
// + 1)·9/8·W/w. The test allows about twice that.
func TestNoGhostStarves(t *testing.T) {
	const n = 150
	for _, tt := range []struct {
		name    string
		light   uint8 // the weight of every hundredth ghost; the others weigh 255
		creates bool  // new objects wait as well
	}{{"equal", 255, false}, {"light", 1, false}, {"medium", 60, false}, {"light, and creates", 1, true}, {"equal, and creates", 255, true}} {
		t.Run(tt.name, func(t *testing.T) {
			l := sized(1, 60)
			weigh := func(objs []uint32, weights []uint8) {
				for i, o := range objs {
					if weights[i] = 255; o%100 == 1 {
						weights[i] = tt.light
					}
				}
			}
			r := newGhostRig(t, Config{Weigh: weigh}, l)
			objs := r.scopeAll(l, n)
			r.runUntilIdle(60)
			r.size = 400
			if tt.creates {
				r.size = 580
			}
			least, worst := n, [2]int{}
			sent := make([]uint32, n)
			for i := range sent {
				sent[i] = r.tick
			}
			for range testenv.Length(400, 4000) {
				r.begin()
				r.changeCell(1, objs...)
				if tt.creates {
					r.scopeAll(l, 20)
				}
				s := r.pack()
				updates := 0
				for i := range s.bodies {
					if id := int(s.bodies[i].id); id < n && s.bodies[i].kind == kindUpdate {
						updates++
						class := 0
						if objs[id]%100 == 1 {
							class = 1
						}
						worst[class] = max(worst[class], int(r.tick-sent[id]))
						sent[id] = r.tick
					}
				}
				least = min(least, updates)
				r.from.Notify(r.inFlight[0].seq, true)
				r.inFlight = r.inFlight[:0]
				if tt.creates && r.tick%8 == 0 { // old ones leave the scope
					r.from.Each(func(id int, obj uint32, _ Status) {
						if id >= n && obj != 0 {
							r.from.Unscope(obj)
						}
					})
				}
			}
			require.Positive(t, least)
			bound := func(w int) int { return 2 * (n/least + 2) * 9 * 255 / (8 * w) }
			for id, at := range sent {
				w := 255
				if objs[id]%100 == 1 {
					w = int(tt.light)
				}
				assert.LessOrEqual(t, int(r.tick-at), bound(w), "ghost %d of weight %d waits", id, w)
			}
			assert.LessOrEqual(t, worst[0], bound(255))
			assert.LessOrEqual(t, worst[1], bound(int(tt.light)))
			t.Logf("at least %d a packet; the others wait at most %d ticks of %d, the light ones %d of %d", least, worst[0], bound(255), worst[1], bound(int(tt.light)))
		})
	}
}

// TestUrgentGroupsFirst checks that the weights of groups count in the priority.
func TestUrgentGroupsFirst(t *testing.T) {
	l := NewLayout(1, "Graded", []CellGroup{{}, {Cells: []Cell{{Bits: 30}}, Weight: 10}, {Cells: []Cell{{Bits: 30}}}})
	r := newGhostRig(t, Config{}, l)
	objs := r.scopeAll(l, 40)
	r.runUntilIdle(20)
	r.size = 60
	r.begin()
	r.changeCell(1, objs[:20]...)
	r.changeCell(2, objs[20:]...)
	s := r.pack()
	require.NotEmpty(t, s.bodies)
	for i := range s.bodies {
		assert.Equal(t, uint32(1<<2), s.bodies[i].mask)
	}
}

// TestKeysAscend checks that a key is eight times the logarithm of its factors.
func TestKeysAscend(t *testing.T) {
	for n := uint32(1); n < 1<<31; n += n/16 + 1 {
		assert.InDelta(t, math.Floor(8*math.Log2(float64(n))+1e-5), keyOf(n), 0, "%d", n)
	}
}

// sends counts the updates of each ghost in a number of ticks. It also returns the longest wait of
// any ghost.
func (r *ghostRig) sends(ticks int, objs []uint32) (n []int, longest int) {
	n = make([]int, len(objs))
	last := make([]uint32, len(objs))
	for i := range last {
		last[i] = r.tick
	}
	for range ticks {
		r.begin()
		r.changeCell(1, objs...)
		s := r.pack()
		for i := range s.bodies {
			id := s.bodies[i].id
			longest = max(longest, int(r.tick-last[id]))
			last[id] = r.tick
			n[id]++
		}
		r.from.Notify(r.inFlight[0].seq, true)
		r.inFlight = r.inFlight[:0]
	}
	return n, longest
}

// TestWeightsAreShares checks that ghosts are sent in proportion to their weights, and that a new
// weight takes effect within stripes ticks.
func TestWeightsAreShares(t *testing.T) {
	heavy := func(obj uint32) bool { return obj%2 == 0 }
	weigh := func(objs []uint32, weights []uint8) {
		for i, o := range objs {
			if weights[i] = 40; heavy(o) {
				weights[i] = 160
			}
		}
	}
	l := sized(1, 60)
	r := newGhostRig(t, Config{Weigh: weigh}, l)
	objs := r.scopeAll(l, 200)
	r.runUntilIdle(60)
	r.size = 200
	ratio := func() float64 {
		n, _ := r.sends(400, objs)
		sum := [2]float64{}
		for i, o := range objs {
			if heavy(o) {
				sum[0] += float64(n[i])
			} else {
				sum[1] += float64(n[i])
			}
		}
		return sum[0] / sum[1]
	}
	assert.InDelta(t, 4, ratio(), 0.6)
	heavy = func(obj uint32) bool { return obj%2 == 1 }
	r.sends(stripes, objs)
	for id := range objs {
		w := uint8(40)
		if heavy(objs[id]) {
			w = 160
		}
		require.Equal(t, weightKeys[w], weightKeyOf(&r.from.table, id), "ghost %d", id)
	}
	assert.InDelta(t, 4, ratio(), 0.6)
}

// weightKeyOf returns the part of a ghost's key for its weight.
func weightKeyOf(t *table, id int) (key uint8) {
	for plane, ids := range t.weights[id>>6] {
		key |= uint8(ids>>(id&63)&1) << plane
	}
	return key
}

// TestWeightsAfterIdleTicks checks that the weights are up to date after ticks without a packet.
func TestWeightsAfterIdleTicks(t *testing.T) {
	weight := uint8(40)
	weigh := func(_ []uint32, weights []uint8) {
		for i := range weights {
			weights[i] = weight
		}
	}
	r := newGhostRig(t, Config{Weigh: weigh}, box)
	objs := r.scopeAll(box, 200)
	r.runUntilIdle(20)
	weight = 160
	for range stripes {
		r.begin()
	}
	r.changeCell(1, objs[0])
	require.NotNil(t, r.pack())
	for id := range objs {
		require.Equal(t, weightKeys[weight], weightKeyOf(&r.from.table, id), "ghost %d", id)
	}
}

// TestEqualsTakeTurns checks that ghosts of equal rounded priority are sent equally often.
func TestEqualsTakeTurns(t *testing.T) {
	l := sized(1, 60)
	r := newGhostRig(t, Config{}, l)
	objs := r.scopeAll(l, 500)
	r.runUntilIdle(60)
	r.size = 130
	r.sends(200, objs)
	ticks := testenv.Length(800, 2000)
	n, longest := r.sends(ticks, objs)
	least, most, sum := n[0], n[0], 0
	for _, k := range n {
		least, most, sum = min(least, k), max(most, k), sum+k
	}
	every := ticks * len(objs) / sum
	t.Logf("sent %d to %d times, every %d ticks, at most %d apart", least, most, every, longest)
	assert.LessOrEqual(t, most-least, 2)
	assert.LessOrEqual(t, longest, every+2)
}

// TestOncePerTick checks that a ghost is in at most one packet per tick. The groups that it owes
// wait for the next tick.
func TestOncePerTick(t *testing.T) {
	r := newGhostRig(t, Config{}, box)
	obj := r.scopeAll(box, 1)[0]
	r.runUntilIdle(3)
	r.begin()
	r.changeCell(1, obj)
	require.NotNil(t, r.pack())
	r.ack(true)
	assert.Equal(t, netcore.Never, r.from.Due(0))
	require.Nil(t, r.pack())
	r.begin()
	assert.Zero(t, r.from.Due(0))
	require.NotNil(t, r.pack())
	r.ack(false)
	r.runUntilIdle(1)
}

// TestCreatesTakeTurns checks that of creates with equal waits, those go first that were not in the
// previous packet.
func TestCreatesTakeTurns(t *testing.T) {
	l := sized(1, 64)
	r := newGhostRig(t, Config{}, l)
	r.size = 100
	r.scopeAll(l, 30)
	n := len(r.pack().bodies)
	require.Less(t, n, 15)
	r.ack(true)
	r.begin()
	s := r.pack()
	require.NotEmpty(t, s.bodies)
	for i := range s.bodies {
		assert.GreaterOrEqual(t, int(s.bodies[i].id), n)
	}
}
