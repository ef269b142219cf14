package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// suffix is the end of a program's name.
var suffix = map[string]string{"windows": ".exe"}

// buildTorc builds ./cmd/torc of the source tree in the current folder. The caller must call
// remove.
func buildTorc(ctx context.Context) (path string, remove func(), err error) {
	if _, err := os.Stat(filepath.Join("cmd", "torc", "main.go")); err != nil {
		return "", nil, flags.Usagef("torclab builds ./cmd/torc, which is not here: name the program with --torc, or run torclab in the source tree")
	}
	dir, err := os.MkdirTemp("", "torclab-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	path = filepath.Join(dir, "torc"+suffix[runtime.GOOS])
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/torc").CombinedOutput()
	if err != nil {
		remove()
		return "", nil, fmt.Errorf("go build ./cmd/torc: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return path, remove, nil
}
