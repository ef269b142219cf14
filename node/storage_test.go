//go:build !js

package node

import (
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/storage"
	"github.com/torc-engine/torc/node/internal/store"
)

// TestCloseFlushesStore checks that values put after the last tick are stored before the server
// ends.
func TestCloseFlushesStore(t *testing.T) {
	dir := shortDir(t)
	s, err := NewServer(Config{Common: Common{Data: dir}})
	require.NoError(t, err)
	require.NoError(t, s.Start())
	_, err = s.Console().Exec(`store:put("k", 1)`)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	again, err := store.Open(filepath.Join(dir, storage.FileName), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	values, err := again.Load("console")
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"k": {1, 'i', 2}}, values)
	require.NoError(t, again.Close())
}
