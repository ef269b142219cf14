package journals

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var now = time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)

func open(t *testing.T, dir string, at time.Time, most int64) *File {
	t.Helper()
	j, err := Open(dir, at, func() int64 { return most })
	require.NoError(t, err)
	return j
}

func TestFileOfARun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "journals")
	j := open(t, dir, now, 1<<20)
	again := open(t, dir, now, 1<<20)
	require.NoError(t, again.Close())
	b := []byte("hello ")
	for range 2 {
		_, err := j.Write(b)
		require.NoError(t, err)
	}
	b[0] = 'J' // Write has copied them
	require.NoError(t, j.Close())
	require.NoError(t, j.Close())
	assert.Equal(t, filepath.Join(dir, "20300131-120000.torcj"), j.Path())
	assert.Equal(t, filepath.Join(dir, "20300131-120000-2.torcj"), again.Path())
	text, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	assert.Equal(t, "hello hello ", string(text))
	assert.EqualValues(t, len(text), j.Size())
	info, err := os.Stat(j.Path())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	_, err = j.Write(b)
	assert.ErrorIs(t, err, os.ErrClosed)
}

// TestOldRunsMakeRoom checks that the oldest journals are deleted when all together are too large,
// first those without a mark, and never those that are kept.
func TestOldRunsMakeRoom(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for i := range 4 {
		j := open(t, dir, now.Add(time.Duration(i)*time.Hour), 100<<20)
		_, err := j.Write(make([]byte, 1<<20))
		require.NoError(t, err)
		if i == 0 {
			require.True(t, j.Mark())
			require.False(t, j.Mark(), "it has one already")
		}
		require.NoError(t, j.Close())
		paths = append(paths, j.Path())
	}
	j := open(t, dir, now.Add(9*time.Hour), 3<<20)
	_, err := j.KeepOther("../x")
	assert.ErrorContains(t, err, "is not the name")
	_, err = j.KeepOther("20300131-999999")
	assert.ErrorContains(t, err, "there is no journal")
	_, err = j.Write(make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, j.Close())
	for i, exists := range []bool{true, false, false, true} {
		_, err := os.Stat(paths[i])
		assert.Equal(t, exists, err == nil, paths[i])
	}
	kept, err := j.KeepOther("20300131-150000")
	require.NoError(t, err)
	assert.Equal(t, paths[3], kept)
	last := open(t, dir, now.Add(10*time.Hour), 1<<20)
	require.FileExists(t, paths[0]+marker)
	_, err = last.Write(make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, last.Close())
	assert.FileExists(t, paths[3])
	assert.NoFileExists(t, paths[0], "there is no room left")
	assert.NoFileExists(t, paths[0]+marker)
}

func TestALongRunEnds(t *testing.T) {
	j := open(t, t.TempDir(), now, 2<<20)
	_, err := j.Write(make([]byte, 2<<20))
	require.NoError(t, err)
	_, err = j.Write([]byte("x"))
	assert.EqualError(t, err, "the journal of this run has 2 MiB, as many as sv.journalMax allows")
	require.NoError(t, j.Close())
}

// TestASlowDiskStopsNobody checks that Write returns an error while the disk does nothing.
func TestASlowDiskStopsNobody(t *testing.T) {
	j := &File{most: func() int64 { return 1 << 30 }, queue: make(chan []byte, queued)}
	for range queued {
		_, err := j.Write([]byte("x"))
		require.NoError(t, err)
	}
	_, err := j.Write([]byte("x"))
	assert.ErrorIs(t, err, ErrBehind)
}

func TestAFullDiskIsToldOnce(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	j := &File{path: filepath.Join(t.TempDir(), "x"), most: func() int64 { return 1 << 30 }, queue: make(chan []byte, queued), done: make(chan struct{})}
	go j.run(f)
	_, err = j.Write([]byte("x"))
	require.NoError(t, err)
	assert.ErrorContains(t, j.Close(), "the journal cannot be written: write /dev/full: no space left on device")
}

func TestAMissingFolderIsOneSentence(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(filepath.Join(file, "x"), now, nil)
	assert.ErrorContains(t, err, "the folder of journals cannot be made")
}
