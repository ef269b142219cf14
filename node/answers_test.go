package node_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestQuery: a server tells everybody its name, mission, mods, and how many people and bots play.
// It names no player.
func TestQuery(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Common: node.Common{Name: "Alpha", Password: "secret"}, Server: node.ServerConfig{Load: []string{"ctf"}, Mission: "valley", MaxClients: 7}})
	_ = nodetest.Runs(s.Run)
	ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann", Password: "secret"}, Client: node.ClientConfig{Address: s.Address()}})
	_ = nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	onConsole(t, s, "sv.bots 2")
	nodetest.Eventually(t, s.Do, "the bots are there", func() bool { return s.Host().Summary().Bots == 2 })

	found, err := node.Query(t.Context(), s.Addr().String())
	require.NoError(t, err)
	i := found.Info
	assert.Equal(t, "Alpha valley true 1 2 7", fmt.Sprint(i.Name, " ", i.Mission, " ", i.Password, i.Players, i.Bots, i.MaxPlayers))
	assert.Equal(t, s.Key(), i.Key)
	assert.Equal(t, []string{"base", "ctf"}, []string{i.Mods[0].Name, i.Mods[1].Name})
	assert.Equal(t, 2, i.ModCount)
	assert.Equal(t, []string{s.Addr().String()}, []string{found.Addrs[0].String()})

}

// TestQueryIsOff: with sv.query off, a server answers no query, however often somebody asks.
func TestQueryIsOff(t *testing.T) {
	t.Parallel()
	answers := 0
	v := nodetest.NewVirtual(t, node.Config{}, 0, func(e *node.Edge) { e.Send = func(netcore.Addr, []byte) { answers++ } })
	asks := func() (asked int) {
		search, err := query.NewSearch(v.Now, rand.Reader, netcore.LocalAddr(1))
		require.NoError(t, err)
		for range 5 {
			search.Send(v.Now, func(to netcore.Addr, b []byte) {
				asked++
				v.ToServer(to, b)
			})
			v.Run(t, time.Second)
		}
		return asked
	}
	assert.Equal(t, 5, asks())
	assert.Equal(t, 5, answers)
	_, err := v.Server.Console().Exec("sv.query false")
	require.NoError(t, err)
	assert.Equal(t, 5, asks())
	assert.Equal(t, 5, answers)
}

// TestQueryInVain: somebody who asks where no server answers reads what to check.
func TestQueryInVain(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer silent.Close()
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		_, _, _ = silent.ReadFrom(make([]byte, 2048)) // the query
		giveUp()
	}()
	_, err = node.Query(ctx, silent.LocalAddr().String())
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
