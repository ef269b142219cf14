package netcore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

// TestRefusalIsPlainText checks that control characters are removed from a server's refusal.
func TestRefusalIsPlainText(t *testing.T) {
	server, client, _ := twoHosts(t, nil)
	client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
	refuse := func(request []byte) {
		puzzle, _, first, ok := parseConnectRequest(request)
		require.True(t, ok)
		r, err := seal.NewResponder(server.cfg.Entropy, server.cfg.Identity, prologue(puzzle))
		require.NoError(t, err)
		_, _, err = r.Read(first)
		require.NoError(t, err)
		v := verdict{Refusal: "\x1b[2Jgo\u202e away\n"}
		reply, _, err := r.Write(appendNonceHead(nil, packetConnectReply, puzzle.Nonce), packGreetingVerdict(&v))
		require.NoError(t, err)
		client.Receive(0, server.addr, reply)
	}
	for now := Time(0); len(client.failed) == 0 && now < 5000*ms; now += 50 * ms {
		client.Tick(now)
		client.Send(now, func(_ Addr, d []byte) {
			if d[0] == packetConnectRequest {
				refuse(append([]byte(nil), d...))
				return
			}
			server.Receive(now, client.addr, append([]byte(nil), d...))
		})
		server.Tick(now)
		server.Send(now, func(_ Addr, d []byte) { client.Receive(now, server.addr, append([]byte(nil), d...)) })
	}
	assert.Equal(t, []Reason{{Refused, " [2Jgo  away "}}, client.failed)
}
