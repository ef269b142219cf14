package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestClientsComeBackOnceFromFaults ends a connection as code does that has seen a mistake of the
// other side. The client comes back, and comes back again after some time. A second fault soon
// after the first is final.
func TestClientsComeBackOnceFromFaults(t *testing.T) {
	for name, end := range map[string]func(v *nodetest.Virtual) *netcore.Conn{
		"seen by the client": func(v *nodetest.Virtual) *netcore.Conn { return v.Clients[0].Host().Server().Net() },
		"seen by the server": func(v *nodetest.Virtual) *netcore.Conn { return v.Server.Host().Connections()[0].Net() },
	} {
		for _, code := range []netcore.ReasonCode{netcore.Violation, netcore.BadPacket, netcore.Overflow} {
			t.Run(name+", "+code.String(), func(t *testing.T) {
				seed := uint64(7)
				v := nodetest.NewVirtual(t, node.Config{Common: node.Common{Seed: &seed}, Client: node.ClientConfig{Reconnect: true}}, 1)
				v.Run(t, 2*time.Second)
				fault := func() {
					end(v).Close(netcore.Reason{Code: code, Text: "a test"})
					v.Run(t, 5*time.Second)
				}
				there := func() bool { return v.Clients[0].Host().Server() != nil }
				fault()
				assert.True(t, there(), "it comes back")
				v.Now += 11 * time.Minute
				v.Run(t, 5*time.Second)
				assert.True(t, there(), "the machine slept, and it comes back from that too")
				fault()
				assert.True(t, there(), "again after ten minutes")
				v.Banned[0] = true
				fault()
				assert.False(t, there())
				assert.ErrorContains(t, v.Clients[0].Step(), "a test")
			})
		}
	}
}
