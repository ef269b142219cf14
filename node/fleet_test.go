package node_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/fleet/fakebus"
)

// TestServerWithoutFleet: a server without a fleet has no goroutine and no file for it. Nor does
// one with a fleet add any to those of its bus: the loop does the work.
func TestServerWithoutFleet(t *testing.T) {
	for _, fleet := range []bool{false, true} {
		data := t.TempDir()
		cfg := node.Config{Common: node.Common{Data: data}, Server: node.ServerConfig{Listen: "127.0.0.1:0"}}
		opened := 0
		if fleet {
			world := fakebus.New(time.Millisecond)
			cfg.Server.Fleet = &node.Fleet{Name: "arena-1", Open: func(self node.FleetServer) (node.FleetBus, error) {
				opened++
				assert.Regexp(t, `^127\.0\.0\.1:\d+$`, self.Address)
				return world.Open(self)
			}}
		}
		s, err := node.NewServer(cfg)
		require.NoError(t, err)
		require.NoError(t, s.Start())
		assert.Equal(t, fleet, opened == 1)
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		assert.NotContains(t, string(stacks), "created by github.com/torc-engine/torc/node/internal/fleet")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, s.Run(ctx))
		require.NoError(t, s.Close())
		files, err := os.ReadDir(data)
		require.NoError(t, err)
		for _, f := range files {
			assert.False(t, strings.Contains(f.Name(), "fleet") && !fleet, f.Name())
		}
	}
}

// TestLookAtFleet lists the servers of a fleet to somebody who is none. A fleet that does not
// answer says why.
func TestLookAtFleet(t *testing.T) {
	world := fakebus.New(0)
	_, err := world.Join(node.FleetServer{Name: "arena-1", Address: "192.0.2.1:28000", Max: 32})
	require.NoError(t, err)
	look, err := world.Open(node.FleetServer{Name: "looks"})
	require.NoError(t, err)
	world.Advance(0)
	report, err := node.LookAtFleet(t.Context(), look)
	require.NoError(t, err)
	assert.Contains(t, report.String(), "arena-1              192.0.2.1:28000          ready          0/32")
	world.Die()
	look, err = world.Open(node.FleetServer{Name: "looks"})
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = node.LookAtFleet(ended, look)
	assert.EqualError(t, err, "the fleet does not answer")
}
