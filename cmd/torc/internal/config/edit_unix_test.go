//go:build unix

package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSaveFollowsLinks checks that a link to the file stays a link.
func TestSaveFollowsLinks(t *testing.T) {
	path := write(t, "torc.toml", "")
	link := filepath.Join(t.TempDir(), "link.toml")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, Save(link, []Change{{"net.rate", 9.0}}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "\n[vars]\nnet.rate = 9\n", string(text))
}
