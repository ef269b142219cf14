package node_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestQuery: a server tells everybody its name, mission, mods, and how many people and bots play.
// It names no player. With sv.query off it tells nothing.
func TestQuery(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Common: node.Common{Name: "Alpha", Password: "secret"}, Server: node.ServerConfig{Load: []string{"ctf"}, Mission: "valley", MaxClients: 7}})
	_ = nodetest.Runs(s.Run)
	ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann", Password: "secret"}, Client: node.ClientConfig{Address: s.Address()}})
	_ = nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	onConsole(t, s, "sv.bots 2")
	nodetest.Eventually(t, s.Do, "the bots are there", func() bool { return s.Host().Summary().Bots == 2 })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	found, err := node.Query(ctx, s.Addr().String())
	require.NoError(t, err)
	i := found.Info
	assert.Equal(t, "Alpha valley true 1 2 7", fmt.Sprint(i.Name, " ", i.Mission, " ", i.Password, i.Players, i.Bots, i.MaxPlayers))
	assert.Equal(t, s.Key(), i.Key)
	assert.Equal(t, []string{"base", "ctf"}, []string{i.Mods[0].Name, i.Mods[1].Name})
	assert.Equal(t, 2, i.ModCount)
	assert.Equal(t, []string{s.Addr().String()}, []string{found.Addrs[0].String()})

	onConsole(t, s, "sv.query false")
	ctx, cancel = context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = node.Query(ctx, s.Addr().String())
	assert.ErrorContains(t, err, "is the server running, its UDP port open, and sv.query on?")
}

// onConsole runs a line on a server's console, and returns its output.
func onConsole(t *testing.T, s *node.Server, line string) (out string) {
	t.Helper()
	require.NoError(t, s.Do(func() {
		var err error
		out, err = s.Console().Exec(line)
		assert.NoError(t, err, line)
	}))
	return out
}
