package ghost

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestSeenIsWhatThePeerHas compares SeenCells with the values that the receiver has, on a link with
// loss. A group that the peer has in its newest state has nothing pending.
func TestSeenIsWhatThePeerHas(t *testing.T) {
	for seed := range testenv.Seeds(t, 20, 200) {
		rng := rand.New(rand.NewPCG(seed, 23))
		r := newGhostRig(t, Config{}, moving)
		r.size = 40
		objs := r.scopeAll(moving, 12)
		compared := 0
		for range 200 {
			r.begin()
			for _, obj := range objs {
				if rng.IntN(3) == 0 {
					r.images.Set(obj, 1, &Values{Cells: []uint64{rng.Uint64N(1 << 18), rng.Uint64N(1 << 18), 7}})
				}
				if rng.IntN(9) == 0 {
					r.images.Set(obj, 2, &Values{Cells: []uint64{rng.Uint64N(1 << 10), 3}})
				}
			}
			r.pack()
			for len(r.inFlight) > rng.IntN(4) {
				r.ack(rng.IntN(4) == 0)
			}
			r.from.EachSeen(func(s Seen) {
				for group := 1; group <= 2; group++ {
					compared += r.sameAsSeen(&s, group)
				}
			})
		}
		require.Greater(t, compared, 1000, "seed %d", seed)
	}
}

// sameAsSeen compares the values of a group that the peer is known to have with those that it has.
// It returns the number of compared groups.
func (r *ghostRig) sameAsSeen(s *Seen, group int) int {
	got, tick, ok := r.from.SeenCells(s, group, nil)
	m := r.mirrors[uint16(s.ID)]
	if m == nil {
		require.False(r.t, ok, "the peer has no such ghost")
		return 0
	}
	if !ok {
		return 0
	}
	for i, c := range m.groups[group].Cells {
		if uint32(c) != got[i] {
			require.Equal(r.t, uint32(c), got[i], "ghost %d, group %d, tick %d", s.ID, group, tick)
		}
	}
	if tick > s.Known {
		require.LessOrEqual(r.t, tick, s.Known)
	}
	if tick >= r.images.ChangedAt(s.Object, group) {
		if now := r.images.objects[s.Object].values(group, new(Values)).Cells; !slices.Equal(now, m.groups[group].Cells) {
			require.Equal(r.t, now, m.groups[group].Cells)
		}
	}
	return 1
}

// TestSeenForgetsOldValues checks that values which the history has dropped are not shown, and that
// those of an object at rest stay known.
func TestSeenForgetsOldValues(t *testing.T) {
	r := newGhostRig(t, Config{}, moving)
	objs := r.scopeAll(moving, 2)
	r.runUntilIdle(9)
	for tick := range 4 * historyTicks << maxDepth { // the peer hears nothing of it
		r.begin()
		r.set(objs[0], 1, uint64(tick)+9, 2, 3)
	}
	var all []Seen
	r.from.EachSeen(func(s Seen) { all = append(all, s) })
	require.Len(t, all, 2)
	_, tick, ok := r.from.SeenCells(&all[0], 1, nil)
	assert.False(t, ok)
	assert.Equal(t, all[0].Known, tick)
	assert.Equal(t, uint32(1<<1), all[0].Pending)
	_, _, ok = r.from.SeenCells(&all[1], 1, nil)
	assert.True(t, ok, "it has not moved")
	assert.Zero(t, all[1].Pending)
	_, _, ok = r.from.SeenCells(&all[1], 3, nil)
	assert.False(t, ok, "the group is not smooth")
}

// TestSeenTellsWhetherTheNewestStateArrived checks the tick of the newest state that is known to
// have arrived, also after an update without smooth groups.
func TestSeenTellsWhetherTheNewestStateArrived(t *testing.T) {
	r := newGhostRig(t, Config{}, moving)
	r.scopeAll(moving, 1)
	seen := func() (s Seen) {
		r.from.EachSeen(func(one Seen) { s = one })
		return s
	}
	require.NotNil(t, r.pack())
	assert.Zero(t, seen().Known)
	r.ack(false)
	created := r.tick
	for _, group := range []int{1, 3, 3, 2, 1} {
		r.begin()
		r.set(1, group, [][]uint64{nil, {uint64(r.tick), 2, 3}, {uint64(r.tick), 1}, {uint64(r.tick)}}[group]...)
		require.NotNil(t, r.pack())
		assert.Less(t, seen().Known, seen().Sent)
		assert.GreaterOrEqual(t, seen().Known, created)
		r.ack(false)
		assert.Equal(t, r.tick, seen().Known, "group %d", group)
	}
}

// TestWaitingIsAnUpperBound compares Waiting with the exact count after each packet.
func TestWaitingIsAnUpperBound(t *testing.T) {
	r := newGhostRig(t, Config{}, moving)
	r.size = 30
	objs := r.scopeAll(moving, 100)
	for tick := range 300 {
		r.begin()
		for i := range tick % 40 {
			r.set(objs[i], 3, uint64(tick)%64)
		}
		r.pack()
		require.GreaterOrEqual(t, r.from.Waiting(), r.from.Pending())
		for len(r.inFlight) > 2 {
			r.ack(false)
		}
	}
	r.runUntilIdle(99)
	assert.Zero(t, r.from.Waiting())
}
