package config

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func lookup(values map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

func TestDataFolder(t *testing.T) {
	dir, err := DataFolder("server", lookup(map[string]string{"XDG_DATA_HOME": "/x", "HOME": "/home/a"}))
	require.NoError(t, err)
	assert.Equal(t, "/x/torc/server", filepath.ToSlash(dir))

	if runtime.GOOS == "linux" {
		dir, err = DataFolder("client", lookup(map[string]string{"XDG_DATA_HOME": "relative", "HOME": "/home/a"}))
		require.NoError(t, err)
		assert.Equal(t, "/home/a/.local/share/torc/client", dir, "a relative XDG_DATA_HOME counts as none")
	}
	_, err = DataFolder("client", lookup(nil))
	assert.ErrorContains(t, err, "--data DIR")
}
