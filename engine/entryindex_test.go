package engine

import (
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
			require.Equal(t, at, x.where(e.number, entries))
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
		require.Equal(t, -1, x.where(n, entries))
	}
	all()
	x.clear()
	assert.Equal(t, -1, x.where(1, entries))
}
