package webfiles

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// read returns the files of folders by name.
func read(t *testing.T, folders ...map[string]string) map[string]File {
	t.Helper()
	var list []fs.FS
	for _, f := range folders {
		list = append(list, folder(f))
	}
	files, err := Read(list...)
	require.NoError(t, err)
	all := map[string]File{}
	for _, f := range files {
		all[f.Name] = f
	}
	return all
}

// TestRead: each file has its hash in its path, and refers to others by theirs.
func TestRead(t *testing.T) {
	built := map[string]string{"torc.wasm": "wasm"}
	files := read(t, site, built)
	hash := regexp.MustCompile(`\.[0-9a-f]{16}\.`)
	for _, name := range []string{"main.js", "scene.js", "main.css", "sky.png", "vendor/three.js", "vendor/two.js", "torc.wasm", Index} {
		assert.Equal(t, "/assets/"+name, hash.ReplaceAllString(files[name].Path, "."))
	}
	assert.Len(t, files, 8)
	page := string(files[Index].Content)
	assert.Contains(t, page, `src=".`+files["main.js"].Path+`"`)
	assert.Contains(t, page, `href=".`+files["main.css"].Path+`"`)
	assert.Contains(t, page, `"./none.js"`)
	main := string(files["main.js"].Content)
	for _, to := range []string{"scene.js", "vendor/three.js", "torc.wasm"} {
		assert.Contains(t, main, ".."+files[to].Path)
	}
	assert.Contains(t, main, `"./" + y`)
	assert.Contains(t, string(files["scene.js"].Content), `"..`+files["main.js"].Path, "files can refer to each other")
	assert.Contains(t, string(files["main.css"].Content), "(.."+files["sky.png"].Path)
	two := string(files["vendor/two.js"].Content)
	assert.Contains(t, two, `"../..`+files["scene.js"].Path, "a file in a folder")
	assert.Contains(t, two, `"../..`+files["vendor/three.js"].Path)

	// A changed file changes the paths of all that refer to it, and no others.
	built["torc.wasm"] = "wasm 2"
	changed := read(t, site, built)
	for name, was := range files {
		same := name == "main.css" || name == "sky.png" || name == "vendor/three.js"
		assert.Equal(t, same, was.Path == changed[name].Path, name)
	}
}

// TestForms: a compressed form stands beside its file. One of a release belongs to the hash, so it
// is not used for a file that refers to a changed one.
func TestForms(t *testing.T) {
	built := map[string]string{"torc.wasm.br": "br", "torc.wasm.gz": "gz"}
	built[read(t, site, built)["main.js"].ReleasedName()] = "main in brotli"
	files := read(t, site, built)
	assert.Equal(t, "main in brotli", string(files["main.js"].Br))
	assert.Equal(t, files["main.js"].Hash, files["scene.js"].Hash, "they refer to each other")
	assert.Nil(t, files["scene.js"].Br)
	wasm := files["torc.wasm"]
	assert.Nil(t, wasm.Content)
	assert.Equal(t, []string{"br", "gz"}, []string{string(wasm.Br), string(wasm.Gz)})
	assert.Len(t, files, 8, "a form is no file of its own")

	files = read(t, site, built, map[string]string{"scene.js": "other"})
	assert.Nil(t, files["main.js"].Br, "it refers to another scene.js")
	files = read(t, site, built, map[string]string{"torc.wasm": "other"})
	assert.Nil(t, files["torc.wasm"].Br, "the form of a replaced file is gone")
}
