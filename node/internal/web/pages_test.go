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

	"github.com/andybalholm/brotli"
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

var site = map[string]string{
	"index.html":      `<script type="module" src="./main.js"></script><link rel="stylesheet" href="./main.css"><a href="./none.js">`,
	"main.js":         `import { draw } from "./scene.js"; import './vendor/three.js'; new URL("./torc.wasm", import.meta.url); const x = "./" + y`,
	"scene.js":        `import "./main.js"; export function draw() {}`,
	"main.css":        `body { background: url(./sky.png) }`,
	"sky.png":         "png",
	"vendor/three.js": strings.Repeat("export const a = 1; ", 100),
	"vendor/two.js":   `import "./three.js"; import "../scene.js"`,
	"vendor/LICENSE":  "MIT",
	"www.go":          "package www",
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
	built := map[string]string{"torc.wasm": "wasm"}
	p, err := newPages(folder(site), folder(built))
	require.NoError(t, err)
	at := paths(t, p)
	assert.ElementsMatch(t, []string{"/assets/main.js", "/assets/scene.js", "/assets/main.css", "/assets/sky.png", "/assets/vendor/three.js", "/assets/vendor/two.js", "/assets/torc.wasm"},
		slices.Collect(maps.Keys(at)))
	page := string(p.index.plain)
	assert.Contains(t, page, `src=".`+at["/assets/main.js"]+`"`)
	assert.Contains(t, page, `href=".`+at["/assets/main.css"]+`"`)
	assert.Contains(t, page, `"./none.js"`)
	main := string(p.assets[at["/assets/main.js"]].plain)
	for _, to := range []string{"scene.js", "vendor/three.js", "torc.wasm"} {
		assert.Contains(t, main, ".."+at["/assets/"+to])
	}
	assert.Contains(t, main, `"./" + y`)
	assert.Contains(t, string(p.assets[at["/assets/scene.js"]].plain), `"..`+at["/assets/main.js"], "files can refer to each other")
	assert.Contains(t, string(p.assets[at["/assets/main.css"]].plain), "(.."+at["/assets/sky.png"])
	two := string(p.assets[at["/assets/vendor/two.js"]].plain)
	assert.Contains(t, two, `"../..`+at["/assets/scene.js"], "a file in a folder")
	assert.Contains(t, two, `"../..`+at["/assets/vendor/three.js"])

	// A changed file changes the paths of all that refer to it, and no others.
	built["torc.wasm"] = "wasm 2"
	p, err = newPages(folder(site), folder(built))
	require.NoError(t, err)
	changed := paths(t, p)
	for name, was := range at {
		same := name == "/assets/main.css" || name == "/assets/sky.png" || name == "/assets/vendor/three.js"
		assert.Equal(t, same, was == changed[name], name)
	}
	_, err = newPages(folder(built))
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
	plain, err := io.ReadAll(brotli.NewReader(bytes.NewReader(a.br())))
	require.NoError(t, err)
	assert.Equal(t, long, string(plain))
	r, err := gzip.NewReader(bytes.NewReader(a.gz()))
	require.NoError(t, err)
	plain, err = io.ReadAll(r)
	require.NoError(t, err)
	assert.Equal(t, long, string(plain))
	assert.Nil(t, p.index.gz(), "a small file is not smaller compressed")
	assert.Nil(t, p.assets[at["/assets/b.png"]].gz())
	for _, name := range []string{"c", "d"} {
		a := p.assets[at["/assets/"+name+".wasm"]]
		assert.Equal(t, "br", string(a.br()))
		assert.Equal(t, "gz", string(a.gz()))
	}
	assert.Nil(t, p.assets[at["/assets/c.wasm"]].plain)
	assert.Nil(t, p.assets[at["/assets/e.js"]].plain)
	assert.Equal(t, a.br(), p.assets[at["/assets/e.js"]].br(), "it is made from the other form")
	assert.Equal(t, a.gz(), p.assets[at["/assets/e.js"]].gz())
	assert.Nil(t, p.assets[at["/assets/g.wasm"]].br(), "brotli takes many seconds for a program")
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
	first := a.br()
	assert.Same(t, &first[0], &a.br()[0])
}

func TestAccepts(t *testing.T) {
	for header, want := range map[string]bool{
		"": false, "br": true, "gzip, br": true, "gzip,BR;q=0.5": true, "br;q=0": false, "br; q=0.0, gzip": false, "brr": false, "gzip": false,
	} {
		assert.Equal(t, want, accepts(header, "br"), header)
	}
}
