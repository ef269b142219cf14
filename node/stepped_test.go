package node_test

import (
	"crypto/rand"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// steps runs a stepped client over a UDP socket of the test until done returns true or Step an
// error.
func steps(t *testing.T, c *node.Client, line *net.UDPConn, done func() bool) error {
	t.Helper()
	b := make([]byte, 2048)
	for limit := testenv.Limit(t); !done(); {
		require.False(t, testenv.Expired(limit))
		if err := c.Step(); err != nil {
			return err
		}
		require.NoError(t, line.SetReadDeadline(time.Now().Add(2*time.Millisecond)))
		if n, err := line.Read(b); err == nil {
			c.Receive(b[:n])
		}
	}
	return nil
}

func TestSteppedClientJoinsOverItsChannel(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{})
	ended := nodetest.Runs(s.Run)
	address, _, _ := strings.Cut(s.Address(), "#")
	to, err := net.ResolveUDPAddr("udp", address)
	require.NoError(t, err)
	line, err := net.DialUDP("udp", nil, to)
	require.NoError(t, err)
	defer line.Close()
	id, err := seal.NewIdentity(rand.Reader)
	require.NoError(t, err)
	c, err := node.NewSteppedClient(node.Config{
		Common: node.Common{Name: "Ann", Identity: &id},
		Client: node.ClientConfig{Address: s.Address()},
	},
		func(_ netcore.Addr, b []byte) { _, _ = line.Write(b) })
	require.NoError(t, err)
	defer c.Close()

	require.NoError(t, steps(t, c, line, c.Ready))
	var key seal.Key
	require.NoError(t, s.Do(func() { key = s.Host().Connections()[0].Key() }))
	assert.Equal(t, id.Public, key, "the client has the key of its Config")
	assert.ErrorContains(t, c.Run(t.Context()), "Step")
	first := c.Host().TickNumber()
	require.NoError(t, steps(t, c, line, func() bool { return c.Host().TickNumber() > first+4 }))
	back := c.UntilTick()
	assert.True(t, back >= 0 && back <= 1, "%g", back)

	require.NoError(t, s.Close())
	assert.NoError(t, <-ended)
	assert.Equal(t, io.EOF, steps(t, c, line, func() bool { return false }), "the server has ended in order")
}

func TestSteppedClientNeedsAnAddress(t *testing.T) {
	_, err := node.NewSteppedClient(node.Config{}, nil)
	assert.ErrorContains(t, err, "Address")
}
