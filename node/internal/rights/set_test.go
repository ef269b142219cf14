package rights

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trusting returns the rights of a server in a fleet, with a file.
func trusting(t *testing.T, trust string) (l *List, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "rights")
	l = open(t, path)
	l.Fleet = new(Set)
	var err error
	l.Trust, err = ParseTrust(trust)
	require.NoError(t, err)
	return l, path
}

// TestRolesOfAFleet: the roles in a fleet count only as far as they are trusted, beside those of
// the file, and are never written into it.
func TestRolesOfAFleet(t *testing.T) {
	for trust, want := range map[string][]string{
		"none": {"builder"}, "": {"builder"}, "moderator": {"builder", "moderator"}, "speaker builder": {"builder"},
		"admin": {"admin", "builder", "moderator"}, "moderator admin": {"admin", "builder", "moderator"},
	} {
		l, path := trusting(t, trust)
		require.NoError(t, l.Give(ann, "builder", "Ann"))
		require.NoError(t, l.Allow("moderator", "kick"))
		l.Fleet.Put(Holder{Key: ann, Roles: []string{"moderator", Admin, "moderator"}})
		assert.Equal(t, want, l.Roles(ann), trust)
		assert.Equal(t, []string{"builder"}, l.Own(ann))
		assert.Empty(t, l.Roles(bob))
		require.NoError(t, l.Give(bob, "builder", "Bob"))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.NotContains(t, string(text), Admin)
	}
}

// TestTrust: only none and names of roles can be trusted.
func TestTrust(t *testing.T) {
	for text, want := range map[string]string{"": "none", "none": "none", " moderator  builder ": "moderator builder", "admin": "admin"} {
		trust, err := ParseTrust(text)
		require.NoError(t, err)
		assert.Equal(t, want, trust.String())
		assert.Equal(t, want != "none", trust.Any())
	}
	for _, text := range []string{"Admin", "none moderator", "a b c-d"} {
		trust, err := ParseTrust(text)
		assert.ErrorContains(t, err, "must be none, or names of roles", text)
		assert.False(t, trust.Any())
	}
}

// TestListOfRolesSaysTheOrigin: each line says where the role is from, and whether it counts.
func TestListOfRolesSaysTheOrigin(t *testing.T) {
	l, _ := trusting(t, "moderator")
	require.NoError(t, l.Give(ann, "builder", "Ann"))
	l.Fleet.Replace([]Holder{{Key: bob, Name: "Bob\n", From: "arena-2", Roles: []string{"moderator", "admin", "No Role", ""}}, {Key: ann, Roles: []string{"moderator"}}})
	assert.Equal(t, 2, l.Fleet.Len())
	assert.Equal(t, "here "+ann.String()+" builder Ann\nfleet "+ann.String()+" moderator\nfleet "+bob.String()+" admin Bob (arena-2) (does not count: fleet.trustRoles)\nfleet "+bob.String()+" moderator Bob (arena-2)", l.String())
	l.Fleet.Put(Holder{Key: bob})
	_, found := l.Fleet.Get(bob)
	assert.False(t, found)
	h, found := l.Fleet.Get(ann)
	assert.True(t, found)
	assert.Equal(t, []string{"moderator"}, h.Roles)
}

// TestExposedKeysOfAFleet: a key with a role in the fleet stays exposed when its last role of the
// file is taken, whatever is trusted.
func TestExposedKeysOfAFleet(t *testing.T) {
	l, _ := trusting(t, "none")
	require.NoError(t, l.Give(ann, "builder", "Ann"))
	require.NoError(t, l.Expose(ann))
	l.Fleet.Put(Holder{Key: ann, Roles: []string{"moderator"}})
	_, err := l.Take(ann, "builder")
	require.NoError(t, err)
	assert.True(t, l.Exposed(ann))
	require.NoError(t, l.Forgive(ann))
	assert.True(t, l.Exposed(ann))
	l.Fleet.Put(Holder{Key: ann})
	assert.True(t, l.Exposed(ann), "another server alone gives nothing back")
	require.NoError(t, l.Forgive(ann))
	assert.False(t, l.Exposed(ann))
}
