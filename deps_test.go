// Package torc_test holds the laws of the house that no compiler checks.
package torc_test

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/torc-engine/torc"

// law is what one package may import besides the pure part of the standard library.
type law struct {
	ours   []string // packages of this module, relative to it
	theirs []string // third-party modules
	impure bool     // may use the operating system, clocks and goroutines
}

// laws are the arrows of ARCHITECTURE.md. A package that is missing here may not exist;
// its folder's entry covers what is below a "/...".
var laws = map[string]law{
	"netcore/bitstream":         {},
	"netcore/ring":              {},
	"netcore/seal":              {theirs: []string{"golang.org/x/crypto", "github.com/flynn/noise"}},
	"netcore/congestion":        {},
	"netcore/capture":           {},
	"netcore":                   {ours: []string{"internal/rate", "netcore/bitstream", "netcore/congestion", "netcore/seal"}},
	"netcore/event":             {ours: []string{"netcore", "netcore/bitstream", "netcore/ring"}},
	"netcore/ghost":             {ours: []string{"netcore", "netcore/bitstream", "netcore/ring"}},
	"netcore/move":              {ours: []string{"netcore", "netcore/bitstream", "netcore/ring"}},
	"netcore/netsim":            {ours: []string{"netcore"}},
	"netcore/netsim/line":       {ours: []string{"netcore", "netcore/bitstream", "netcore/netsim", "netcore/seal"}},
	"netcore/query":             {ours: []string{"internal/order", "internal/rate", "netcore", "netcore/seal"}},
	"netcore/rendezvous":        {ours: []string{"internal/rate", "netcore", "netcore/seal"}},
	"netcore/netcoretest":       {ours: []string{"internal/testenv", "netcore/seal"}, theirs: []string{"github.com/stretchr/testify/require"}, impure: true},
	"netcore/event/eventtest":   {ours: []string{"netcore", "netcore/event", "netcore/seal"}},
	"netcore/netsim/netsimtest": {ours: []string{"netcore", "netcore/netcoretest", "netcore/netsim", "netcore/seal"}, theirs: []string{"github.com/stretchr/testify/require"}, impure: true},
	"engine/enginetest":         {ours: []string{"netcore", "netcore/netsim", "netcore/seal", "engine", "engine/sim"}, theirs: []string{"github.com/stretchr/testify/require"}, impure: true},
	"node/nodetest":             {ours: []string{"netcore", "netcore/ghost", "netcore/netsim", "netcore/seal", "engine", "engine/sim", "script", "script/store", "script/vm", "node", "node/...", "internal/testenv"}, theirs: []string{"github.com/stretchr/testify"}, impure: true},
	"console/consoletest":       {ours: []string{"internal/testenv"}, impure: true},
	"netcore/udp":               {ours: []string{"netcore"}, theirs: []string{"golang.org/x/net", "golang.org/x/sys"}, impure: true},
	"console":                   {ours: []string{"internal/spell"}},
	"console/prompt":            {ours: []string{"console"}, theirs: []string{"github.com/chzyer/readline", "golang.org/x/sys/unix"}, impure: true},
	"engine/voice":              {ours: []string{"internal/rate", "netcore/bitstream"}},
	"engine/form":               {ours: []string{"console", "engine/picture", "netcore/bitstream"}},
	"engine/picture":            {ours: []string{"netcore/bitstream"}},
	"engine/hidden":             {ours: []string{"engine/sim"}},
	"engine/recording":          {},
	"node/internal/journal":     {theirs: []string{"github.com/klauspost/compress"}},
	"engine/spectate":           {ours: []string{"netcore/bitstream", "engine/recording", "engine/sim"}},
	"engine/sim":                {ours: []string{"netcore/bitstream", "internal/spell"}},
	"node/dissect":              {ours: []string{"internal/order", "netcore/bitstream", "netcore/capture", "netcore/event", "netcore/seal", "engine/sim"}},
	"engine":                    {ours: []string{"internal/names", "internal/order", "internal/rate", "netcore", "netcore/bitstream", "netcore/event", "netcore/ghost", "netcore/move", "netcore/seal", "engine/form", "engine/hidden", "engine/picture", "engine/recording", "engine/sim", "engine/spectate", "engine/voice", "console"}},
	"game":                      {ours: []string{"netcore/bitstream", "engine/sim", "game/look"}},
	"game/look":                 {ours: []string{"engine/sim", "internal/spell"}},
	"game/scene":                {ours: []string{"engine/sim", "game/look"}},
	"script": {ours: []string{"console", "engine", "engine/form", "engine/picture", "engine/sim", "internal/names", "internal/order", "internal/rate", "internal/spell", "script/bind", "script/json", "script/manifest", "script/messages", "script/pictures", "script/reference", "script/sockets", "script/store", "script/texts", "script/trial", "script/vm"},
		theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/store": {ours: []string{"internal/order", "console", "engine/sim", "script/bind", "script/json", "script/vm"},
		theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/trial": {ours: []string{"console", "engine", "engine/sim", "script/bind", "script/messages", "script/sockets", "script/store", "script/vm"},
		theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/bind": {ours: []string{"console", "engine", "engine/sim", "internal/names", "internal/spell", "script/json", "script/vm", "script/reference"},
		theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/messages":  {ours: []string{"internal/rate", "script/bind", "script/store", "script/vm"}, theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/sockets":   {ours: []string{"internal/order", "internal/spell", "script/manifest", "script/vm"}, theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/json":      {theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/luac":      {ours: []string{"internal/names", "internal/spell"}, theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/vm/stack":  {theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/debug":     {ours: []string{"script/luac", "script/vm", "script/vm/stack"}, theirs: []string{"github.com/yuin/gopher-lua", "github.com/google/go-dap"}},
	"script/vm":        {ours: []string{"internal/order", "internal/spell", "script/luac", "script/vm/stack"}, theirs: []string{"github.com/yuin/gopher-lua"}},
	"script/texts":     {ours: []string{"internal/boundtoml", "internal/names"}, theirs: []string{"github.com/BurntSushi/toml"}},
	"script/pictures":  {ours: []string{"engine/picture", "internal/names"}},
	"script/plural":    {},
	"script/manifest":  {ours: []string{"internal/boundtoml", "internal/names", "internal/semver", "internal/spell"}, theirs: []string{"github.com/BurntSushi/toml"}},
	"script/reference": {ours: []string{"internal/order", "console", "script/vm"}},
	"script/lint": {ours: []string{"engine/form", "internal/order", "internal/spell", "script/luac", "script/manifest", "script/pictures", "script/plural", "script/texts", "script/reference", "script/sockets", "script/vm"},
		theirs: []string{"github.com/yuin/gopher-lua"}},
	"mods":               {},
	"internal/boundtoml": {theirs: []string{"github.com/BurntSushi/toml"}},
	"internal/brotli":    {ours: []string{"internal/compress", "internal/webfiles"}, theirs: []string{"github.com/andybalholm/brotli"}, impure: true},
	"internal/compress":  {},
	"internal/webfiles":  {ours: []string{"internal/compress"}, impure: true},
	"internal/names":     {},
	"internal/order":     {},
	"internal/rate":      {},
	"internal/semver":    {},
	"internal/spell":     {},
	"internal/testenv":   {impure: true},
	"internal/nginxtest": {theirs: []string{"github.com/stretchr/testify/require"}, impure: true},
	"internal/natstest":  {ours: []string{"internal/testenv"}, theirs: []string{"github.com/stretchr/testify/require"}, impure: true},
	"internal/mutants":   {ours: []string{"internal/testenv"}, impure: true},
	"node/internal/core": {ours: []string{"netcore", "netcore/seal", "netcore/udp", "engine", "engine/sim", "console", "script", "script/manifest", "script/plural", "script/sockets", "script/store", "script/vm", "game", "mods",
		"node/internal/audit", "node/internal/bans", "node/internal/data", "node/internal/keys", "node/internal/logs", "node/internal/pulse", "node/internal/rights", "node/internal/serverjson", "node/internal/tape"},
		theirs: []string{"golang.org/x/sys"}, impure: true},
	"node": {ours: []string{"netcore", "netcore/capture", "netcore/query", "netcore/rendezvous", "netcore/seal", "netcore/udp", "engine", "engine/form", "node/dissect", "node/internal/journal", "engine/recording", "engine/sim", "engine/spectate", "node/...",
		"console", "script", "script/debug", "script/manifest", "script/sockets", "script/store", "script/vm", "game", "mods"}, theirs: []string{"golang.org/x/sys"}, impure: true},
	"node/demo": {ours: []string{"engine", "engine/form", "engine/recording", "engine/spectate", "console", "script", "node/internal/core"}, impure: true},
	"node/replay": {ours: []string{"netcore", "netcore/seal", "engine", "engine/sim", "console", "script", "script/plural", "script/store", "node", "node/internal/core", "node/internal/fleet/bus", "node/internal/journal", "node/internal/journals", "node/internal/netpage",
		"node/internal/pulse", "node/internal/tape", "node/internal/web"}, impure: true},
	"node/swarm":     {ours: []string{"netcore", "netcore/seal", "engine", "engine/sim", "console", "script", "script/store", "node/bots", "node/internal/core", "node/internal/follow"}, impure: true},
	"node/bots":      {ours: []string{"engine", "engine/sim", "game"}},
	"node/workers":   {impure: true},
	"node/natsfleet": {ours: []string{"internal/names", "internal/rate", "netcore/seal", "node/internal/fleet/bus"}, theirs: []string{"github.com/nats-io/nats.go"}, impure: true},
	"node/modtrial":  {ours: []string{"netcore", "netcore/netsim", "netcore/seal", "engine", "engine/sim", "console", "script", "script/manifest", "script/plural", "script/sockets", "script/store", "script/trial", "script/vm", "game", "node", "node/internal/core", "node/internal/pulse"}, impure: true},
	"node/play":      {ours: []string{"console", "engine", "engine/form", "engine/picture", "engine/voice", "netcore", "node", "node/demo", "engine/sim", "game", "game/look", "game/scene"}},
	"node/wasm":      {ours: []string{"console", "engine", "engine/form", "engine/voice", "netcore", "netcore/seal", "game/scene", "node", "node/play"}, impure: true},
	"node/webclient": {impure: true},
	"node/remote":    {ours: []string{"console", "console/prompt"}, impure: true},
	"node/internal/admin": {ours: []string{"netcore", "netcore/seal", "engine", "engine/sim", "engine/voice", "console", "script",
		"node/internal/audit", "node/internal/bans", "node/internal/core", "node/internal/data", "node/internal/rights"}},
	"node/internal/audit":   {impure: true},
	"node/internal/bans":    {ours: []string{"netcore/seal", "node/internal/data", "node/internal/logs"}},
	"node/internal/data":    {theirs: []string{"golang.org/x/sys"}, impure: true},
	"node/internal/demos":   {ours: []string{"console", "engine/sim", "engine/spectate", "node/internal/core", "script"}, impure: true},
	"node/internal/hosts":   {impure: true},
	"node/internal/keys":    {ours: []string{"netcore/seal", "node/internal/data"}, impure: true},
	"node/internal/logs":    {ours: []string{"internal/rate"}, impure: true},
	"node/internal/pulse":   {ours: []string{"engine"}, impure: true},
	"node/internal/netpage": {ours: []string{"internal/order", "engine", "engine/sim", "node/internal/pulse", "console", "netcore", "netcore/ghost", "script"}, impure: true},
	"node/internal/metrics": {ours: []string{"console", "engine", "engine/voice", "node/internal/core", "node/internal/hosts", "node/internal/pulse", "script", "script/store", "script/vm"}, theirs: []string{"github.com/VictoriaMetrics/metrics"}, impure: true},
	"node/internal/portmap": {ours: []string{"netcore/udp"}, theirs: []string{"github.com/huin/goupnp", "github.com/jackpal/go-nat-pmp"}, impure: true},
	"node/internal/rights":  {ours: []string{"internal/names", "netcore/seal", "node/internal/data", "node/internal/logs"}},
	"node/internal/modnet":  {ours: []string{"internal/order", "script/sockets"}, impure: true},
	"node/internal/sshd": {ours: []string{"internal/rate", "console", "console/prompt", "node/remote", "node/internal/data", "node/internal/rights"},
		theirs: []string{"golang.org/x/crypto"}, impure: true},
	"node/internal/tasks":         {ours: []string{"console", "node/internal/core"}},
	"node/internal/follow":        {ours: []string{"console", "engine", "engine/sim", "netcore", "node/internal/core"}},
	"node/internal/journals":      {ours: []string{"console", "node/internal/core", "node/internal/tape"}, impure: true},
	"node/internal/tape":          {ours: []string{"netcore", "netcore/seal", "engine", "node/internal/data", "node/internal/fleet/bus", "node/internal/journal", "engine/sim", "console", "script", "script/sockets", "script/store", "script/vm"}, impure: true},
	"node/internal/storage":       {ours: []string{"console", "script/store", "node/internal/core"}, impure: true},
	"node/internal/attach":        {ours: []string{"node/internal/core", "node/internal/sshd", "node/remote", "script/debug", "script/vm"}, impure: true},
	"node/internal/meeting":       {ours: []string{"console", "engine", "netcore", "netcore/query", "netcore/rendezvous", "netcore/seal", "node/internal/core"}},
	"node/internal/fleet":         {ours: []string{"internal/rate", "console", "engine", "internal/names", "internal/order", "netcore", "netcore/query", "netcore/seal", "node/internal/core", "node/internal/fleet/bus", "node/internal/tape", "script", "script/messages", "script/store"}, impure: true},
	"node/internal/fleet/bus":     {ours: []string{"netcore/seal"}},
	"node/internal/fleet/fakebus": {ours: []string{"internal/order", "node/internal/fleet/bus"}},
	"node/internal/browsers":      {ours: []string{"console", "engine/voice", "netcore", "node/internal/core", "node/internal/data", "node/internal/metrics", "node/internal/netpage", "node/internal/qr", "node/internal/web"}, impure: true},
	"node/internal/qr":            {theirs: []string{"github.com/piglig/go-qr"}},
	"node/internal/web": {ours: []string{"internal/compress", "internal/names", "internal/rate", "internal/webfiles", "netcore", "netcore/seal", "netcore/udp", "node/internal/hosts", "node/internal/serverjson"},
		theirs: []string{"github.com/coder/websocket", "github.com/pion", "golang.org/x/crypto/acme", "golang.org/x/sys/unix"}, impure: true},
	"node/internal/serverjson": {ours: []string{"console", "engine", "netcore", "netcore/seal"}, impure: true},
	"node/internal/serverlist": {ours: []string{"internal/names", "console", "netcore", "netcore/query", "netcore/seal"}},
	"node/listserver": {ours: []string{"console", "netcore", "netcore/query", "netcore/rendezvous", "netcore/seal", "netcore/udp", "node/internal/bans", "node/internal/data", "node/internal/keys",
		"node/internal/serverlist", "node/internal/web"}, impure: true},
	"node/internal/store":          {ours: []string{"script/store", "node/internal/data"}, theirs: []string{"go.etcd.io/bbolt"}, impure: true},
	"cmd/torc":                     {ours: []string{"*"}, theirs: terminal, impure: true},
	"cmd/torclab":                  {ours: []string{"*"}, impure: true},
	"cmd/torclab/internal/attack":  {ours: []string{"*"}, theirs: []string{"github.com/coder/websocket", "github.com/pion", "github.com/rivo/uniseg"}, impure: true},
	"cmd/torclab/internal/bench":   {ours: []string{"*", "netcore/netsim/..."}, theirs: []string{"golang.org/x/sys/unix"}, impure: true},
	"cmd/torclab/internal/picture": {ours: []string{"*", "netcore/netsim"}, impure: true},
	"cmd/internal/flags":           {ours: []string{"internal/spell"}, impure: true},
	"cmd/torc-web":                 {ours: []string{"node", "node/wasm"}, impure: true},
	"cmd/torc-web/www":             {},
	"dist/sbom":                    {impure: true},
	"dist/compress":                {ours: []string{"internal/brotli"}, impure: true},
	"dist/webclient":               {ours: []string{"cmd/torc-web/www", "internal/brotli", "node/webclient"}, impure: true},
	"cmd/internal/relay":           {ours: []string{"netcore", "netcore/netsim"}, impure: true},
	"cmd/internal/tui":             {ours: []string{"console/prompt", "engine", "engine/form", "engine/sim", "game", "game/look", "game/scene"}, theirs: []string{"github.com/gdamore/tcell/v2", "github.com/rivo/uniseg"}, impure: true},
	"cmd/torc/internal/...":        {ours: []string{"*"}, theirs: terminal, impure: true},
}

// terminal are the modules of the program torc. It drives no browser, so chromedp is not among
// them.
var terminal = []string{"github.com/BurntSushi/toml", "github.com/DeRuina/timberjack", "github.com/coreos/go-systemd/v22", "github.com/google/go-dap", "golang.org/x/term"}

// bannedImports never appear in a pure package; only seal may know crypto.
var bannedImports = []string{"net", "os", "sync", "syscall", "unsafe", "runtime", "crypto", "log", "testing"}

// bannedNames are the parts of otherwise pure packages that read the world.
var bannedNames = map[string][]string{
	"time":     {"Now", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Since", "Until"},
	"log/slog": {"Debug", "Info", "Warn", "Error", "Log", "Default", "SetDefault", "With"}, // the global logger
	"fmt":      {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
}

// embeddedBans are the parts of the standard library that belong to a program, not to the nodes
// that it embeds.
var embeddedBans = map[string][]string{
	"os": {"Exit", "Stdin", "Stdout", "Stderr", "Args", "Getenv", "LookupEnv", "Environ", "ExpandEnv"},
}

// embeddedImports are the packages that belong to a program in the same way.
var embeddedImports = []string{"flag", "os/signal", "os/exec"}

// randNames are the parts of math/rand that take an explicit source; all else is the global one.
var randNames = []string{"New", "NewPCG", "NewChaCha8", "NewSource", "NewZipf", "Rand", "Source", "Source64", "PCG", "ChaCha8", "Zipf"}

type file struct {
	name string // path relative to the module
	pkg  string // folder relative to the module
	ast  *ast.File
	fset *token.FileSet
}

func TestArrows(t *testing.T) {
	for _, f := range goFiles(t) {
		l, known := lawOf(f.pkg)
		if !assert.True(t, known, "%s: package %q has no entry in the table of arrows", f.name, f.pkg) {
			continue
		}
		for _, imp := range f.ast.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			require.NoError(t, err)
			assert.Empty(t, l.objection(f.pkg, name), "%s imports %q", f.name, name)
		}
	}
}

func TestBans(t *testing.T) {
	for _, f := range goFiles(t) {
		if l, _ := lawOf(f.pkg); l.impure {
			continue
		}
		assert.Empty(t, f.impurities(), f.name)
	}
}

// follow visits the packages of this module that a program links on a system, and what each
// imports.
func follow(t *testing.T, program, goos, goarch string, visit func(pkg, imported string)) (linked map[string]bool) {
	t.Helper()
	system := build.Default
	system.GOOS, system.GOARCH, system.CgoEnabled = goos, goarch, false
	imports := map[string][]string{} // by folder
	for _, f := range goFiles(t) {
		built, err := system.MatchFile(path.Dir(f.name), path.Base(f.name))
		require.NoError(t, err)
		if !built {
			continue
		}
		for _, imp := range f.ast.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			require.NoError(t, err)
			imports[f.pkg] = append(imports[f.pkg], name)
		}
	}
	linked = map[string]bool{}
	var link func(pkg string)
	link = func(pkg string) {
		if linked[pkg] {
			return
		}
		linked[pkg] = true
		for _, name := range imports[pkg] {
			visit(pkg, name)
			if ours, is := strings.CutPrefix(name, module+"/"); is {
				link(ours)
			}
		}
	}
	link(program)
	return linked
}

// TestTorcLinksNoBrowser follows the imports of the program torc: none of its packages drives a
// browser.
func TestTorcLinksNoBrowser(t *testing.T) {
	linked := follow(t, "cmd/torc", "linux", "amd64", func(pkg, name string) {
		assert.False(t, strings.HasPrefix(name, "github.com/chromedp/"), "%s imports %s", pkg, name)
	})
	assert.True(t, linked["node/internal/web"], "the imports were followed")
	assert.False(t, linked["cmd/torclab/internal/bench"])
}

// TestTorcLinksNoBrotli: the encoder of brotli adds 0.8 MB to a program. A release has the files of
// the page compressed.
func TestTorcLinksNoBrotli(t *testing.T) {
	linked := follow(t, "cmd/torc", "linux", "amd64", func(pkg, name string) {
		assert.NotEqual(t, "github.com/andybalholm/brotli", name, pkg)
	})
	assert.True(t, linked["internal/webfiles"], "the imports were followed")
	assert.False(t, linked["internal/brotli"])
}

// heavy are packages that the program of the page does without. Every first visit would load them:
// regexp alone has 90 kB, compressed.
var heavy = []string{"crypto/tls", "crypto/x509", "encoding/gob", "github.com/nats-io/nats.go", "html/template", "net/http", "regexp", "text/template"}

// TestPageIsLight follows the imports of the page's program.
func TestPageIsLight(t *testing.T) {
	linked := follow(t, "cmd/torc-web", "js", "wasm", func(pkg, name string) {
		assert.NotContains(t, heavy, name, "%s imports it", pkg)
	})
	assert.True(t, linked["node/play"], "the imports were followed")
	assert.False(t, linked["node/internal/web"])
}

// TestNodesLeaveTheProgramAlone holds node to what a package that others embed must not touch: the
// terminal, signals, flags, the environment, the global logger, the end of the process.
func TestNodesLeaveTheProgramAlone(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.pkg != "node" && !strings.HasPrefix(f.pkg, "node/") {
			continue
		}
		for _, imp := range f.ast.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			builds := f.pkg == "node/webclient" && name == "os/exec" // it runs the go command
			assert.True(t, builds || !slices.Contains(embeddedImports, name), "%s imports %s", f.name, name)
		}
		assert.Empty(t, f.uses(func(pkg, name string) bool {
			return slices.Contains(embeddedBans[pkg], name) || pkg != "time" && slices.Contains(bannedNames[pkg], name)
		}), f.name)
	}
}

// TestLawsBite feeds the checks code that breaks them.
func TestLawsBite(t *testing.T) {
	for code, want := range map[string]int{
		`import "time"; var x = time.Now()`:                                        1,
		`import "time"; var x = time.Second`:                                       0,
		`import clock "time"; var x = clock.After(1)`:                              1,
		`import "math/rand/v2"; var x = rand.IntN(3)`:                              1,
		`import "math/rand/v2"; var x = rand.New(rand.NewPCG(1, 2)).IntN(3)`:       0,
		`import "log/slog"; func f(l *slog.Logger) { l.Info(""); slog.Info("") }`:  1,
		`func f() { go f() }`:                                                      1,
		`import . "time"; var x = Second`:                                          1,
		`import "fmt"; func f() { fmt.Println() }`:                                 1,
		`import "fmt"; var x = fmt.Sprint("time.Now")`:                             0,
		`import "time"; type t struct{ time time.Duration }; func (t) Now() {}`:    0,
		`import "math/rand"; func f() { rand.Shuffle(1, nil); rand.Seed(1) }`:      2,
		`import "math/rand/v2"; func f(r *rand.Rand) int { return r.IntN(2) }`:     0,
		`import "time"; func f(s []func()) { time.Sleep(1); go s[0](); go s[1]()}`: 3,
	} {
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, "x.go", "package x; "+code, 0)
		require.NoError(t, err, code)
		assert.Len(t, file{ast: parsed, fset: fset}.impurities(), want, code)
	}
	for _, c := range []struct{ pkg, imports string }{
		{"netcore", "net"}, {"netcore", "os"}, {"engine", "sync/atomic"}, {"engine", "crypto/rand"},
		{"netcore", module + "/engine"}, {"script", module + "/game"}, {"engine/sim", module + "/netcore"},
		{"engine", "github.com/yuin/gopher-lua"}, {"cmd/torc", module + "/netcore/netsim"},
		{"netcore/netcoretest", module + "/netcore"}, {"engine/enginetest", module + "/game"}, {"netcore/event/eventtest", "os"},
		{"cmd/torc", "github.com/chromedp/chromedp"}, {"cmd/torc", module + "/engine/enginetest"}, {"cmd/torc", module + "/internal/testenv"}, {"game", module + "/engine"},
	} {
		l, _ := lawOf(c.pkg)
		assert.NotEmpty(t, l.objection(c.pkg, c.imports), "%s imports %s", c.pkg, c.imports)
	}
	for _, c := range []struct{ pkg, imports string }{
		{"netcore", "net/netip"}, {"netcore/seal", "crypto/hmac"}, {"netcore/udp", "net"}, {"cmd/torc", "os/signal"},
		{"cmd/torclab/internal/bench", module + "/netcore/netsim"}, {"cmd/torc/internal/config", "github.com/BurntSushi/toml"},
	} {
		l, _ := lawOf(c.pkg)
		assert.Empty(t, l.objection(c.pkg, c.imports), "%s imports %s", c.pkg, c.imports)
	}
}

func lawOf(pkg string) (law, bool) {
	if l, ok := laws[pkg]; ok {
		return l, true
	}
	for dir := path.Dir(pkg); dir != "."; dir = path.Dir(dir) {
		if l, ok := laws[dir+"/..."]; ok {
			return l, true
		}
	}
	return law{}, false
}

// objection says why pkg may not import name; empty means it may.
func (l law) objection(pkg, name string) string {
	switch {
	case name == module || strings.HasPrefix(name, module+"/"):
		ours := strings.TrimPrefix(name, module+"/")
		fake := strings.HasSuffix(ours, "test") || strings.HasPrefix(ours+"/", "netcore/netsim/") || ours == "internal/testenv"
		for _, may := range l.ours {
			if below, all := strings.CutSuffix(may, "..."); ours == may || may == "*" && !fake || all && strings.HasPrefix(ours+"/", below) {
				return ""
			}
		}
		return "no arrow from " + pkg + " to " + ours
	case strings.Contains(strings.Split(name, "/")[0], "."):
		for _, m := range l.theirs {
			if m == "*" || name == m || strings.HasPrefix(name, m+"/") {
				return ""
			}
		}
		return "no third-party package here"
	case l.impure || name == "net/netip" || name == "net/url" || name == "log/slog":
		return ""
	case pkg == "netcore/seal" && strings.HasPrefix(name, "crypto"):
		return ""
	}
	if slices.Contains(bannedImports, strings.Split(name, "/")[0]) {
		return "not in the pure core"
	}
	return ""
}

// impurities lists the go statements and the uses of banned names, with their places.
func (f file) impurities() []string {
	found := f.uses(impure)
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n, ok := n.(*ast.GoStmt); ok {
			found = append(found, f.fset.Position(n.Pos()).String()+": go statement")
		}
		return true
	})
	return found
}

// uses lists the dot imports and the names of imported packages that are banned, with their places.
func (f file) uses(banned func(pkg, name string) bool) []string {
	var found []string
	report := func(n ast.Node, what string) { found = append(found, f.fset.Position(n.Pos()).String()+": "+what) }
	names := map[string]string{} // local name -> import path
	for _, imp := range f.ast.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		local := path.Base(strings.TrimSuffix(p, "/v2"))
		if imp.Name != nil {
			local = imp.Name.Name
		}
		if local == "." {
			report(imp, "dot import of "+p)
		}
		names[local] = p
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := n.X.(*ast.Ident); ok && banned(names[x.Name], n.Sel.Name) {
				report(n, x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return found
}

func impure(pkg, name string) bool {
	if strings.TrimSuffix(pkg, "/v2") == "math/rand" {
		return !slices.Contains(randNames, name)
	}
	return slices.Contains(bannedNames[pkg], name)
}

// goFiles parses every Go file that is not a test. A package made for tests, whose name ends in
// "test", is not a test.
func goFiles(t *testing.T) []file {
	t.Helper()
	files, err := parsedFiles()
	require.NoError(t, err)
	return slices.Clone(files)
}

// parsedFiles parses them once for all tests.
var parsedFiles = sync.OnceValues(func() (files []file, err error) {
	err = filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		p = filepath.ToSlash(p)
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(p, "go.mod")); err == nil && p != "." {
				return filepath.SkipDir // a module of its own, as a program of somebody else
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, p, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file{name: p, pkg: path.Dir(p), ast: parsed, fset: fset})
		return nil
	})
	return files, err
})

// TestLoopCallsNoNATS: only node/natsfleet knows nats.go, and only the program torc has it. So the
// loop of a server reaches NATS through a bus.Bus that the program gives it, and a page has
// neither.
func TestLoopCallsNoNATS(t *testing.T) {
	const nats = "github.com/nats-io"
	for _, f := range goFiles(t) {
		for _, imp := range f.ast.Imports {
			name, err := strconv.Unquote(imp.Path.Value)
			require.NoError(t, err)
			assert.False(t, strings.HasPrefix(name, nats) && f.pkg != "node/natsfleet", "%s imports %s", f.name, name)
			assert.False(t, name == module+"/node/natsfleet" && !strings.HasPrefix(f.pkg, "cmd/torc/") && f.pkg != "cmd/torc", "%s imports %s", f.name, name)
		}
	}
	linked := follow(t, "cmd/torc-web", "js", "wasm", func(pkg, name string) {
		assert.False(t, strings.HasPrefix(name, nats), "%s imports %s", pkg, name)
	})
	assert.True(t, linked["node"], "the imports were followed")
	assert.False(t, linked["node/natsfleet"])
}

// TestBrowserHasNoPluralTables: the server chooses plural forms, so the client of a page has none
// of their tables.
func TestBrowserHasNoPluralTables(t *testing.T) {
	linked := follow(t, "cmd/torc-web", "js", "wasm", func(pkg, name string) {
		assert.False(t, strings.HasPrefix(name, "golang.org/x/text/"), "%s imports %s", pkg, name)
	})
	assert.True(t, linked["script/texts"], "the imports were followed")
	assert.False(t, linked["script/plural"])
}
