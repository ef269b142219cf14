package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// ghostStory calls a function when all always-ghosts have arrived.
type ghostStory struct {
	*enginetest.Story
	arrived func(c *engine.Connection)
	done    func(c *engine.Connection)
}

func (s *ghostStory) ConnectionEvent(c *engine.Connection, name string, _ ...sim.Value) {
	if name == "onGhostAlwaysArrived" {
		s.arrived(c)
	}
}

func (s *ghostStory) GhostAlwaysDone(c *engine.Connection) {
	if s.done != nil {
		s.done(c)
	}
	s.Story.GhostAlwaysDone(c)
}

// TestClientsKnowTheirAlwaysGhosts joins three missions over lines that lose packets, while objects
// come and go. The client knows when it has all of them, once per mission, and the server does.
func TestClientsKnowTheirAlwaysGhosts(t *testing.T) {
	for seed := range testenv.Seeds(t, 30, 1000) {
		link := netcore.LinkParams{Delay: 40 * time.Millisecond, Loss: float64(seed%3) * 0.2}
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
		server, client := r.Server, r.Clients[0]
		always := map[string]*enginetest.Thing{}
		add := func(label string) {
			always[label] = newThing(t, server.Host, label)
			server.Rules.SetAlways(always[label])
		}
		has := func(where string) {
			there := map[string]bool{}
			client.Host.Server().PeerGhosts.Each(func(o sim.Object) bool {
				there[o.(*enginetest.Thing).Label] = true
				return true
			})
			for label := range always {
				assert.True(t, there[label], "seed %d: the %s misses %s", seed, where, label)
			}
		}
		arrived, done := 0, 0
		client.SetScripts(&ghostStory{Story: client.Story, arrived: func(*engine.Connection) { arrived++; has("client") }})
		server.SetScripts(&ghostStory{Story: server.Story, done: func(*engine.Connection) { done++; has("server") }})
		require.NoError(t, client.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute}))
		for mission := range 3 {
			for i := range 5 {
				add(fmt.Sprint("kept ", mission, " ", i))
			}
			gone := newThing(t, server.Host, "gone")
			server.Rules.SetAlways(gone)
			r.Run(time.Duration(seed) * 20 * time.Millisecond % (400 * time.Millisecond))
			require.NoError(t, server.World().Delete(gone))
			r.Until(30*time.Second, func() bool {
				c := client.Host.Server()
				return done > mission && c != nil && c.Join.Phase() == engine.PhaseGame
			})
			assert.Equal(t, mission+1, arrived, "seed %d", seed)
			assert.Equal(t, mission+1, done, "seed %d", seed)
			r.Peer(0).Ghosting.Reset()
			for label, o := range always {
				require.NoError(t, server.World().Delete(o))
				delete(always, label)
			}
			if seed%2 == 0 { // otherwise the reset and the next join arrive together
				r.Run(time.Second)
			}
			server.Lead(r.Peer(0), uint32(mission+2))
		}
	}
}

// TestRoundTripsOfSteps counts the round trips from the first packet of a client to the game: three
// of the handshake, one with the datablocks, and one with the objects that are always in scope.
func TestRoundTripsOfSteps(t *testing.T) {
	join := func(rtt time.Duration) time.Duration {
		link := netcore.LinkParams{Delay: rtt / 2}
		r := enginetest.New(t, enginetest.Options{Up: link, Down: link})
		declare(t, r.Server.Host, 5, 0)
		for i := range 5 {
			r.Server.Rules.SetAlways(newThing(t, r.Server.Host, fmt.Sprint(i)))
		}
		r.Join()
		return r.Net.Now()
	}
	const short, long = 4 * engine.TickTime, 20 * engine.TickTime
	assert.Equal(t, 5*(long-short), join(long)-join(short))
}

// alwaysRig is a rig with three always-ghosts. It notes how many ghosts the client had seen come
// and go at each report that all have come.
func alwaysRig(t *testing.T) (r *enginetest.Rig, things []*enginetest.Thing, arrived *[]int) {
	r, arrived = enginetest.New(t, enginetest.Options{Up: alwaysLink, Down: alwaysLink}), new([]int)
	for i := range 3 {
		things = append(things, newThing(t, r.Server.Host, fmt.Sprint(i)))
		r.Server.Rules.SetAlways(things[i])
	}
	r.Clients[0].SetScripts(&ghostStory{Story: r.Clients[0].Story, arrived: func(*engine.Connection) {
		*arrived = append(*arrived, len(ghostLines(r.Clients[0].Story)))
	}})
	return r, things, arrived
}

// loseGhosts connects the client, and loses everything from the server from the first packet with
// ghosts on. It returns after that packet.
func loseGhosts(r *enginetest.Rig) {
	c, ghosts := r.Clients[0], 0
	require.NoError(r.T, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Net.Watch = func(_ netcore.Time, from, _ netcore.Addr, b []byte) {
		if peers := r.Server.Connections(); from == r.Server.Addr && len(peers) > 0 && peers[0].Join.Phase() == engine.PhaseGhosts {
			if ghosts++; ghosts == 1 {
				r.Net.Link(c.Addr, r.Server.Addr, alwaysLink, netcore.LinkParams{Loss: 1})
			}
		}
	}
	r.Until(2*time.Second, func() bool { return ghosts > 0 })
}

var alwaysLink = netcore.LinkParams{Delay: 2 * engine.TickTime}

// TestAlwaysGhostsThatNeverCome deletes an object whose ghost was named and lost. The server says
// when the others have arrived.
func TestAlwaysGhostsThatNeverCome(t *testing.T) {
	r, things, arrived := alwaysRig(t)
	c := r.Clients[0]
	loseGhosts(r)
	require.NoError(t, r.Server.World().Delete(things[2]))
	r.Net.Link(c.Addr, r.Server.Addr, alwaysLink, alwaysLink)
	r.Until(5*time.Second, func() bool { return c.Host.Server().Join.Phase() == engine.PhaseGame })
	assert.Equal(t, []int{2}, *arrived)
	assert.Equal(t, 2, c.Host.Server().PeerGhosts.Count())
}

// TestClientsCannotConfirmWhatTheyLack confirms ghosts that are lost. The server waits for them.
func TestClientsCannotConfirmWhatTheyLack(t *testing.T) {
	r, _, _ := alwaysRig(t)
	c := r.Clients[0]
	loseGhosts(r)
	engine.ConfirmGhosts(c.Host.Server(), 1)
	r.Run(time.Second)
	assert.NotContains(t, r.Server.Lines, "always-ghosts done")
	r.Net.Link(c.Addr, r.Server.Addr, alwaysLink, alwaysLink)
	r.Until(5*time.Second, func() bool { return c.Host.Server().Join.Phase() == engine.PhaseGame })
	assert.Equal(t, 3, c.Host.Server().PeerGhosts.Count())
}

// TestAlwaysGhostsOfAnotherEpoch starts ghosting again during the game. The ghosts of before have
// the ids of the new ones, and do not count.
func TestAlwaysGhostsOfAnotherEpoch(t *testing.T) {
	r, things, arrived := alwaysRig(t)
	r.Join()
	r.Server.Schedule().At(r.Server.Now(), 32, sim.Owner{}, func() { // in a tick, so that everything goes in one packet
		require.NoError(t, r.Server.World().Delete(things[1]))
		r.Server.Rules.SetAlways(newThing(t, r.Server.Host, "new"))
		r.Peer(0).Ghosting.Activate()
	})
	r.Until(2*time.Second, func() bool { return len(*arrived) == 2 })
	assert.Equal(t, []int{3, 9}, *arrived, "three removed, three added")
}
