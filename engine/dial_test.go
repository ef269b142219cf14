package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore"
)

// TestNamesAreResolvedLater: a connect waits for its name without stopping the host. The old
// connection lives until the addresses are known. A name without an answer fails in time.
func TestNamesAreResolvedLater(t *testing.T) {
	var answers []func([]netcore.Addr, error)
	r := enginetest.New(t, enginetest.Options{Both: func(c *engine.Config) {
		if c.Server {
			return
		}
		known := c.Resolve
		c.Resolve = func(name string, done func([]netcore.Addr, error)) {
			switch name {
			case "slow":
				answers = append(answers, done)
			case "bad":
				done(nil, errors.New("bad name"))
			default:
				known(name, done)
			}
		}
	}})
	r.Join()
	c := r.Clients[0]
	first := c.Server()
	last := func() string { return c.Story.Lines[len(c.Story.Lines)-1] }

	assert.EqualError(t, c.Dialer.Connect("bad", engine.ConnectArgs{}), "bad name")
	require.NoError(t, c.Dialer.Connect("slow", engine.ConnectArgs{}))
	r.Run(14 * time.Second)
	assert.True(t, first == c.Server(), "the connection lives while the name is resolved")
	r.Run(2 * time.Second)
	assert.Contains(t, last(), "slow: the name was not resolved in time")
	answers[0]([]netcore.Addr{r.Server.Addr}, nil)
	r.Run(time.Second)
	assert.True(t, first == c.Server(), "the answer came too late")

	require.NoError(t, c.Dialer.Connect("slow", engine.ConnectArgs{}))
	answers[1](nil, errors.New("no address found"))
	r.Run(time.Second)
	assert.Equal(t, "slow: no address found", last())
	assert.True(t, first == c.Server())

	require.NoError(t, c.Dialer.Connect("slow", engine.ConnectArgs{}))
	r.Run(time.Second)
	answers[2]([]netcore.Addr{netcore.SimAddr(99), r.Server.Addr}, nil) // nobody is at the first address
	r.Until(time.Minute, func() bool {
		return c.Server() != nil && c.Server() != first && c.Server().Join.Phase() == engine.PhaseGame
	})
}

// TestRendezvousNeedsKey: the resolver gets the address of a rendezvous with the key of the server.
// Without a key there is no connect.
func TestRendezvousNeedsKey(t *testing.T) {
	var asked string
	r := enginetest.New(t, enginetest.Options{Both: func(c *engine.Config) {
		c.Resolve = func(name string, _ func([]netcore.Addr, error)) { asked = name }
	}})
	c := r.Clients[0]
	assert.ErrorContains(t, c.Dialer.Connect("via:meet.example.org", engine.ConnectArgs{}), "via:HOST:PORT#KEY")
	assert.Empty(t, asked)
	address := "via:meet.example.org#" + r.Server.Identity().Public.String()
	require.NoError(t, c.Dialer.Connect(address, engine.ConnectArgs{}))
	assert.Equal(t, address, asked)
}
