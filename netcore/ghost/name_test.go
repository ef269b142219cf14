package ghost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// requireNames requires that each name of a Live ghost means the same ghost at both ends.
func (r *ghostRig) requireNames(objs []uint32) {
	r.t.Helper()
	for _, obj := range objs {
		name, id := r.from.NameOf(obj), r.from.ToWire(obj)
		if id == 0 {
			require.Zero(r.t, name)
			continue
		}
		token := r.to.FromWire(id)
		require.NotZero(r.t, token)
		for _, n := range []uint32{name, id} {
			require.Equal(r.t, token, r.to.TokenOf(n))
			require.Equal(r.t, obj, r.from.ObjectOf(n))
		}
		require.Equal(r.t, name, r.to.PeerNameOf(token))
	}
}

// TestNamesOutliveIds checks that a name never means a later ghost with the same id.
func TestNamesOutliveIds(t *testing.T) {
	r := newGhostRig(t, Config{}, box, mixedLayout(6))
	first, second := r.object(box), r.object(box)
	r.from.Scope(first)
	require.NotNil(t, r.pack())
	assert.Zero(t, r.from.NameOf(first), "it is on its way")
	assert.Zero(t, r.from.ObjectOf(1), "nobody who names it can have it")
	r.ack(false)
	assert.Equal(t, first, r.from.ObjectOf(1))
	r.requireNames([]uint32{first})
	name, token := r.from.NameOf(first), r.to.FromWire(1)

	r.from.Unscope(first)
	assert.Zero(t, r.from.NameOf(first))
	assert.Zero(t, r.from.ObjectOf(name), "what has left the scope is nobody's to name")
	r.runUntilIdle(3)
	assert.Zero(t, r.to.TokenOf(name))
	assert.Zero(t, r.to.PeerNameOf(token))

	r.from.Scope(second)
	r.runUntilIdle(3)
	r.requireNames([]uint32{second})
	assert.Zero(t, r.to.TokenOf(name))
	assert.Zero(t, r.to.PeerNameOf(token))
	assert.Zero(t, r.from.ObjectOf(name))

	// An ack can arrive before an older packet, in which the peer used a name without a birth for
	// the previous ghost of the id.
	ack := r.seq - 1
	r.from.peerAck = func() netcore.Seq { return ack }
	assert.Zero(t, r.from.ObjectOf(1))
	assert.Equal(t, second, r.from.ObjectOf(r.from.NameOf(second)))
	ack = r.seq
	assert.Equal(t, second, r.from.ObjectOf(1))

	for _, bad := range []uint32{0, 2, 64, 65, 65536, 65537, netcore.NameMask, 1 << netcore.NameBits, 1<<32 - 1} {
		assert.Zero(t, r.to.TokenOf(bad))
		assert.Zero(t, r.from.ObjectOf(bad))
	}
	assert.Zero(t, r.to.PeerNameOf(0))
	for _, seq := range []uint32{0, 1, birthCount - 1, birthCount, birthCount + 1, 1<<32 - 1} {
		assert.Less(t, birth(seq), uint16(1<<15))
		assert.NotZero(t, birth(seq))
	}
}

// TestBothEndsAgreeOnNames checks names under random packet loss.
func TestBothEndsAgreeOnNames(t *testing.T) {
	for seed := range testenv.Seeds(t, 12, 100) {
		rng := rand.New(rand.NewPCG(seed, 4))
		r := newGhostRig(t, Config{}, box, mixedLayout(6))
		var objs []uint32
		for range 5 {
			objs = append(objs, r.object(box))
		}
		for range 60 {
			r.begin()
			obj := objs[rng.IntN(5)]
			r.changeCell(1, obj)
			if rng.IntN(3) == 0 {
				r.from.Unscope(obj)
			} else {
				r.from.Scope(obj)
			}
			if rng.IntN(20) == 0 {
				r.from.Reset()
			}
			r.pack()
			for len(r.inFlight) > 0 && rng.IntN(3) > 0 {
				r.ack(rng.IntN(2) == 0)
				r.requireNames(objs)
			}
		}
	}
}

// TestBornAfter compares births with the numbers of packets, also where births wrap around.
func TestBornAfter(t *testing.T) {
	for _, seq := range []netcore.Seq{5, birthCount - 1, birthCount, birthCount + 1, 7 * birthCount} {
		var ghosts table
		ghosts.limit = Max
		id, ok := ghosts.take(1)
		require.True(t, ok)
		ghosts.live(id, seq, false)
		for range 2 {
			for _, back := range []netcore.Seq{1, 2, 4} {
				assert.True(t, ghosts.bornAfter(id, seq-back), "%d", seq)
			}
			assert.False(t, ghosts.bornAfter(id, seq))
			assert.False(t, ghosts.bornAfter(id, seq+netcore.Window))
			ghosts.age()
		}
		assert.False(t, ghosts.bornAfter(id, seq-1), "it is old, and the births around it are used again")
	}
}

// TestBirthsAge checks that a name means an old ghost in every packet.
func TestBirthsAge(t *testing.T) {
	box := NewLayout(9, "Box", []CellGroup{{}})
	r := newGhostRig(t, Config{}, box)
	obj := r.object(box)
	r.from.Scope(obj)
	r.pack()
	r.ack(false)
	r.from.peerAck = func() netcore.Seq { return r.seq - 1 }
	name := r.from.NameOf(obj) & netcore.NameMask
	require.NotZero(t, name)
	for fates := 1; fates < 2*netcore.Window; fates++ {
		require.Zero(t, r.from.ObjectOf(name))
		r.from.Notify(1<<40, true)
	}
	require.Equal(t, obj, r.from.ObjectOf(name))
}
