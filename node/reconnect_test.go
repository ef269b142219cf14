package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
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

// TestTypedWhileReconnecting: a player who chats while the client is on its way back reads where it
// goes, and no line of a mod. Mods read the same reason behind the position of their call.
func TestTypedWhileReconnecting(t *testing.T) {
	seed := uint64(7)
	v := nodetest.NewVirtual(t, node.Config{Common: node.Common{Seed: &seed}, Client: node.ClientConfig{Reconnect: true}}, 1)
	c := v.Clients[0]
	typed := func(line string) string {
		_, err := c.Console().Exec(line)
		require.Error(t, err)
		return err.Error()
	}
	v.Run(t, 2*time.Second)
	to, _, _ := strings.Cut(c.Host().Dialer.LastAddress(), "#")
	v.Server.Host().Connections()[0].Net().Close(netcore.Reason{Code: netcore.Restarting})
	v.Run(t, 300*time.Millisecond) // the first try comes after 500 at least
	require.Nil(t, c.Host().Server())
	assert.Equal(t, "not connected: reconnecting to "+to, typed("say hello"))
	assert.Regexp(t, `^console:1: commandToServer: not connected: reconnecting to `, typed(`commandToServer("x")`))
	v.Run(t, time.Minute)
	require.NotNil(t, c.Host().Server())
	_, err := c.Console().Exec("say hello")
	require.NoError(t, err)
	require.NoError(t, c.Host().Dialer.Disconnect("")) // on purpose: nobody comes back
	v.Run(t, time.Second)
	assert.Equal(t, "not connected to a server", typed("say hello"))
}

// TestClientsTryAgainAfterASlowJoin drops a client that makes no progress while it joins, as a
// server does. It tries again and gets in. After some tries it ends with the reason.
func TestClientsTryAgainAfterASlowJoin(t *testing.T) {
	seed := uint64(7)
	v := nodetest.NewVirtual(t, node.Config{Common: node.Common{Seed: &seed}, Client: node.ClientConfig{Reconnect: true}}, 1)
	drop := func() {
		t.Helper()
		for limit := v.Now + time.Minute; ; v.Run(t, time.Millisecond) {
			require.Less(t, v.Now, limit)
			for _, c := range v.Server.Host().Connections() {
				if c.Join.Phase() < engine.PhaseGame && c.Net().Established() {
					c.Net().Close(netcore.Reason{Code: netcore.TimedOut, Text: "the join made no progress for 5s in phase ghosts"})
					return
				}
			}
		}
	}
	drop()
	v.Run(t, 10*time.Second)
	require.NotNil(t, v.Clients[0].Host().Server(), "it is in the game")
	assert.True(t, v.Clients[0].Ready())

	v = nodetest.NewVirtual(t, node.Config{Common: node.Common{Seed: &seed}, Client: node.ClientConfig{Reconnect: true}}, 1)
	v.Banned[0] = true
	for range 6 {
		drop()
		v.Run(t, 100*time.Millisecond) // the next try comes after 500 at least
	}
	assert.ErrorContains(t, v.Clients[0].Step(), "could not connect to server:1: timed out: the join made no progress for 5s in phase ghosts")
}

// TestServersThatStayAway: a client whose server may come back ends without an error, when the
// server has not answered for a minute.
func TestServersThatStayAway(t *testing.T) {
	seed := uint64(7)
	v := nodetest.NewVirtual(t, node.Config{Common: node.Common{Seed: &seed}, Client: node.ClientConfig{Reconnect: true}}, 1)
	v.Run(t, 2*time.Second)
	c := v.Clients[0]
	require.True(t, c.Ready())
	v.Server.Host().Connections()[0].Net().Close(netcore.Reason{Code: netcore.Restarting})
	v.Run(t, 20*time.Millisecond)
	for began := v.Now; c.Step() == nil && !c.Ending(); v.Now += time.Millisecond {
		require.Less(t, v.Now-began, 2*time.Minute, "it ends")
		if v.Now-began > 59*time.Second {
			continue
		}
		require.False(t, c.Ending())
	}
	assert.True(t, c.Ending())
}
