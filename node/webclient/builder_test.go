package webclient

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/brotli"
	"github.com/torc-engine/torc/internal/testenv"
)

// tree writes a source tree with a small client.
func tree(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

var small = map[string]string{"go.mod": "module example.org/x\n\ngo 1.26\n", "cmd/torc-web/main.go": "package main\n\nfunc main() {}\n"}

// withToolchain has the test build with Go itself if TORC_LONG is set: that takes many seconds.
// Otherwise the go of its PATH is fakeGo.
func withToolchain(t *testing.T) {
	if testenv.Long() {
		if _, err := exec.LookPath("go"); err != nil {
			t.Skip("there is no Go toolchain")
		}
		return
	}
	goRoot := tree(t, map[string]string{"lib/wasm/" + scriptName: "// glue"})
	exe, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, os.Symlink(exe, filepath.Join(goRoot, "go"+strings.TrimSuffix(filepath.Ext(exe), ".test"))))
	t.Setenv("PATH", goRoot)
	t.Setenv(fakeRoot, goRoot)
}

// fakeRoot is the environment variable with the GOROOT of fakeGo.
const fakeRoot = "TEST_GOROOT"

func TestMain(m *testing.M) {
	if root := os.Getenv(fakeRoot); root != "" {
		os.Exit(fakeGo(root, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// fakeGo is a Go toolchain: the program that it builds is a long text made from the source.
func fakeGo(root string, args []string) (status int) {
	switch {
	case slices.Equal(args, []string{"env", "GOVERSION"}):
		fmt.Println("go1.26")
	case slices.Equal(args, []string{"env", "GOROOT"}):
		fmt.Println(root)
	case args[0] == "list" && slices.Contains(args, "-deps"):
		folder, _ := filepath.Abs(args[len(args)-1]) // it fails only without a working directory
		fmt.Printf("main/main.go\t%s/main.go\n\n", folder)
	case args[0] == "build" && os.Getenv("GOOS") == "js" && os.Getenv("GOARCH") == "wasm":
		source, err := os.ReadFile(filepath.Join(args[len(args)-1], "main.go"))
		if err != nil || bytes.Contains(source, []byte("wrong")) {
			fmt.Fprintln(os.Stderr, "undefined: wrong", err)
			return 1
		}
		to := args[slices.Index(args, "-o")+1]
		if err := os.WriteFile(to, wasmOf(source), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case args[0] == "run" && args[1] == "./"+compressor && os.Getenv("GOOS") == "":
		level, err := strconv.Atoi(args[2])
		if err == nil {
			err = brotli.File(args[3], level)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	default:
		fmt.Fprintln(os.Stderr, "unknown", args)
		return 2
	}
	return 0
}

// wasmOf returns a text that compresses as a program does: the more work, the smaller.
func wasmOf(source []byte) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields(string(source))
	var text []byte
	for range 4_000 {
		text = fmt.Append(text, words[rng.IntN(len(words))], rng.IntN(100), " ")
	}
	return text
}

// TestBuild builds a client once. A second process finds it in the cache, a changed file is built
// again.
func TestBuild(t *testing.T) {
	withToolchain(t)
	b := Builder{Root: tree(t, small), Cache: filepath.Join(t.TempDir(), "a", "b"), Level: 1}
	files, err := b.Files(t.Context())
	require.NoError(t, err)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		assert.NotEmpty(t, text)
	}
	list := func() (names []string) {
		all, err := os.ReadDir(b.Cache)
		require.NoError(t, err)
		for _, d := range all {
			names = append(names, d.Name())
		}
		return names
	}
	require.Len(t, list(), 1, "only the complete build stays")
	info, err := os.Stat(filepath.Join(b.Cache, list()[0], scriptName))
	require.NoError(t, err)
	_, err = b.Files(t.Context())
	require.NoError(t, err)
	again, err := os.Stat(filepath.Join(b.Cache, list()[0], scriptName))
	require.NoError(t, err)
	assert.True(t, os.SameFile(info, again))

	main := filepath.Join(b.Root, "cmd", "torc-web", "main.go")
	require.NoError(t, os.WriteFile(main, []byte("package main\n\nfunc main() { println() }\n"), 0o644))
	_, err = b.Files(t.Context())
	require.NoError(t, err)
	assert.Len(t, list(), 2)

	require.NoError(t, os.WriteFile(main, []byte("package main\n\nfunc main() { wrong }\n"), 0o644))
	_, err = b.Files(t.Context())
	assert.ErrorContains(t, err, "undefined: wrong")
	assert.Len(t, list(), 2, "a failed build leaves nothing")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.Files(ended)
	assert.Error(t, err)
}

// TestCompile: two folders have the same bytes, as those of a release must.
func TestCompile(t *testing.T) {
	withToolchain(t)
	b := Builder{Root: tree(t, small), Level: 1}
	one, two := t.TempDir(), t.TempDir()
	require.NoError(t, b.Compile(t.Context(), one))
	require.NoError(t, b.Compile(t.Context(), two))
	for _, name := range names {
		first, err := os.ReadFile(filepath.Join(one, name))
		require.NoError(t, err)
		second, err := os.ReadFile(filepath.Join(two, name))
		require.NoError(t, err)
		assert.Equal(t, first, second, name)
	}
	b.Level = 0
	three := t.TempDir()
	require.NoError(t, b.Compile(t.Context(), three))
	size := func(folder string) int64 {
		info, err := os.Stat(filepath.Join(folder, wasmName+".br"))
		require.NoError(t, err)
		return info.Size()
	}
	assert.Less(t, size(three), size(one), "the level counts")
}

func TestNothingToBuild(t *testing.T) {
	_, err := Builder{Root: t.TempDir(), Cache: t.TempDir()}.Files(t.Context())
	assert.ErrorContains(t, err, "cmd/torc-web")
	root := tree(t, small)
	t.Setenv("PATH", t.TempDir())
	_, err = Builder{Root: root, Cache: t.TempDir()}.Files(t.Context())
	assert.ErrorContains(t, err, "needs Go")
}

// TestSourceTree: the test itself was built in one.
func TestSourceTree(t *testing.T) {
	root, err := sourceTree()
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, "ARCHITECTURE.md"))
}

// TestKey: what the build of a program reads changes the name of the build, and nothing else does.
// It asks Go itself.
func TestKey(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no Go toolchain")
	}
	root := tree(t, map[string]string{
		"go.mod":               "module example.org/game\n\ngo 1.26\n\nrequire example.org/lib v0.0.0\n\nreplace example.org/lib => ./elsewhere\n",
		"browser/main.go":      "package main\n\nimport \"example.org/game/classes\"\n\nfunc main() { println(classes.Text) }\n",
		"classes/a.go":         "package classes\n\nimport (\n\t_ \"embed\"\n\n\t_ \"example.org/lib\"\n)\n\n//go:embed a.css\nvar Text string\n",
		"classes/a.css":        "x",
		"classes/a_test.go":    "package classes\n",
		"classes/a_windows.go": "package classes\n",
		"server/main.go":       "package main\n\nfunc main() {}\n",
		"elsewhere/go.mod":     "module example.org/lib\n\ngo 1.26\n",
		"elsewhere/lib.go":     "package lib\n",
	})
	b := Builder{Root: root, Program: "browser"}
	plain, err := b.key(t.Context())
	require.NoError(t, err)
	assert.Len(t, plain, 32)
	for _, c := range []struct {
		read  bool
		names []string
	}{
		{false, []string{"classes/a_test.go", "classes/a_windows.go", "server/main.go"}},
		{true, []string{"classes/a.css"}}, {true, []string{"elsewhere/lib.go"}}, {true, []string{"browser/main.go"}},
	} {
		for _, name := range c.names {
			path := filepath.Join(root, filepath.FromSlash(name))
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o644))
		}
		got, err := b.key(t.Context())
		require.NoError(t, err)
		assert.Equal(t, c.read, got != plain, c.names)
		plain = got
	}
	b.Level++
	got, err := b.key(t.Context())
	require.NoError(t, err)
	assert.NotEqual(t, plain, got)
	b.Program = "nosuch"
	_, err = b.key(t.Context())
	assert.ErrorContains(t, err, "nosuch")
}

// TestPrune keeps the newest builds.
func TestPrune(t *testing.T) {
	b := Builder{Cache: t.TempDir()}
	for i, name := range []string{"new", "old1", "old2", "old3", "old4", "building-1"} {
		path := filepath.Join(b.Cache, name)
		require.NoError(t, os.Mkdir(path, 0o700))
		at := time.Now().Add(-time.Duration(i) * time.Hour)
		require.NoError(t, os.Chtimes(path, at, at))
	}
	b.prune("new")
	for name, stays := range map[string]bool{"new": true, "old1": true, "old2": true, "old3": true, "old4": false, "building-1": true} {
		_, err := os.Stat(filepath.Join(b.Cache, name))
		assert.Equal(t, stays, err == nil, name)
	}
}
