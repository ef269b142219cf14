package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBackupsReplaceOnlyWithGoodOnes makes backups over an earlier one: some fail halfway, and some
// are damaged. The earlier one is there at any time, and nothing is left of the others.
func TestBackupsReplaceOnlyWithGoodOnes(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	filled(t, from)
	require.NoError(t, Copy(from, to))
	good, err := os.ReadFile(to)
	require.NoError(t, err)
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	kept := func(at string) {
		now, err := os.ReadFile(to)
		require.NoError(t, err, at)
		assert.True(t, string(now) == string(good), "%s: the earlier backup is as it was", at)
	}
	damaged := append([]byte(nil), good...)
	for i := range damaged[:len(damaged)/2] {
		damaged[i] ^= 0xA5
	}
	for name, x := range map[string]struct {
		bytes []byte
		fails error
		says  string
	}{
		"fails at once":    {nil, errors.New("the disk is full"), "the disk is full"},
		"fails halfway":    {good[:len(good)/2], errors.New("the disk is full"), "the disk is full"},
		"fails at its end": {good, errors.New("the disk is full"), "the disk is full"},
		"empty":            {nil, nil, "the copy is damaged"},
		"cut":              {good[:len(good)/2], nil, "the copy is damaged"},
		"damaged":          {damaged, nil, "the copy is damaged"},
	} {
		err := place(root, "copy.db", func(w io.Writer) error {
			_, err := w.Write(x.bytes)
			kept(name + ", while it is written")
			return errors.Join(err, x.fails)
		})
		assert.ErrorContains(t, err, x.says, name)
		kept(name)
		names, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, names, 2, "%s: nothing is left of it", name)
	}
	require.NoError(t, place(root, "copy.db", func(w io.Writer) error { _, err := w.Write(good); return err }))
	kept("a good one")
}

// TestMovedBackupsLeaveNothing moves a backup to a folder that is not there. The caller made it for
// this, so it stays nowhere.
func TestMovedBackupsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "store.db")
	filled(t, from)
	made := filepath.Join(dir, "made.db")
	require.NoError(t, Copy(from, made))
	assert.ErrorContains(t, Move(made, filepath.Join(dir, "no", "moved.db")), "the backup failed")
	_, err := os.Stat(made)
	assert.ErrorIs(t, err, os.ErrNotExist)
}
