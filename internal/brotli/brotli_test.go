package brotli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/fstest"

	encoder "github.com/andybalholm/brotli"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/compress"
	"github.com/torc-engine/torc/internal/webfiles"
)

// text is not too easy to compress.
func text() (b []byte) {
	for i := range 4000 {
		b = fmt.Append(b, "body ", i*i>>3, "\n")
	}
	return b
}

// TestLevels: a higher level is smaller, and browsers can read both.
func TestLevels(t *testing.T) {
	fast, small := Compress(text(), 9), Compress(text(), 11)
	assert.Less(t, len(small), len(fast))
	for _, form := range [][]byte{fast, small} {
		assert.Equal(t, string(text()), unpacked(t, form))
	}
}

// TestSmallFileTakesLittleMemory: the window of brotli is no larger than the file needs.
func TestSmallFileTakesLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Compress(text()[:1000], 9)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

// TestFile writes both forms beside a file, at the level that is asked for.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.wasm")
	require.Error(t, File(path, 9))
	require.NoError(t, os.WriteFile(path, text(), 0o600))
	require.NoError(t, File(path, 4))
	for extension, want := range map[string][]byte{".br": Compress(text(), 4), ".gz": compress.Gzip(text())} {
		got, err := os.ReadFile(path + extension)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// TestTexts: a server finds the texts of a page compressed, with the references that it sends. Of
// what is no text, compressed already or tiny, nothing is written.
func TestTexts(t *testing.T) {
	to := t.TempDir()
	page := fstest.MapFS{
		"index.html": {Data: []byte("x")}, "a.js": {Data: append([]byte("import './v/b.js'\n"), text()...)}, "v/b.js.gz": {Data: compress.Gzip(text())},
		"c.wasm": {Data: text()}, "d.css": {Data: text()}, "d.css.br": {Data: []byte("br")},
	}
	require.NoError(t, Texts(to, 4, page, os.DirFS(to)))
	written, err := os.ReadDir(to)
	require.NoError(t, err)
	assert.Len(t, written, 2)
	files, err := webfiles.Read(page, os.DirFS(to))
	require.NoError(t, err)
	for _, f := range files {
		switch f.Name {
		case "a.js":
			assert.Equal(t, string(f.Content), unpacked(t, f.Br))
			assert.NotContains(t, unpacked(t, f.Br), "./v/b.js")
		case "v/b.js":
			assert.Equal(t, string(text()), unpacked(t, f.Br))
		}
	}
}

// unpacked returns the text of a compressed form.
func unpacked(t *testing.T, form []byte) string {
	t.Helper()
	got, err := io.ReadAll(encoder.NewReader(bytes.NewReader(form)))
	require.NoError(t, err)
	return string(got)
}
