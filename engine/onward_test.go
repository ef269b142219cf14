package engine_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore/seal"
)

// guide is scripts of a server that knows others, by name.
type guide struct {
	*enginetest.Story
	names []string
	taken bool
	drain *engine.Drain
}

func (g *guide) Drain(time.Duration) bool { return g.taken }

// Onward returns the server to which the fewest players were sent.
func (g *guide) Onward(to string, tried []string, sent func(string) int) (o engine.TransferOrder, err error) {
	for _, name := range g.names {
		if name != to && to != "" || slices.Contains(tried, name) {
			continue
		}
		if o.Name == "" || sent(name) < sent(o.Name) {
			o = engine.TransferOrder{Address: "host 50", Name: name, Key: seal.Key{9}}
		}
	}
	if o.Name == "" {
		return o, errors.New("there is no such server")
	}
	return o, nil
}

// drainOf returns a rig of n clients that drains, and its scripts.
func drainOf(t *testing.T, n int, most time.Duration, to string, g *guide) *transferRig {
	r := newTransferRig(t, enginetest.Options{Clients: n, Both: func(c *engine.Config) { c.Onward = g.Onward }})
	g.Story, g.drain = r.Server.Story, &r.Server.Drain
	r.Server.SetScripts(g)
	r.Join()
	require.NoError(t, g.drain.Begin(most, to, true))
	return r
}

// follow lets the clients with an order obey it, except those that refuse.
func (r *transferRig) follow(refuses func(c *engine.Connection, o engine.TransferOrder) string) {
	for _, o := range r.orders {
		why := ""
		if refuses != nil {
			why = refuses(o.c, o.o)
		}
		o.c.AnswerTransfer(why)
	}
	r.orders = nil
}

// TestDrainSendsPlayersOn: all players go to other servers, shared by these, and the drain is over
// when the last one has gone.
func TestDrainSendsPlayersOn(t *testing.T) {
	g := &guide{names: []string{"arena-1", "arena-2"}}
	r := drainOf(t, 8, time.Hour, "", g)
	counts := map[string]int{}
	for range 20 {
		r.Run(100 * time.Millisecond)
		r.follow(func(_ *engine.Connection, o engine.TransferOrder) string { counts[o.Name]++; return "" })
	}
	assert.Equal(t, map[string]int{"arena-1": 4, "arena-2": 4}, counts)
	assert.True(t, g.drain.Over())
	assert.Contains(t, r.Server.Lines, "dropped player 2: transferred to arena-1")
}

// TestDrainTriesTheNextServer: a player who is refused by a server goes to another one. If all
// refuse, the tries go on, four a minute at most, and the player stays to the end.
func TestDrainTriesTheNextServer(t *testing.T) {
	g := &guide{names: []string{"full", "ready"}}
	r := drainOf(t, 1, time.Hour, "", g)
	var tried []string
	only := func(taken string) func(*engine.Connection, engine.TransferOrder) string {
		return func(_ *engine.Connection, o engine.TransferOrder) string {
			tried = append(tried, o.Name)
			if o.Name == taken {
				return ""
			}
			return "server is full"
		}
	}
	for range 10 {
		r.Run(100 * time.Millisecond)
		r.follow(only("ready"))
	}
	assert.Equal(t, []string{"full", "ready"}, tried)
	assert.True(t, g.drain.Over())

	for _, names := range [][]string{{"a"}, {"a", "b"}, {"a", "b", "c", "d", "e", "f"}} {
		g, tried = &guide{names: names}, nil
		r = drainOf(t, 1, 2*time.Minute, "", g)
		for g.drain.Left() > time.Second {
			r.Run(100 * time.Millisecond)
			r.follow(only("none"))
			require.False(t, g.drain.Over())
		}
		assert.InDelta(t, 8, len(tried), 2.1, "%v", tried)
		assert.ElementsMatch(t, names, slices.Compact(slices.Sorted(slices.Values(tried))), "each server was tried")
		assert.Equal(t, 1, r.Server.Summary().Players)
		r.Until(2*time.Second, g.drain.Over)
	}
}

// TestDrainToAServer: all players go to the server that the operator names, and to no other one. An
// unknown one is refused before anything happens.
func TestDrainToAServer(t *testing.T) {
	g := &guide{names: []string{"arena-1", "arena-2"}, taken: true}
	r := drainOf(t, 2, time.Hour, "arena-2", g)
	assert.EqualError(t, g.drain.Begin(time.Hour, "arena-3", false), "there is no such server")
	r.Run(time.Second)
	require.Len(t, r.orders, 2)
	for _, o := range r.orders {
		assert.Equal(t, "arena-2", o.o.Name)
	}
}

// TestDrainGoesToOneServer: a signal during the drain of an operator names no server, and changes
// nothing about the named one. Another command without a server takes it back.
func TestDrainGoesToOneServer(t *testing.T) {
	for final, orders := range map[bool]int{true: 2, false: 0} { // any order: each is a game of its own
		g := &guide{names: []string{"arena-1", "arena-2"}, taken: true}
		r := drainOf(t, 2, time.Hour, "arena-2", g)
		require.NoError(t, g.drain.Begin(time.Hour, "", final))
		r.Run(time.Second)
		require.Len(t, r.orders, orders)
		for _, o := range r.orders {
			assert.Equal(t, "arena-2", o.o.Name)
		}
	}
}

// TestDrainRescuesPlayers: while scripts decide where the players go, the engine sends nobody on.
// In the last part of the drain it sends on those whom the scripts have forgotten.
func TestDrainRescuesPlayers(t *testing.T) {
	for most, first := range map[time.Duration]time.Duration{time.Minute: 40 * time.Second, 10 * time.Second: 5 * time.Second} {
		g := &guide{names: []string{"arena-1"}, taken: true}
		r := drainOf(t, 1, most, "", g)
		r.Run(first - 100*time.Millisecond)
		assert.Empty(t, r.orders)
		r.Run(time.Second)
		assert.Len(t, r.orders, 1)
	}
}

// TestDrainLeavesJoinsAlone: a player who still joins is sent on when the join is complete, one who
// is being sent by a mod is not sent twice, and a transfer under way outlives a drain that is given
// up.
func TestDrainLeavesJoinsAlone(t *testing.T) {
	g := &guide{names: []string{"arena-1"}}
	r := newTransferRig(t, enginetest.Options{Both: func(c *engine.Config) { c.Onward = g.Onward }})
	g.Story, g.drain = r.Server.Story, &r.Server.Drain
	r.Server.SetScripts(g)
	r.Server.Stall = true
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(time.Second)
	require.NoError(t, g.drain.Begin(time.Hour, "", false))
	r.Run(2 * time.Second)
	assert.Empty(t, r.orders)
	assert.False(t, g.drain.Over(), "it joins")
	r.Server.Stall = false
	r.Server.Lead(r.Peer(0), 1)
	r.Until(10*time.Second, func() bool { return len(r.orders) == 1 })
	require.NoError(t, g.drain.Cancel())
	require.NoError(t, g.drain.Begin(time.Hour, "", false))
	r.Run(time.Second)
	assert.Len(t, r.orders, 1)
	r.follow(nil)
	r.Run(3 * time.Second)
	assert.True(t, g.drain.Over())
}
