package demos

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{"a": "a.torc", "a.torc": "a.torc", "Final_2-1.b": "Final_2-1.b.torc"} {
		file, err := FileName(name)
		require.NoError(t, err)
		assert.Equal(t, want, file)
	}
	for _, name := range []string{"", ".torc", ".hidden", "-x", "..", "../x", "a/b", `a\b`, "a b", "ä", "C:x", string(make([]byte, 65))} {
		_, err := FileName(name)
		assert.ErrorContains(t, err, "must have 1 to 64 letters", "%q", name)
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "demos", "a.torc")
	f, err := Create(path, []byte("header"), 10)
	require.NoError(t, err)
	require.NoError(t, f.Write([]byte("1234")))
	assert.EqualValues(t, 10, f.Size())
	assert.EqualError(t, f.Write([]byte("5")), "it has 0 MiB, which is the limit")
	f.Close()
	require.NoError(t, f.Wait())
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "header1234", string(b))
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	_, err = Create(path, nil, 10)
	assert.ErrorContains(t, err, "exists already")
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "header1234", string(b), "it is not overwritten")
}

// TestSlowDisk: a file whose disk takes nothing fills its queue, and then the demo ends. Nothing
// waits.
func TestSlowDisk(t *testing.T) {
	f := &File{most: 1 << 40, queue: make(chan []byte, maxWrites)}
	var err error
	for n := 0; err == nil; n++ {
		require.LessOrEqual(t, n, maxQueued>>20)
		err = f.Write(make([]byte, 1<<20))
	}
	assert.Equal(t, errSlow, err)

	f = &File{most: 1 << 40, queue: make(chan []byte, maxWrites)}
	for err = nil; err == nil; {
		err = f.Write([]byte{1})
	}
	assert.Equal(t, errSlow, err, "many small pieces")
	assert.Len(t, f.queue, maxWrites)
}

// TestFullDisk: a failed write is reported by the next one, and by Wait.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	out, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	require.NoError(t, err)
	f := &File{most: 100, queue: make(chan []byte, maxWrites), done: make(chan struct{})}
	require.NoError(t, f.Write([]byte("x")))
	f.Close()
	f.write(out)
	assert.ErrorContains(t, f.Wait(), "no space left")
	assert.ErrorContains(t, f.Write(nil), "no space left")
}

// TestLongDemo: a demo can be longer than the queue for the disk, because what is on the disk no
// longer waits. After the end, nothing waits.
func TestLongDemo(t *testing.T) {
	piece := make([]byte, maxQueued/4)
	short, err := Create(filepath.Join(t.TempDir(), "short.torc"), piece[:1], 1<<30)
	require.NoError(t, err)
	short.Close()
	require.NoError(t, short.Wait())
	require.Zero(t, short.queued.Load(), "the disk has it, and it still counts")
	path := filepath.Join(t.TempDir(), "long.torc")
	f, err := Create(path, nil, 1<<30)
	require.NoError(t, err)
	for range 6 {
		require.NoError(t, f.Write(piece))
		for limit := testenv.Limit(t); f.queued.Load() > 0; testenv.Pause() {
			require.False(t, testenv.Expired(limit), "the disk has it, and it still counts")
		}
	}
	assert.False(t, f.Done(), "it goes on")
	f.Close()
	require.NoError(t, f.Wait())
	assert.True(t, f.Done())
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.EqualValues(t, 6*len(piece), info.Size())
}
