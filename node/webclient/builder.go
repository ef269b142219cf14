package webclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

const (
	module     = "github.com/torc-engine/torc"
	stock      = "cmd/torc-web" // the client with torc's own classes
	compressor = "dist/compress"
	wasmName   = "torc.wasm"
	scriptName = "wasm_exec.js"
	maxBuilds  = 4 // that the cache keeps
)

// Levels of compression. The highest takes a minute of a core, and saves an eighth.
const (
	fastLevel    = 9
	ReleaseLevel = 11
)

// Builder builds the client from a source tree: that of torc, or of a program with own classes.
type Builder struct {
	Root    string // folder of the module's go.mod
	Program string // folder of the main package below Root, which calls wasm.Run; "" is cmd/torc-web
	Cache   string // folder of the builds; "" is torc/web in the user's cache
	Level   int    // of brotli, 1 to ReleaseLevel; 0 is the level for somebody who waits
}

// cold are packages whose functions are not inlined: a browser runs them at the start, for a
// packet, or seldom. The program is 7 % smaller over the wire.
var cold = []string{
	"bufio", "compress/flate", "crypto/...", "encoding/base32", "encoding/base64", "encoding/hex", "encoding/json", "fmt", "log/slog", "math/big", "net/netip",
	"net/url", "os", "path/...", "reflect", "strconv", "text/tabwriter",
	"github.com/BurntSushi/toml", "github.com/klauspost/...",
	"github.com/yuin/gopher-lua/ast", "github.com/yuin/gopher-lua/parse", "github.com/yuin/gopher-lua/pm",
	module + "/console", module + "/engine/form", module + "/engine/picture", module + "/engine/recording", module + "/engine/spectate", module + "/game/look", module + "/internal/boundtoml",
	module + "/internal/names", module + "/internal/semver", module + "/internal/spell", module + "/netcore", module + "/netcore/congestion", module + "/netcore/event", module + "/netcore/move",
	module + "/netcore/query", module + "/netcore/rendezvous", module + "/netcore/seal", module + "/node/...", module + "/script",
	module + "/script/bind", module + "/script/json", module + "/script/luac", module + "/script/manifest", module + "/script/reference", module + "/script/sockets",
	module + "/script/store", module + "/script/texts",
}

// framed is the package whose functions run for each picture, although it is in a folder of cold
// ones.
const framed = module + "/node/play"

// Released reports whether this program contains the client, as a release does.
func Released() bool { return released != nil }

// Files returns the built parts of the client: those of the release, or else those that it builds.
// It returns soon after ctx ends.
func Files(ctx context.Context) (fs.FS, error) {
	if released != nil {
		return fs.Sub(released, "built")
	}
	root, err := sourceTree()
	if err != nil {
		return nil, err
	}
	return Builder{Root: root}.Files(ctx)
}

// sourceTree returns the folder of the source tree that this program was built in.
func sourceTree() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if !filepath.IsAbs(file) || err != nil || !strings.HasPrefix(string(text), "module "+module+"\n") {
		return "", errors.New("this program was built without it, and its source tree is gone. Use a release, or go run ./cmd/torc in the source tree")
	}
	return root, nil
}

// Files returns the folder of the build. It builds what the cache does not have.
func (b Builder) Files(ctx context.Context) (fs.FS, error) {
	if info, err := os.Stat(filepath.Join(b.Root, b.program())); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("the source tree has no %s", b.program())
	}
	if b.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("there is no folder to build it in: %w", err)
		}
		b.Cache = filepath.Join(cache, "torc", "web")
	}
	key, err := b.key(ctx)
	if err != nil {
		return nil, err
	}
	to := filepath.Join(b.Cache, key)
	if !complete(to) {
		if err := b.build(ctx, to); err != nil {
			return nil, err
		}
		b.prune(key)
	}
	return os.DirFS(to), nil
}

// program returns the folder of the main package below Root.
func (b Builder) program() string { return filepath.FromSlash(cmp.Or(b.Program, stock)) }

// names are the files of a build. The WebAssembly is only sent compressed.
var names = []string{wasmName + ".br", wasmName + ".gz", scriptName}

// complete reports whether a folder has a build.
func complete(folder string) bool {
	for _, name := range names {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}

// build builds into a folder, which exists only when it is complete.
func (b Builder) build(ctx context.Context, to string) error {
	if err := os.MkdirAll(b.Cache, 0o700); err != nil {
		return err
	}
	work, err := os.MkdirTemp(b.Cache, "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if err := b.Compile(ctx, work); err != nil {
		return err
	}
	err = os.Rename(work, to)
	if err != nil && complete(to) {
		return nil // another process was faster
	}
	return err
}

// Compile writes the files of a build into a folder, without the cache.
func (b Builder) Compile(ctx context.Context, to string) error {
	wasm, err := filepath.Abs(filepath.Join(to, wasmName))
	if err != nil {
		return err
	}
	// No -p 1: a low priority leaves the cores to the game, and players wait for the result.
	if _, err := b.goTool(ctx, slices.Concat([]string{"build", "-o", wasm}, flags(), []string{b.target()})...); err != nil {
		return err
	}
	if err := b.compress(ctx, wasm); err != nil {
		return err
	}
	goRoot, err := b.goTool(ctx, "env", "GOROOT")
	if err != nil {
		return err
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(goRoot), "lib", "wasm", scriptName))
	if err != nil {
		return fmt.Errorf("the Go toolchain has no %s: %w", scriptName, err)
	}
	return errors.Join(os.WriteFile(filepath.Join(to, scriptName), script, 0o600), os.Remove(wasm), ctx.Err())
}

// compress compresses a file in a process of its own: brotli takes 240 MB for the client, which the
// server would keep.
func (b Builder) compress(ctx context.Context, path string) error {
	root, program := b.Root, module+"/"+compressor // of the release of torc that Root needs
	if tree, err := sourceTree(); err == nil {
		root, program = tree, "./"+compressor
	}
	_, err := runGo(ctx, root, nil, "run", program, strconv.Itoa(cmp.Or(b.Level, fastLevel)), path)
	return err
}

// target returns the main package as an argument of the go command.
func (b Builder) target() string { return "./" + filepath.ToSlash(b.program()) }

// pageTag leaves out what only servers run (engine/canserve_page.go).
const pageTag = "page"

// flags returns the flags of the build.
func flags() []string {
	list := []string{"-tags", pageTag, "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid="}
	for _, p := range cold {
		list = append(list, "-gcflags="+p+"=-l")
	}
	return append(list, "-gcflags="+framed+"=") // the last flag that matches a package counts
}

// goTool runs the go command for the browser's platform in the source tree, and returns its output.
func (b Builder) goTool(ctx context.Context, args ...string) (string, error) {
	return runGo(ctx, b.Root, []string{"GOOS=js", "GOARCH=wasm"}, args...)
}

// runGo runs the go command at low priority in a folder, and returns its output.
func runGo(ctx context.Context, folder string, environment []string, args ...string) (string, error) {
	tool, err := exec.LookPath("go")
	if err != nil {
		return "", errors.New("building it needs Go (https://go.dev/dl) in PATH; releases contain it")
	}
	line := append([]string{tool}, args...)
	if nice, err := exec.LookPath("nice"); err == nil {
		line = append([]string{nice, "-n", "19"}, line...)
	}
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = folder
	cmd.Env = append(append(cmd.Environ(), "CGO_ENABLED=0", "GOWORK=off"), environment...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %s", args[0], cmp.Or(strings.TrimSpace(said.String()), err.Error()))
	}
	return string(out), nil
}

// prune removes all but the newest builds, and never the one of a key.
func (b Builder) prune(key string) {
	all, _ := os.ReadDir(b.Cache) // what stays only takes space
	all = slices.DeleteFunc(all, func(d fs.DirEntry) bool {
		return !d.IsDir() || d.Name() == key || strings.HasPrefix(d.Name(), "building-")
	})
	at := func(d fs.DirEntry) int64 {
		info, err := d.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return cmp.Compare(at(b), at(a)) })
	for _, d := range all[min(len(all), maxBuilds-1):] {
		_ = os.RemoveAll(filepath.Join(b.Cache, d.Name()))
	}
}
