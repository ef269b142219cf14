package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestScoresCostFewBits counts what the scores of ctf cost a player who looks at them for a minute,
// while nobody moves and only the round-trip times change: all bits of the packets, over those
// without the scores. The list has 10 rows, so the short form has 16 players instead of 32.
func TestScoresCostFewBits(t *testing.T) {
	t.Parallel()
	players, length := testenv.Length(16, 32), testenv.Length(4*time.Second, time.Minute)
	v := nodetest.NewVirtual(t, node.Config{
		Common: node.Common{Scripts: []node.Script{{Code: "ctf.warmup = 0"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, MaxClients: players},
	}, 0)
	v.Change = func(_ int, c *node.ClientConfig) { c.Wander = false }
	for i := range players {
		v.AddClient(t, i, node.Config{})
	}
	v.Run(t, 8*time.Second)
	conns := v.Server.Host().Connections()
	require.Len(t, conns, players)
	for i, c := range conns {
		c.Line.SetLink(engine.LinkParams{Delay: time.Duration(10+3*i) * time.Millisecond, Jitter: 15 * time.Millisecond})
	}
	spent := func() (bits float64) {
		v.Run(t, 3*time.Second)
		before := uint64(0)
		for _, c := range conns {
			before += c.Net().Stats().SentBytes
		}
		v.Run(t, length)
		for _, c := range conns {
			bits += float64(8 * c.Net().Stats().SentBytes)
		}
		return (bits - float64(8*before)) / length.Seconds() / float64(len(conns))
	}
	without := spent()
	for _, c := range v.Clients {
		_, err := c.Console().Exec("key scores")
		require.NoError(t, err)
	}
	with := spent()
	t.Logf("%d players: %.0f bits/s without the scores, %.0f with them: %.0f", players, without, with, with-without)
	assert.Less(t, with-without, 3000.0, "as lines of the HUD it was 6,200")
}
