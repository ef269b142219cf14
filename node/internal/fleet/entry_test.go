package fleet

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/store"
)

// TestEntriesAreRead: an entry is read as it was written, but for texts that are too long.
func TestEntriesAreRead(t *testing.T) {
	for _, e := range []Entry{
		{}, {Name: "Ann", Reason: "cheats", Until: time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)}, {Name: "Bob", Roles: []string{"builder", "moderator"}},
	} {
		e.Target, e.From = "key", "arena-1"
		read, err := decodeEntry("key", "arena-1", e.encode())
		require.NoError(t, err)
		if e.Roles == nil {
			e.Roles = []string{}
		}
		assert.Equal(t, e, read)
	}
	long := Entry{Name: strings.Repeat("ä", 1000), Reason: strings.Repeat("x", 5000), Roles: strings.Fields(strings.Repeat("a ", 100))}
	assert.Less(t, len(long.encode()), maxEntry)
	read, err := decodeEntry("key", "arena-1", long.encode())
	require.NoError(t, err)
	assert.Len(t, read.Reason, maxReason)
	assert.Equal(t, strings.Repeat("ä", maxText/2), read.Name)
	assert.Len(t, read.Roles, MaxRoles)
	_, err = decodeEntry("key", "arena-1", store.EncodeFields(map[string]string{"until": "tomorrow"}))
	assert.Error(t, err)
}

// TestEntryOfANewerTorc: what this torc knows of it counts.
func TestEntryOfANewerTorc(t *testing.T) {
	read, err := decodeEntry("key", "arena-1", store.EncodeFields(map[string]string{"reason": "cheats", "appeal": "open"}))
	require.NoError(t, err)
	assert.Equal(t, "cheats", read.Reason)
}
