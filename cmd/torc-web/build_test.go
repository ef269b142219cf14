//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing/fstest"
)

// program builds the program, once for all tests. It is compressed fast and not well.
var program = sync.OnceValues(func() (fs.FS, error) {
	dir, err := os.MkdirTemp("", "torc-web")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	wasm := filepath.Join(dir, "torc.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", wasm, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return nil, err
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // the level is valid
	_, _ = w.Write(code)                                 // a buffer takes everything
	_ = w.Close()
	return fstest.MapFS{"torc.wasm.gz": {Data: packed.Bytes()}, "wasm_exec.js": {Data: script}}, nil
})

// built is program as the server asks for it.
func built(context.Context) (fs.FS, error) { return program() }
