package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// waits runs a rig until the client is in the game or its join has failed. It returns the longest
// time that the client has waited.
func waits(r *enginetest.Rig) (longest time.Duration) {
	var w engine.JoinWatch
	c := r.Clients[0]
	for r.Net.Now() < 20*time.Second {
		r.Run(engine.TickTime)
		longest = max(longest, w.Waiting(c.Host))
		if s := c.Host.Server(); s != nil && s.Join.Phase() == engine.PhaseGame || !c.Dialer.Busy() && s == nil {
			break
		}
	}
	return longest
}

// TestWaitingClientsKnow lets the scripts of a server answer late. The client knows that it waits,
// and that it waits no longer. Delay and losses of the line are no waiting.
func TestWaitingClientsKnow(t *testing.T) {
	for name, x := range map[string]struct {
		stall bool
		link  netcore.LinkParams
	}{
		"idle":            {},
		"a slow line":     {link: netcore.LinkParams{Delay: 400 * time.Millisecond}},
		"a lossy line":    {link: netcore.LinkParams{Loss: 0.1}},
		"stalled scripts": {stall: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := enginetest.New(t, enginetest.Options{Up: x.link, Down: x.link})
			r.Server.Stall = x.stall
			c := r.Clients[0]
			require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
			got := waits(r)
			assert.Equal(t, x.stall, got > 0, "it has waited for %v", got)
			var w engine.JoinWatch
			assert.Zero(t, w.Waiting(c.Host), "nothing is left to wait for")
		})
	}
}

// TestNobodyThereIsNoWaiting: a server that has never answered is not busy.
func TestNobodyThereIsNoWaiting(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Up: netcore.LinkParams{Loss: 1}})
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	assert.Zero(t, waits(r))
}

// TestEveryRefusalArrives asks a full server through lines that lose packets. Every client gets the
// reason.
func TestEveryRefusalArrives(t *testing.T) {
	for _, loss := range testenv.Every(2, []float64{0, 0.3, 0.5}) {
		t.Run(fmt.Sprint(loss), func(t *testing.T) {
			link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: loss}
			r := enginetest.New(t, enginetest.Options{Clients: 40, Up: link, Down: link, Server: func(c *engine.Config) {
				c.MaxClients = 1
			}})
			for _, c := range r.Clients {
				require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: 30 * time.Second}))
			}
			r.Run(31 * time.Second)
			full := 0
			for _, c := range r.Clients {
				if strings.Contains(strings.Join(c.Lines, "\n"), "server is full (1)") {
					full++
				}
			}
			assert.Equal(t, len(r.Clients)-1, full)
		})
	}
}

// occupied are scripts that cannot check requests while busy is set.
type occupied struct {
	*enginetest.Story
	busy bool
}

func (s *occupied) CanCheck() bool { return !s.busy }

// TestWaitingClientsKnowTheirPlace lets three clients wait for the scripts of a server. Each knows
// after half a second that it waits, and how many are before it.
func TestWaitingClientsKnowTheirPlace(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 3})
	scripts := &occupied{r.Server.Story, true}
	r.Server.SetScripts(scripts)
	places := map[int]bool{}
	for _, c := range r.Clients {
		require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
	}
	r.Run(time.Second)
	for _, c := range r.Clients {
		var w engine.JoinWatch
		assert.Greater(t, w.Waiting(c.Host), 500*time.Millisecond)
		places[w.Ahead(c.Host)] = true
	}
	assert.Equal(t, map[int]bool{0: true, 1: true, 2: true}, places)
	scripts.busy = false
	r.Run(time.Second)
	for _, c := range r.Clients {
		assert.NotNil(t, c.Host.Server())
		assert.Zero(t, new(engine.JoinWatch).Ahead(c.Host))
	}
}
