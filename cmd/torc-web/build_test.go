//go:build !js

package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing/fstest"

	"github.com/torc-engine/torc/node/webclient"
)

// program builds the program as a release does, once for all tests. It is compressed fast and not
// well.
var program = sync.OnceValues(func() (fs.FS, error) {
	dir, err := os.MkdirTemp("", "torc-web")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := (webclient.Builder{Root: "../..", Level: 1}).Compile(context.Background(), dir); err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	for _, name := range []string{"torc.wasm.gz", "wasm_exec.js"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: data}
	}
	return files, nil
})

// built is program as the server asks for it.
func built(context.Context) (fs.FS, error) { return program() }
