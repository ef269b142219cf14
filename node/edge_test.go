package node_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestServerOnAnEdge checks that a server and its clients play a match in virtual time, and that
// the same inputs give the same datagrams.
func TestServerOnAnEdge(t *testing.T) {
	play := func() uint64 {
		seed := uint64(7)
		v := nodetest.NewVirtual(t, node.Config{
			Common: node.Common{Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "2"}}},
			Server: node.ServerConfig{Load: []string{"ctf"}},
		}, 2)
		v.Run(t, 3*time.Second)
		for _, c := range v.Clients {
			assert.True(t, c.Ready())
		}
		assert.InDelta(t, 3000/32, v.Server.Host().TickNumber(), 2)
		assert.Equal(t, 2, v.Server.Host().Summary().Bots)
		assert.Greater(t, v.Server.Due(), v.Now-time.Millisecond)
		v.Server.Quit("over")
		var err error
		for end := v.Now + 3*time.Second; err == nil && v.Now < end; v.Now += time.Millisecond {
			err = v.Server.Step()
		}
		assert.ErrorIs(t, err, io.EOF)
		return v.Hash
	}
	assert.Equal(t, play(), play())
}
