//go:build !js

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/internal/compress"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/webclient"
)

// mostOfFirstLoad is the most bytes that a browser loads for its first visit, as docs/browser.md
// promises.
const mostOfFirstLoad = 3_260_000

// mostOfLanguage is the most bytes that another language than English adds to it.
const mostOfLanguage = 6_000

// later are the files that a browser loads when somebody talks.
var later = []string{"budget.js", "capture.js", "order.js", "ring.js", "talkers.js", "worklet.js"}

// TestFirstLoad adds up what a browser loads from a release over HTTPS. The compression of a
// release takes a minute, so the test is a long one.
func TestFirstLoad(t *testing.T) {
	if !testenv.Long() {
		t.Skip("TORC_LONG=1 compresses the program as a release does")
	}
	to, sum, voice := t.TempDir(), 0, 0
	require.NoError(t, webclient.Builder{Root: "../..", Level: webclient.ReleaseLevel}.Compile(t.Context(), to))
	program, err := os.ReadFile(filepath.Join(to, "torc.wasm.br"))
	require.NoError(t, err)
	glue, err := os.ReadFile(filepath.Join(to, "wasm_exec.js"))
	require.NoError(t, err)
	sum += len(program) + len(compress.Brotli(compress.Script(glue), webclient.ReleaseLevel))
	require.NoError(t, fs.WalkDir(www.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(www.FS, name)
		if filepath.Ext(name) == ".js" {
			b = compress.Script(b)
		}
		size := len(compress.Brotli(b, webclient.ReleaseLevel))
		if strings.HasPrefix(name, "text.") {
			assert.Less(t, size, mostOfLanguage, name)
			return err
		}
		if slices.Contains(later, name) {
			voice += size
			return err
		}
		sum += size
		return err
	}))
	t.Logf("%d bytes, %d of them the program, and %d for voice", sum, len(program), voice)
	assert.LessOrEqual(t, sum, mostOfFirstLoad)
	page, err := os.ReadFile("../../docs/browser.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "| first load over HTTPS, of a release | ≤ 3.26 MB |")
}
