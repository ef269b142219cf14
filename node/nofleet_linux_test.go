package node_test

import (
	"context"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// footprint is what a running server has of its machine.
type footprint struct {
	goroutines []string // the functions that began them
	sockets    int
	files      []string // of its data folder
}

// began finds the function with which a goroutine has begun, in its stack.
var began = regexp.MustCompile(`(?m)^created by (\S+?)(?:\.func\d+[.\d]*)? in goroutine \d+$`)

// goroutines returns the functions that began the goroutines of this process, by the number of
// each.
func goroutines() map[string]string {
	buf := make([]byte, 1<<20)
	list := map[string]string{}
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		number, _, _ := strings.Cut(strings.TrimPrefix(stack, "goroutine "), " ")
		list[number] = "main"
		if m := began.FindStringSubmatch(stack); m != nil {
			list[number] = m[1]
		}
	}
	return list
}

// sockets returns the sockets of this process.
func sockets(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	list := map[string]bool{}
	for _, e := range entries {
		if to, _ := os.Readlink("/proc/self/fd/" + e.Name()); strings.HasPrefix(to, "socket:") {
			list[to] = true
		}
	}
	return list
}

// workers begins the goroutines that pack packets: one for each core but one.
const workers = "sync.(*WaitGroup).Go"

// footprintOf runs a server with a data folder, and returns what it has after some ticks.
func footprintOf(t *testing.T, change func(*node.ServerConfig)) (f footprint) {
	t.Helper()
	before, socketsBefore, data := goroutines(), sockets(t), t.TempDir()
	fast := []node.Var{{Name: "sv.timeScale", Value: "4"}}
	cfg := node.Config{Common: node.Common{Data: data, Resolve: resolveNow, Vars: fast}, Server: node.ServerConfig{Listen: "127.0.0.1:0"}}
	change(&cfg.Server)
	s, err := node.NewServer(cfg)
	require.NoError(t, err)
	ended := nodetest.Runs(func(ctx context.Context) error { return s.Run(ctx) })
	nodetest.Eventually(t, s.Do, "the server ticks", func() bool { return s.Ready() && s.Host().TickNumber() > 8 })
	for number, by := range goroutines() { // any order: the list is sorted
		if before[number] == "" && by != workers && !strings.Contains(by, "nodetest") {
			f.goroutines = append(f.goroutines, strings.TrimPrefix(by, "github.com/torc-engine/torc/"))
		}
	}
	slices.Sort(f.goroutines)
	f.goroutines = slices.Compact(f.goroutines)
	for socket := range sockets(t) { // any order: they are counted
		if !socketsBefore[socket] {
			f.sockets++
		}
	}
	require.NoError(t, filepath.WalkDir(data, func(path string, _ fs.DirEntry, err error) error {
		f.files = append(f.files, strings.TrimPrefix(strings.TrimPrefix(path, data), "/"))
		return err
	}))
	require.NoError(t, s.Close())
	require.NoError(t, <-ended)
	return f
}

// resolveNow finds the addresses of literal ones at once.
func resolveNow(hostport string, done func([]netcore.Addr, error)) {
	at, err := netip.ParseAddrPort(hostport)
	done([]netcore.Addr{netcore.UDPAddr(at)}, err)
}

// TestWithoutAFleet: a server without a peer has no goroutine, no socket and no file for one. A
// peer costs none either: it is asked through the socket of the game. This test is not parallel, so
// all that begins is of its server.
func TestWithoutAFleet(t *testing.T) {
	alone := footprintOf(t, func(*node.ServerConfig) {})
	assert.Equal(t, footprint{
		goroutines: []string{"netcore/udp.start", "node/internal/attach.New", "node/internal/audit.Open", "node/internal/store.Open", "node/remote.(*Listener).Listen"},
		sockets:    2, // of the game, and console.sock
		files:      []string{"", "audit.log", "console.sock", "identity", "lock", "store.db"},
	}, alone)
	peer := node.Peer{Name: "arena", Address: "127.0.0.1:9", Key: seal.Key{9}}
	assert.Equal(t, alone, footprintOf(t, func(c *node.ServerConfig) { c.Peers = []node.Peer{peer} }))
}
