package store

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/store"
)

// TestRead reads a file that no server uses. A file in use, a damaged one and none are refused by
// name.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.db")
	_, err := Read(path)
	require.ErrorContains(t, err, "there is no store")
	s, err := Open(path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	s.Commit([]store.Write{{Mod: "values bank", Key: "ann", Value: []byte("12 coins")}, {Mod: "epochs", Key: "bank", Value: []byte("1")}})
	require.NoError(t, s.Close())
	want := map[string]map[string][]byte{"values bank": {"ann": []byte("12 coins")}, "epochs": {"bank": []byte("1")}}
	for range 2 {
		has, err := Read(path)
		require.NoError(t, err)
		assert.Equal(t, want, has)
	}
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for i := range b {
		if string(b[i:min(i+8, len(b))]) == "12 coins" {
			b[i]++
		}
	}
	require.NoError(t, os.WriteFile(path, b, 0o600))
	_, err = Read(path)
	require.ErrorContains(t, err, path+" is damaged")
}
