package nodetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// Runs runs a node on a goroutine of its own.
func Runs(run func(context.Context) error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- run(context.Background()) }()
	return done
}

// heapOfOthers lets mods use memory: their limits count what the tests beside this one use meanwhile.
var heapOfOthers = []node.Var{{Name: "mod.callbackHeap", Value: "4000"}, {Name: "mod.loadHeap", Value: "4000"}}

// StartServer starts a server on a free port of this machine. Its mods can use 4000 MiB, unless the
// test sets mod.callbackHeap and mod.loadHeap.
func StartServer(t testing.TB, cfg node.Config) *node.Server {
	t.Helper()
	cfg.Server.Listen = "127.0.0.1:0"
	cfg.Vars = slices.Concat(heapOfOthers, cfg.Vars) // what the test sets counts
	s, err := node.NewServer(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	require.NoError(t, s.Start())
	return s
}

// NewClient makes a client that ends with the test. Its mods can use memory as those of StartServer.
func NewClient(t testing.TB, cfg node.Config) *node.Client {
	t.Helper()
	cfg.Vars = slices.Concat(heapOfOthers, cfg.Vars)
	c, err := node.NewClient(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Eventually repeats yes on the node's goroutine until it returns true.
func Eventually(t testing.TB, do func(func()) error, what string, yes func() bool) {
	t.Helper()
	for limit := testenv.Limit(t); ; time.Sleep(time.Millisecond) {
		var is bool
		require.NoError(t, do(func() { is = yes() }), what)
		if is {
			return
		}
		require.False(t, testenv.Expired(limit), what)
	}
}
