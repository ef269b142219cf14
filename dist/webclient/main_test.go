package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	encoder "github.com/andybalholm/brotli"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/internal/compress"
	"github.com/torc-engine/torc/internal/webfiles"
)

// TestReleaseHasTextsInBrotli: a server of a release finds each text of the page in brotli, with
// the references that it sends.
func TestReleaseHasTextsInBrotli(t *testing.T) {
	to := t.TempDir()
	for _, name := range []string{"torc.wasm.br", "torc.wasm.gz", "wasm_exec.js"} {
		require.NoError(t, os.WriteFile(filepath.Join(to, name), bytes.Repeat([]byte(name), 100), 0o600))
	}
	require.NoError(t, compressTexts(to, 1))
	files, err := webfiles.Read(www.FS, os.DirFS(to))
	require.NoError(t, err)
	texts := 0
	for _, f := range files {
		if !f.IsText() {
			continue
		}
		text := f.Content
		if text == nil {
			text = compress.Gunzip(f.Gz)
		}
		require.NotNil(t, f.Br, f.Name)
		got, err := io.ReadAll(encoder.NewReader(bytes.NewReader(f.Br)))
		require.NoError(t, err, f.Name)
		assert.Equal(t, string(text), string(got), f.Name)
		texts++
	}
	assert.Greater(t, texts, 40)
}
