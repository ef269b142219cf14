package node_test

import (
	"io"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
)

// missions is a mod that has two missions.
var missions = fstest.MapFS{
	"maps/mod.toml":           {Data: []byte("name = \"maps\"\nversion = \"1.0.0\"\ndepends = [\"base >=1.0\"]\n")},
	"maps/missions/east.lua":  {Data: []byte("")},
	"maps/missions/north.lua": {Data: []byte("")},
}

// peers returns servers that are peers of each other, with the mod maps.
func (w *town) peers(names ...string) {
	w.t.Helper()
	var all []node.Peer
	for i, name := range names {
		all = append(all, node.Peer{Name: name, Address: name + ":28000", Key: serverKey(w.t, byte(i+1)).Public})
	}
	for i, name := range names {
		w.serve(name, func(c *node.Config) {
			c.Mods, c.Resolve = append(c.Mods, missions), w.resolve
			c.Server.Load = append(c.Server.Load, "maps")
			c.Server.Peers = slices.Delete(slices.Clone(all), i, i+1)
		})
		for _, other := range w.servers[:i] {
			w.net.Link(w.servers[i].addr, other.addr, netcore.LinkParams{}, netcore.LinkParams{})
		}
	}
}

// crowd adds clients of a server that come back by themselves, and waits until all have a body
// there.
func (w *town) crowd(s *townServer, n int) {
	w.t.Helper()
	for range n {
		w.client(s, func(c *node.Config) { c.Client.Reconnect = true })
	}
	w.until("all are in the game", func() bool { return w.all((*townClient).body) })
	for _, c := range w.clients {
		c.joined = true
	}
	w.run(6 * time.Second) // the servers ask each other in this time
}

// all reports whether something is true of each client.
func (w *town) all(is func(*townClient) bool) bool {
	return !slices.ContainsFunc(w.clients, func(c *townClient) bool { return !is(c) })
}

// nobodyIsDropped requires that each client plays at one of the servers, was in a game all the
// time, and has heard of no end but that of a transfer.
func (w *town) nobodyIsDropped(servers ...*townServer) {
	w.t.Helper()
	for _, c := range w.clients {
		require.NoError(w.t, c.err)
		assert.True(w.t, slices.ContainsFunc(servers, c.at), "%s\n%s", c.addr, w.text())
		assert.Zero(w.t, c.out, "out of any game")
		for _, line := range c.said {
			assert.NotContains(w.t, line, "disconnected")
			assert.NotContains(w.t, line, "lost")
		}
	}
}

// TestDrainOf64 ends a server with 64 players as a supervisor does; its short form has 32. All of
// them go to the two peers, evenly, and nobody is dropped. The server ends when the last one has
// gone, long before its time.
func TestDrainOf64(t *testing.T) {
	t.Parallel()
	players := testenv.Length(16, 64)
	w := newTown(t, netcore.LinkParams{Delay: 25 * time.Millisecond, Loss: .01})
	w.peers("a", "b", "c")
	a, b, c := w.servers[0], w.servers[1], w.servers[2]
	w.crowd(a, players)
	began := w.net.Now()
	require.NoError(t, a.Drain(10*time.Minute))
	w.until("the server has ended", func() bool { return a.ended != nil })
	assert.ErrorIs(t, a.ended, io.EOF, "with status 0")
	t.Logf("%d players in %v", players, w.net.Now()-began)
	assert.LessOrEqual(t, w.net.Now()-began, 10*time.Second)
	w.run(time.Second)
	w.nobodyIsDropped(b, c)
	assert.Equal(t, players/2, b.Host().Summary().Players)
	assert.Equal(t, players/2, c.Host().Summary().Players)
}

// TestDrainInAChangeOfMission: the players of a server that changes its mission while it drains go
// to the peer with the new mission, when they are in the game again. The peer changes its own one
// while they join. Nobody is dropped.
func TestDrainInAChangeOfMission(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name   string
		before string        // the line of the draining server before its drain
		after  string        // after it, in the same round
		wait   time.Duration // until the peer changes its mission; 0: it does not
	}{
		{name: "just before", before: "mission north"},
		{name: "just after", after: "mission north"},
		{name: "the peer, too", before: "mission north", wait: 400 * time.Millisecond},
		{name: "the peer, at the order", wait: 40 * time.Millisecond},
		{name: "the peer, at the swap", wait: 700 * time.Millisecond},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			w := newTown(t, netcore.LinkParams{Delay: 25 * time.Millisecond})
			w.peers("a", "b")
			a, b := w.servers[0], w.servers[1]
			w.crowd(a, 4)
			if x.before+x.after != "" {
				b.exec("mission north")
				w.run(6 * time.Second) // a hears of it
			}
			for _, line := range []string{x.before, "drain 5m", x.after} {
				if line != "" {
					a.exec(line)
				}
			}
			if x.wait > 0 {
				w.run(x.wait)
				b.exec("mission east")
			}
			w.until("the server has ended", func() bool { return a.ended != nil })
			w.until("all are in the game", func() bool { return w.all((*townClient).body) })
			w.run(time.Second)
			for _, c := range w.clients {
				assert.True(t, c.at(b), w.text())
				require.NoError(t, c.err)
				for _, line := range c.said {
					assert.NotContains(t, line, "disconnected")
				}
			}
			assert.Equal(t, 4, b.Host().Summary().Players)
		})
	}
}

// TestLastWordsOfMods: messages that mods send in onShutdown arrive, even if onShutdown has taken
// seconds.
func TestLastWordsOfMods(t *testing.T) {
	t.Parallel()
	w := newTown(t, netcore.LinkParams{Delay: 10 * time.Millisecond})
	farewell := withMod("farewell", `
		local base = import "base"
		function onShutdown()
			for c in clientGroup:each() do base.messageClient(c, "MsgBye", "goodbye " .. c.name) end
			echo "all know"
		end`)
	var s *townServer
	s = w.serve("a", func(cfg *node.Config) {
		farewell(cfg)
		say := cfg.Output
		cfg.Output = func(text string) {
			if say(text); text == "all know" {
				s.lag = 2 * time.Second
			}
		}
	})
	c := w.join(s, nil)
	s.exec("quit")
	w.until("the client has heard it", func() bool { return slices.Contains(c.said, "goodbye P1") })
}
