package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/store"
)

// marked is a valid stored string that occurs nowhere else in a file.
var marked = append([]byte{1, 's', 100}, bytes.Repeat([]byte("Q"), 100)...)

// flip changes one bit of the marked value in a file.
func flip(t *testing.T, path string, bit int) {
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	at := bytes.Index(image, marked)
	require.Positive(t, at)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte{image[at+bit/8] ^ 1<<(bit%8)}, int64(at+bit/8))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// TestFlippedBits checks that one changed bit of a value or its checksum is found: by the start, by
// the check, and by a backup, which then replaces no good one.
func TestFlippedBits(t *testing.T) {
	dir := t.TempDir()
	path, copied := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	filled(t, path)
	s := opened(t, path)
	s.Commit([]store.Write{put("best", marked), put("other", number8(1))})
	ended(t, s, 1)
	_, err := s.Backup(dir, "night.db")
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, Copy(path, copied))
	good, err := os.ReadFile(copied)
	require.NoError(t, err)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	const damage = `mod m, key "best": the checksum of the value is wrong`
	for bit := 0; bit < 8*(len(marked)+checksumSize); bit += testenv.Length(29, 7) { // each bit of a byte
		require.NoError(t, os.WriteFile(path, whole, 0o600))
		flip(t, path, bit)
		_, err = Open(path, quiet())
		require.EqualError(t, err, "the store "+path+" is damaged: "+damage+"; replace it with a backup")
		report, err := Check(path)
		require.NoError(t, err)
		require.Equal(t, []string{damage}, report.Problems)
		require.ErrorContains(t, Copy(path, copied), damage)
	}
	require.ErrorContains(t, Move(path, copied), damage)
	now, err := os.ReadFile(copied)
	require.NoError(t, err)
	assert.Equal(t, good, now)

	require.NoError(t, os.WriteFile(path, whole, 0o600))
	s = opened(t, path)
	flip(t, path, 40) // while the server runs
	_, err = s.Backup(dir, "night.db")
	assert.ErrorContains(t, err, "an earlier backup of this name stays")
	assert.ErrorContains(t, err, damage)
	require.NoError(t, s.Close())
	report, err := Check(filepath.Join(dir, Folder, "night.db"))
	require.NoError(t, err)
	assert.Empty(t, report.Problems)
	left, err := os.ReadDir(filepath.Join(dir, Folder))
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

// TestSwappedValues checks that a checksum belongs to its mod and its key.
func TestSwappedValues(t *testing.T) {
	stored := withChecksum([]byte("m"), []byte("key"), marked)
	for _, other := range [][2]string{{"m", "kez"}, {"n", "key"}, {"mk", "ey"}} {
		_, err := verified([]byte(other[0]), []byte(other[1]), stored)
		assert.Error(t, err, other)
	}
	for n := range checksumSize + 1 {
		_, err := verified([]byte("m"), []byte("key"), stored[:n])
		assert.Error(t, err)
	}
	value, err := verified([]byte("m"), []byte("key"), stored)
	assert.NoError(t, err)
	assert.Equal(t, marked, value)
}

// TestFilesWithoutChecksums checks that a start adds the checksums to a file of the earlier
// version.
func TestFilesWithoutChecksums(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, create(path))
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("m"))
		require.NoError(t, err)
		require.NoError(t, b.Put([]byte("best"), marked))
		return tx.Bucket(about).Put(version, []byte(unsummed))
	}))
	require.NoError(t, db.Close())
	_, err = Check(path)
	assert.EqualError(t, err, path+" has store version 1: start the server once, and it gets version 2")
	for range 2 {
		s := opened(t, path)
		values, err := s.Load("m")
		require.NoError(t, err)
		assert.Equal(t, map[string][]byte{"best": marked}, values)
		require.NoError(t, s.Close())
	}
	report, err := Check(path)
	require.NoError(t, err)
	assert.Empty(t, report.Problems)
}
