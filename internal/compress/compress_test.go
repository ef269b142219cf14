package compress

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// text is not too easy to compress.
func text() (b []byte) {
	for i := range 20_000 {
		b = fmt.Append(b, "body ", i*i>>3, "\n")
	}
	return b
}

// TestLevels: a higher level is smaller, and browsers can read all forms.
func TestLevels(t *testing.T) {
	fast, small := Brotli(text(), 9), Brotli(text(), 11)
	assert.Less(t, len(small), len(fast))
	zipped, err := gzip.NewReader(bytes.NewReader(Gzip(text())))
	require.NoError(t, err)
	for _, form := range []io.Reader{brotli.NewReader(bytes.NewReader(fast)), brotli.NewReader(bytes.NewReader(small)), zipped} {
		got, err := io.ReadAll(form)
		require.NoError(t, err)
		assert.Equal(t, text(), got)
	}
}

// TestGunzip returns what was compressed, and nothing of a broken file.
func TestGunzip(t *testing.T) {
	assert.Equal(t, text(), Gunzip(Gzip(text())))
	assert.Nil(t, Gunzip(nil))
	assert.Nil(t, Gunzip(Gzip(text())[:1000]))
}

// TestSmallFileTakesLittleMemory: the window of brotli is no larger than the file needs.
func TestSmallFileTakesLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Brotli(text()[:1000], 9)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

// TestFile writes both forms beside a file, at the level that is asked for.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wasm")
	require.Error(t, File(path, 9))
	require.NoError(t, os.WriteFile(path, text(), 0o600))
	require.NoError(t, File(path, 4))
	for extension, want := range map[string][]byte{".br": Brotli(text(), 4), ".gz": Gzip(text())} {
		got, err := os.ReadFile(path + extension)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// TestScript: only whole lines of comments become empty, and no line moves.
func TestScript(t *testing.T) {
	assert.Equal(t, "\na = \"//b\"; // c\n\n\n", string(Script([]byte("// a\na = \"//b\"; // c\n\t // d\n\n"))))
}
