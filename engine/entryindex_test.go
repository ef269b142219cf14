package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEntryIndex fills an index beyond the places that have 16 bits, and empties it again.
func TestEntryIndex(t *testing.T) {
	const count = lowPlaces + 1000
	var x entryIndex
	var entries []visibleEntry
	all := func() {
		for at, e := range entries {
			if place := x.where(e.number, entries); place != at { // require looks for its callers first
				require.Equal(t, at, place)
			}
		}
	}
	for n := range uint32(count) {
		entries = append(entries, visibleEntry{number: 7*n + 1})
		x.add(entries)
		if len(entries) == lowPlaces {
			assert.Nil(t, x.high)
			all()
		}
	}
	all()
	assert.Equal(t, -1, x.where(2, entries))
	for len(entries) > lowPlaces-1000 {
		last := len(entries) - 1
		n := entries[last].number
		x.remove(n, entries)
		entries = entries[:last]
		if place := x.where(n, entries); place != -1 {
			require.Equal(t, -1, place)
		}
	}
	all()
}

// TestEntryIndexRemovesFromTheMiddle removes entries as a visible set does: the last entry takes
// the place of the removed one.
func TestEntryIndexRemovesFromTheMiddle(t *testing.T) {
	var x entryIndex
	var entries []visibleEntry
	for n := range uint32(lowPlaces + 3000) {
		entries = append(entries, visibleEntry{number: 7*n + 1})
		x.add(entries)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6000 {
		v := VisibleSet{entries: entries, index: x}
		at := rng.IntN(len(entries))
		gone := entries[at].number
		v.dropEntry(at)
		entries, x = v.entries, v.index
		require.Equal(t, -1, x.where(gone, entries))
	}
	for at := range entries {
		if place := x.where(entries[at].number, entries); place != at {
			require.Equal(t, at, place)
		}
	}
}
