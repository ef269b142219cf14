package store

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAutoBackups makes an automatic backup a day. The newest three stay, and so does all else.
func TestAutoBackups(t *testing.T) {
	data := t.TempDir()
	s, err := Open(filepath.Join(data, "store.db"), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Backup(data, "auto-pilot.db")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(data, Folder, "auto-20200101-000000.db"), 0o700))
	for day := range 5 {
		path, err := s.AutoBackup(data, time.Date(2026, 3, 1+day, 4, 0, 0, 0, time.UTC), 3)
		require.NoError(t, err)
		_, err = Check(path)
		require.NoError(t, err)
	}
	entries, err := os.ReadDir(filepath.Join(data, Folder))
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	assert.Equal(t, []string{
		"auto-20200101-000000.db", "auto-20260303-040000.db", "auto-20260304-040000.db", "auto-20260305-040000.db", "auto-pilot.db",
	}, names)
}
