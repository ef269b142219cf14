package data

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func env(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

func TestDefault(t *testing.T) {
	dir, err := Default("server", env(map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/home/a"}))
	require.NoError(t, err)
	assert.Equal(t, "/x/torc/server", filepath.ToSlash(dir))

	if runtime.GOOS == "linux" {
		dir, err = Default("client", env(map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/home/a"}))
		require.NoError(t, err)
		assert.Equal(t, "/home/a/.local/share/torc/client", dir, "a relative XDG_DATA_HOME counts as none")
	}
	_, err = Default("client", env(nil))
	assert.ErrorContains(t, err, "--data DIR")
}

func TestFolderIsPrivateAndLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	first, err := Open(path, true)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	_, err = Open(path, true)
	assert.ErrorContains(t, err, "another torc server uses the data folder "+path)

	client, err := Open(path, false)
	require.NoError(t, err, "a client locks nothing")
	require.NoError(t, client.Close())

	require.NoError(t, first.Close())
	second, err := Open(path, true)
	require.NoError(t, err)
	require.NoError(t, second.Close())
}

func TestFolderThatCannotBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := Open(path, false)
	assert.ErrorContains(t, err, "the data folder cannot be made")
}
