package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"maps"
	"math"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/compress"
)

func folder(files map[string]string) fs.FS {
	f := fstest.MapFS{}
	for name, text := range files {
		f[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return f
}

// threeJS is a long file of the page.
var threeJS = strings.Repeat("export const a = 1; ", 100)

var site = map[string]string{
	"index.html": `<script type="module" src="./main.js"></script>`, "main.js": `import './vendor/three.js'`,
	"vendor/three.js": threeJS, "vendor/LICENSE": "MIT", "www.go": "package www",
}

// paths returns the paths of the assets by their name without the hash.
func paths(t *testing.T, p *pages) map[string]string {
	all := map[string]string{}
	hash := regexp.MustCompile(`\.[0-9a-f]{16}\.`)
	for at := range p.assets {
		require.Regexp(t, hash, at)
		all[hash.ReplaceAllString(at, ".")] = at
	}
	return all
}

func TestPages(t *testing.T) {
	p, err := newPages(folder(site))
	require.NoError(t, err)
	at := paths(t, p)
	assert.ElementsMatch(t, []string{"/assets/main.js", "/assets/vendor/three.js"}, slices.Collect(maps.Keys(at)))
	assert.Contains(t, string(p.index.plain), `src=".`+at["/assets/main.js"]+`"`)
	_, err = newPages(folder(map[string]string{"a.js": "y"}))
	assert.ErrorContains(t, err, "index.html")
}

func TestCompression(t *testing.T) {
	long := strings.Repeat("torc ", 2000)
	p, err := newPages(folder(map[string]string{
		"index.html": "x", "a.js": long, "b.png": long, "c.wasm.br": "br", "c.wasm.gz": "gz",
		"d.wasm": long, "d.wasm.br": "br", "d.wasm.gz": "gz", "e.js.gz": string(compress.Gzip([]byte(long))),
		"f.js": "old", "f.js.gz": "old", "g.wasm.gz": string(compress.Gzip([]byte(long))),
	}), folder(map[string]string{"f.js": long}))
	require.NoError(t, err)
	at := paths(t, p)
	a := p.assets[at["/assets/a.js"]]
	assert.Nil(t, a.br, "a server makes no form with brotli")
	r, err := gzip.NewReader(bytes.NewReader(a.gz()))
	require.NoError(t, err)
	plain, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, long, string(plain))
	assert.Nil(t, p.index.gz(), "a small file is not smaller compressed")
	assert.Nil(t, p.assets[at["/assets/b.png"]].gz())
	for _, name := range []string{"c", "d"} {
		a := p.assets[at["/assets/"+name+".wasm"]]
		assert.Equal(t, "br", string(a.br))
		assert.Equal(t, "gz", string(a.gz()))
	}
	assert.Nil(t, p.assets[at["/assets/c.wasm"]].plain)
	assert.Nil(t, p.assets[at["/assets/e.js"]].plain)
	assert.Equal(t, a.gz(), p.assets[at["/assets/e.js"]].gz())
	assert.Equal(t, a.gz(), p.assets[at["/assets/g.wasm"]].gz())
	assert.Equal(t, a.gz(), p.assets[at["/assets/f.js"]].gz(), "the form of a replaced file is gone")
}

// allocated returns the bytes that a function allocates: the least of ten calls, because other
// goroutines allocate, too.
func allocated(f func()) int {
	least := uint64(math.MaxInt)
	for range 10 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return int(least)
}

// TestCompressionWaitsForABrowser: pages cost little memory until a browser asks for a file, and
// each form of a file is made once.
func TestCompressionWaitsForABrowser(t *testing.T) {
	long := strings.Repeat("torc ", 40_000)
	var p *pages
	made := allocated(func() {
		var err error
		p, err = newPages(folder(map[string]string{"index.html": "x", "a.js": long}))
		require.NoError(t, err)
	})
	assert.Less(t, made, 4*len(long))
	a := p.assets[paths(t, p)["/assets/a.js"]]
	first := a.gz()
	assert.Same(t, &first[0], &a.gz()[0])
}

func TestAccepts(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "br": true, "gzip, br": true, "gzip,BR;q=0.5": true, "br;q=0": false, "br; q=0.0, gzip": false, "brr": false, "gzip": false,
	} {
		assert.Equal(t, want, accepts(header, "br"), header)
	}
}
