package ghost

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestSparse compares a sparse column with a map over random sets and drops of words.
func TestSparse(t *testing.T) {
	var s sparse[uint32]
	rng := rand.New(rand.NewPCG(1, 1))
	want := map[int]uint32{}
	for range testenv.Length(4000, 20_000) {
		id := rng.IntN(1000)
		switch rng.IntN(20) {
		case 0:
			s.drop(id >> 6)
			for i := range 64 {
				delete(want, id&^63+i)
			}
		case 1:
			s.trim()
		default:
			want[id] = rng.Uint32()
			s.set(id, want[id])
		}
		for id, v := range want {
			if *s.at(id) != v {
				require.Equal(t, v, *s.at(id), "id %d", id)
			}
		}
	}
}

// held returns the number of pages that a column holds.
func (s *sparse[T]) held() (n int) {
	for _, page := range s.pages {
		if page != nil {
			n++
		}
	}
	return n + len(s.free)
}

// TestTrim checks that the memory of a join and of lost packets is free again after a while without
// losses, and only then.
func TestTrim(t *testing.T) {
	pair := NewLayout(7, "Pair", []CellGroup{{}, {Cells: []Cell{{Bits: 16, Smooth: true}}}, {Cells: []Cell{{Bits: 16, Smooth: true}}}})
	r := newGhostRig(t, Config{}, pair)
	var objects []uint32
	for range 500 {
		objects = append(objects, r.object(pair))
		r.from.Scope(objects[len(objects)-1])
	}
	t0 := &r.from.table
	require.Equal(t, 500/64+1, t0.owed.held(), "a new ghost owes every group")
	run := func(ticks, lossEvery int) {
		for n := range ticks {
			r.begin()
			for i, obj := range objects {
				if r.set(obj, 1, uint64(r.tick)); lossEvery == 0 || (i+n)%2 == 0 {
					r.set(obj, 2, uint64(r.tick))
				}
			}
			r.pack()
			for len(r.inFlight) > 2 {
				r.ack(lossEvery > 0 && n%lossEvery == 0)
			}
		}
	}
	run(64, 3)
	require.NotZero(t, t0.owed.held(), "lost groups are owed for a while")
	require.NotZero(t, len(r.from.flight.lostIn))
	require.NotZero(t, t0.tracks[0].held())
	run(4*64, 0)
	assert.Zero(t, t0.owed.held())
	assert.Zero(t, t0.updated.held())
	assert.Zero(t, cap(r.from.flight.lost))
	assert.Zero(t, cap(r.from.flight.lostIn))
	assert.Zero(t, t0.tracks[0].held())
	r.runUntilIdle(100)
}
