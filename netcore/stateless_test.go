package netcore

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// TestStrangersAreStateless checks which datagrams are stateless: nothing of a stranger is an
// input, and each packet of a handshake is one only the first time.
func TestStrangersAreStateless(t *testing.T) {
	server, client, n := twoHosts(t, nil)
	var inputs []byte
	n.filter = func(p testDatagram) bool {
		if p.to != server.addr {
			return true
		}
		for range 3 {
			if server.ReceiveStateless(n.now, p.from, p.b) {
				continue
			}
			inputs = append(inputs, p.b[0])
			server.Receive(n.now, p.from, p.b)
			if p.b[0] == packetShort {
				break // the connection counts its own repetitions
			}
		}
		return false
	}
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	n.run(200 * time.Millisecond)
	require.Len(t, client.connected, 1)
	require.Len(t, server.connected, 1)
	require.GreaterOrEqual(t, len(inputs), 2)
	assert.Equal(t, []byte{packetConnectRequest, packetIntroduction}, inputs[:2])
	for _, kind := range inputs[2:] {
		assert.EqualValues(t, packetShort, kind)
	}

	rng := rand.New(rand.NewPCG(1, 1))
	for kind := range 256 {
		b := make([]byte, 30+rng.IntN(300))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		b[0] = byte(kind)
		assert.True(t, server.ReceiveStateless(n.now, client.addr, b), "type %d", kind)
		assert.True(t, server.ReceiveStateless(n.now, remoteAddr(kind), b), "type %d", kind)
	}
}

// TestStatelessAnswersAreSeparate checks that all answers to stateless datagrams leave with
// SendStateless, and that a later Send has none.
func TestStatelessAnswersAreSeparate(t *testing.T) {
	_, _, packets := captureHandshake(t)
	server := newHost(t, SimAddr(1), nil)
	for i := range 3 {
		from := remoteAddr(i)
		require.True(t, server.ReceiveStateless(0, from, appendChallengeRequest(nil, seal.Nonce{byte(i)})))
		require.True(t, server.ReceiveStateless(0, from, packets[4].b))
		require.True(t, server.ReceiveStateless(0, from, append(appendRoute(nil, 77), make([]byte, clearBytes+tagBytes)...)))
	}
	sent := func(send func(Time, func(Addr, []byte))) (kinds []byte) {
		send(0, func(_ Addr, b []byte) { kinds = append(kinds, b[0]) })
		return kinds
	}
	assert.Equal(t, Time(0), server.Due(0))
	assert.ElementsMatch(t, []byte{
		packetChallengeResponse, packetSessionUnknown, packetChallengeResponse, packetSessionUnknown, packetChallengeResponse, packetSessionUnknown,
		packetReset, packetReset, packetReset,
	}, sent(server.SendStateless))
	assert.Empty(t, sent(server.Send))
}
