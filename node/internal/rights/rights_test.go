package rights

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

var ann, bob = seal.Key{1}, seal.Key{2}

func open(t *testing.T, path string) *List {
	t.Helper()
	l, err := Open(path, data.Editor{})
	require.NoError(t, err)
	return l
}

func TestRightsPersist(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rights")
	l := open(t, path)
	require.NoError(t, l.Give(ann, "moderator", "Ann\tB\n"))
	require.NoError(t, l.Give(ann, "builder", "Ann"))
	require.NoError(t, l.Give(bob, Admin, ""))
	require.NoError(t, l.Allow("moderator", "kick"))
	require.NoError(t, l.Allow("moderator", "ban"))
	require.NoError(t, l.Grant("ctf", "console.mission", true))

	l = open(t, path)
	assert.Equal(t, []string{"builder", "moderator"}, l.Roles(ann))
	assert.Equal(t, []string{Admin}, l.Roles(bob))
	assert.Empty(t, l.Roles(seal.Key{3}))
	assert.True(t, l.Granted("ctf", "console.mission"))
	assert.False(t, l.Granted("ctf", "console.kick"))
	assert.Equal(t, "ctf console.mission", l.Grants())
	assert.Equal(t, ann.String()+" moderator Ann B\n"+ann.String()+" builder Ann\n"+bob.String()+" admin\nmoderator may ban, kick", l.String())

	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestMay(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "rights"))
	require.NoError(t, l.Allow("moderator", "kick"))
	for _, c := range []struct {
		roles   string
		command string
		may     bool
	}{
		{"", "kick", false}, {"builder", "kick", false}, {"moderator", "kick", true}, {"moderator", "kic", false},
		{"mod", "kick", false}, {"moderators", "kick", false}, {"Moderator", "kick", false}, {"moderator", "kicker", false},
		{"moderator", "quit", false}, {"builder moderator", "kick", true}, {"admin", "quit", true}, {"administrator", "kick", false},
	} {
		assert.Equal(t, c.may, l.May(strings.Fields(c.roles), c.command), "%s: %s", c.roles, c.command)
	}
}

func TestTakeRights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rights")
	l := open(t, path)
	require.NoError(t, l.Give(ann, "moderator", "Ann"))
	require.NoError(t, l.Give(ann, "moderator", "Anna"), "given again it has the newer name")
	require.NoError(t, l.Allow("moderator", "kick"))
	require.NoError(t, l.Grant("ctf", "console.kick", true))
	assert.Equal(t, ann.String()+" moderator Anna\nmoderator may kick", l.String())

	for _, want := range []bool{true, false} {
		had, err := l.Take(ann, "moderator")
		require.NoError(t, err)
		assert.Equal(t, want, had)
		had, err = l.Deny("moderator", "kick")
		require.NoError(t, err)
		assert.Equal(t, want, had)
		require.NoError(t, l.Grant("ctf", "console.kick", false))
	}
	l = open(t, path)
	assert.Empty(t, l.String())
	assert.Empty(t, l.Grants())
}

// TestHandWrittenRights reads a hand-edited file with a duplicate right and Windows line endings.
func TestHandWrittenRights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rights")
	line := "role\t" + ann.String() + "\tadmin\tAnn\r\n"
	require.NoError(t, os.WriteFile(path, []byte(line+"allow\tmoderator\tkick\r\n"+line), 0o600))
	l := open(t, path)
	assert.True(t, l.May([]string{"moderator"}, "kick"))
	had, err := l.Take(ann, Admin)
	require.NoError(t, err)
	assert.True(t, had)
	assert.Empty(t, l.Roles(ann), "both are taken")
	assert.Equal(t, "moderator may kick", open(t, path).String())
}

func TestBadRights(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "rights"))
	for _, name := range []string{"", "Admin", "a b", "ä", strings.Repeat("a", 33), "a\tb"} {
		assert.ErrorIs(t, l.Give(ann, name, ""), ErrName, name)
		assert.ErrorIs(t, l.Allow(name, "kick"), ErrName, name)
	}
	good := "grant\tctf\tconsole.kick\n"
	for _, text := range []string{"nonsense\n", "role\tx\tadmin\n", "own\ta\tb\n", "allow\tAdmin\tkick\n", "role\t" + ann.String() + "\tA B\n", "grant\n"} {
		path := filepath.Join(t.TempDir(), "rights")
		require.NoError(t, os.WriteFile(path, []byte(good+text), 0o600))
		wrong := ""
		l, err := Open(path, data.Editor{Wrong: func(err error) { wrong += err.Error() }})
		require.NoError(t, err)
		assert.Contains(t, wrong, path+":2: ", text)
		assert.Equal(t, "ctf console.kick", l.Grants(), "the other line holds")
	}
}

func TestUnsavedRightsHold(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "gone", "rights"))
	assert.ErrorContains(t, l.Give(ann, "moderator", ""), "the change holds until the server ends, but cannot be saved")
	assert.Equal(t, []string{"moderator"}, l.Roles(ann))
}

// TestExposedKeys: a key stays exposed as long as it has a role, also in the file.
func TestExposedKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rights")
	l := open(t, path)
	require.NoError(t, l.Give(ann, "moderator", "Ann"))
	require.NoError(t, l.Give(ann, "builder", "Ann"))
	require.NoError(t, l.Expose(ann))
	l = open(t, path)
	assert.True(t, l.Exposed(ann))
	assert.False(t, l.Exposed(bob))
	assert.Contains(t, l.String(), ann.String()+" was used over plain HTTP")
	_, err := l.Take(ann, "builder")
	require.NoError(t, err)
	assert.True(t, l.Exposed(ann))
	_, err = l.Take(ann, "moderator")
	require.NoError(t, err)
	assert.False(t, open(t, path).Exposed(ann))
}
