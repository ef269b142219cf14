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
	"github.com/torc-engine/torc/internal/brotli"
	"github.com/torc-engine/torc/internal/compress"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node/webclient"
)

// mostOfFirstLoad is the most bytes that a browser loads for its first visit, as docs/browser.md
// promises.
const mostOfFirstLoad = 3_340_000

// mostOfLanguage is the most bytes that another language than English adds to it.
const mostOfLanguage = 6_000

// fastShare is the size of the program at the level of somebody who waits, as a share of that of a
// release: 1.144, 1.150 and 1.153 of three programs. An estimate with it can be wrong by fastError.
const (
	fastShare = 1.150
	fastError = 1.006
)

// later are the files that a browser loads when somebody talks, when a mod asks for a key, or when
// a server sends the player to another one.
var later = []string{"binds.js", "budget.js", "capture.js", "elements.js", "follow.js", "order.js", "ring.js", "talkers.js", "worklet.js"}

// parts returns the client of a release, which takes minutes to compress. The short form has the
// build that the other tests use, and share is how much larger its program is.
func parts(t *testing.T) (client fs.FS, share float64) {
	t.Helper()
	if !testenv.Long() {
		if os.Getenv("TORC_BROWSER") == "" {
			t.Skip("TORC_BROWSER=1 builds the program, and TORC_LONG=1 compresses it as a release does")
		}
		client, err := webclient.Files(t.Context())
		require.NoError(t, err)
		return client, fastShare
	}
	to := t.TempDir()
	require.NoError(t, webclient.Builder{Root: "../..", Level: webclient.ReleaseLevel}.Compile(t.Context(), to))
	return os.DirFS(to), 1
}

// TestFirstLoad adds up what a browser loads from a release over HTTPS.
func TestFirstLoad(t *testing.T) {
	client, share := parts(t)
	program, err := fs.ReadFile(client, "torc.wasm.br")
	require.NoError(t, err)
	glue, err := fs.ReadFile(client, "wasm_exec.js")
	require.NoError(t, err)
	voice, size, most := 0, int(float64(len(program))/share), mostOfFirstLoad
	if share != 1 {
		most = int(mostOfFirstLoad * fastError)
	}
	sum := size + len(brotli.Compress(compress.Script(glue), webclient.ReleaseLevel))
	require.NoError(t, fs.WalkDir(www.FS, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(www.FS, name)
		switch filepath.Ext(name) {
		case ".js":
			b = compress.Script(b)
		case ".gz":
			b = compress.Gunzip(b)
		}
		size := len(brotli.Compress(b, webclient.ReleaseLevel)) // of small files it takes no time
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
	t.Logf("%d bytes, %d of them the program, and %d for voice", sum, size, voice)
	assert.LessOrEqual(t, sum, most)
	page, err := os.ReadFile("../../docs/browser.md")
	require.NoError(t, err)
	assert.Contains(t, string(page), "| first load over HTTPS, of a release | ≤ 3.34 MB |")
}
