package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

func TestAlwaysGhostsComeFirst(t *testing.T) {
	for _, loss := range []float64{0, .3} {
		link := netcore.LinkParams{Delay: 20 * time.Millisecond, Loss: loss}
		r := enginetest.New(t, enginetest.Options{Seed: 1, Up: link, Down: link})
		for i := range 200 { // more than one packet of either
			newThing(t, r.Server.Host, fmt.Sprintf("normal %50d", i))
			r.Server.Rules.SetAlways(newThing(t, r.Server.Host, fmt.Sprintf("always %50d", i)))
		}
		there := -1
		client := r.Clients[0]
		require.NoError(t, client.Dialer.Connect("host 1", engine.ConnectArgs{}))
		r.Until(20*time.Second, func() bool {
			if there < 0 && slices.Contains(r.Server.Lines, "always-ghosts done") {
				there = len(ghostLines(client.Story))
			}
			return there >= 0
		})
		assert.Equal(t, 200, there, "all of them, and nobody else")
		r.Run(5 * time.Second)
		lines := ghostLines(client.Story)
		require.Len(t, lines, 400)
		for i, line := range lines {
			assert.Equal(t, i < 200, strings.Contains(line, "always"), line)
		}
	}
}

// TestGhostsAreProgress checks that always-ghosts count as progress of a join. A slow link may take
// longer for them than the join timeout.
func TestGhostsAreProgress(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Server: func(c *engine.Config) { c.JoinTimeout = time.Second }})
	client := r.Clients[0]
	client.Settings.Rate, client.Settings.Size = 10, 200
	client.Apply()
	for i := range 200 {
		r.Server.Rules.SetAlways(newThing(t, r.Server.Host, fmt.Sprintf("always %50d", i)))
	}
	began := r.Net.Now()
	r.Join()
	assert.Greater(t, r.Net.Now()-began, 3*time.Second)
	assert.Equal(t, 200, client.Host.Server().PeerGhosts.Count())
}

func TestMapChange(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		client := r.Clients[0]
		old := newThing(t, r.Server.Host, "old map")
		r.Run(time.Second)
		both := newThing(t, r.Server.Host, "both maps")
		r.Run(time.Second)
		require.Equal(t, 2, client.Host.Server().PeerGhosts.Count())

		r.Peer(0).Ghosting.Reset()
		require.NoError(t, r.Server.World().Delete(old))
		newThing(t, r.Server.Host, "new map")
		r.Run(time.Second)
		assert.Zero(t, client.Host.Server().PeerGhosts.Count())
		assert.Equal(t, engine.PhaseJoining, client.Host.Server().Join.Phase())

		r.Server.Lead(r.Peer(0), 2)
		r.Run(time.Second)
		assert.Equal(t, engine.PhaseGame, client.Host.Server().Join.Phase())
		assert.Equal(t, []string{
			"ghost added: Thing old map", "ghost added: Thing both maps",
			"ghost removed: Thing old map", "ghost removed: Thing both maps",
			"ghost added: Thing both maps", "ghost added: Thing new map",
		}, ghostLines(client.Story))
		equalGhost(t, r.Peer(0), client.Host.Server(), both)
		assert.Equal(t, 2, engine.Watched(r.Server.Host))
	})
}

// TestTimeoutBetweenMissions checks that no timeout applies between missions. In the next join, a
// player can be silent for as long as in the game.
func TestTimeoutBetweenMissions(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Seed: 1})
	r.Join()
	r.Peer(0).Ghosting.Reset()
	r.Run(12 * time.Second)
	require.Len(t, r.Server.Connections(), 1)
	require.Equal(t, engine.PhaseJoining, r.Peer(0).Join.Phase())

	nothing := netcore.LinkParams{Loss: 1}
	r.Net.Link(r.Clients[0].Addr, r.Server.Addr, nothing, nothing)
	r.Peer(0).Blocks.Transmit(2)
	r.Run(30 * time.Second)
	r.Net.Link(r.Clients[0].Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	r.Until(10*time.Second, func() bool { return r.Peer(0).Join.Phase() == engine.PhaseGame })

	r.Peer(0).Ghosting.Reset()
	r.Run(time.Second)
	r.Clients[0].Settings.Timeout = 300 // so that the client does not give up itself
	r.Clients[0].Apply()
	r.Server.Settings.Timeout = 50
	r.Server.Apply()
	r.Net.Link(r.Clients[0].Addr, r.Server.Addr, netcore.LinkParams{}, nothing)
	r.Peer(0).Blocks.Transmit(3)
	r.Run(55 * time.Second)
	assert.Contains(t, strings.Join(r.Server.Lines, "\n"), "the join made no progress for 50s in phase datablocks")
}

// TestMapChangeDuringAJoin checks a map change in each of 25 ticks of a join. The client ends in
// the new map, and messages for the old map have no effect.
func TestMapChangeDuringAJoin(t *testing.T) {
	for at := range 25 {
		link := netcore.LinkParams{Delay: 40 * time.Millisecond, Loss: .1}
		r := enginetest.New(t, enginetest.Options{Seed: uint64(at), Up: link, Down: link})
		declare(t, r.Server.Host, 5, 0)
		client := r.Clients[0]
		thing := newThing(t, r.Server.Host, "old")
		r.Server.Rules.SetAlways(thing)
		require.NoError(t, client.Dialer.Connect("host 1", engine.ConnectArgs{}))
		r.Until(10*time.Second, func() bool { return len(r.Server.Connections()) > 0 })
		r.Run(time.Duration(at) * engine.TickTime)

		r.Peer(0).Ghosting.Reset()
		require.NoError(t, r.Server.World().Delete(thing))
		r.Server.Rules.SetAlways(newThing(t, r.Server.Host, "new"))
		done := strings.Count(strings.Join(r.Server.Lines, "\n"), "always-ghosts done")
		r.Server.Lead(r.Peer(0), 2)
		r.Run(10 * time.Second)

		assert.Equal(t, engine.PhaseGame, client.Host.Server().Join.Phase())
		lines := ghostLines(client.Story)
		require.NotEmpty(t, lines)
		assert.Equal(t, "ghost added: Thing new", lines[len(lines)-1])
		assert.Equal(t, 1, client.Host.Server().PeerGhosts.Count())
		assert.Equal(t, done+1, strings.Count(strings.Join(r.Server.Lines, "\n"), "always-ghosts done"), "at %d", at)
	}
}

// flag returns the spec of a class that is declared while a server runs.
func flag(source string) sim.ClassSpec {
	return sim.ClassSpec{Name: "Flag", Parent: "Thing", Source: source, Fields: []sim.FieldSpec{
		{Name: "heat", Kind: sim.KindNumber, Lo: 0, Hi: 1, Bits: 8},
		{Name: "carrier", Kind: sim.KindObject, Class: "Thing"},
	}}
}

func TestDeclaredClassCrosses(t *testing.T) {
	link := netcore.LinkParams{Delay: 30 * time.Millisecond, Loss: .2}
	for seed := range uint64(5) {
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
		_, err := r.Server.World().Classes().Declare(flag("mod:1"))
		require.NoError(t, err)
		r.Join()
		client := r.Clients[0]
		make := func(class string) sim.Object {
			o, err := r.Server.World().New(class, nil)
			require.NoError(t, err)
			return o
		}
		o := make("Flag")
		set(t, o, "heat", sim.Number(.5))
		r.Run(2 * time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), o)

		spec := flag("mod:9") // for a client that already plays, when the first object is made
		spec.Name, spec.Parent = "Banner", "Flag"
		_, err = r.Server.World().Classes().Declare(spec)
		require.ErrorContains(t, err, "heat", "names are one")
		spec.Fields = []sim.FieldSpec{{Name: "text", Kind: sim.KindString, Max: 20}}
		_, err = r.Server.World().Classes().Declare(spec)
		require.NoError(t, err)
		banner := make("Banner")
		set(t, banner, "text", sim.String("hear"))
		r.Run(2 * time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), banner)

		require.NotNil(t, client.World().Classes().Lookup("Banner"))
		require.NoError(t, client.Dialer.Disconnect("bye"))
		r.Run(time.Second)
		assert.Nil(t, client.World().Classes().Lookup("Flag"), "it goes with the server that declared it")
		assert.NotNil(t, r.Server.World().Classes().Lookup("Flag"))
		r.Join()
		r.Run(2 * time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), banner)
	}
}

// TestGhostsFollowTheirDescriptions checks on a link with small packets that a ghost does not
// arrive before its description.
func TestGhostsFollowTheirDescriptions(t *testing.T) {
	for seed := range uint64(10) {
		link := netcore.LinkParams{Delay: 30 * time.Millisecond, Loss: .1}
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
		client := r.Clients[0]
		client.Settings.Size = 150
		client.Apply()
		r.Join()
		for i := range 5 {
			spec := flag("mod:1")
			spec.Name = fmt.Sprint("Flag", i)
			for k := range 10 {
				spec.Fields = append(spec.Fields, sim.FieldSpec{Name: fmt.Sprint("of_no_importance_", k), Kind: sim.KindBool})
			}
			_, err := r.Server.World().Classes().Declare(spec)
			require.NoError(t, err)
			_, _, err = r.Server.World().Blocks.Declare("ToolData", fmt.Sprint("Tool", i), "", func(o sim.Object) error {
				o.(*enginetest.ToolData).Text = noise(i, 300)
				return nil
			})
			require.NoError(t, err)
			r.Peer(0).Blocks.Transmit(uint32(2 + i))
			for _, class := range []string{spec.Name, "Tool"} {
				_, err = r.Server.World().New(class, func(o sim.Object) error {
					if class == "Tool" {
						return o.Ident().Class().Lookup("dataBlock").Set(o, sim.String(fmt.Sprint("Tool", i)))
					}
					return nil
				})
				require.NoError(t, err)
			}
			r.Run(time.Duration(seed*40) * time.Millisecond)
		}
		r.Run(15 * time.Second)
		require.NotNil(t, client.Host.Server(), strings.Join(client.Lines, "\n"))
		require.Equal(t, 10, client.Host.Server().PeerGhosts.Count(), "seed %d", seed)
	}
}

func TestGhostWaitsForItsDatablock(t *testing.T) {
	link := netcore.LinkParams{Delay: 30 * time.Millisecond, Loss: .2}
	for seed := range uint64(5) {
		r := enginetest.New(t, enginetest.Options{Seed: seed, Up: link, Down: link})
		r.Join()
		client := r.Clients[0]
		declare(t, r.Server.Host, 3, 5000)
		o, err := r.Server.World().New("Tool", func(o sim.Object) error {
			f, err := o.Ident().Class().Field("dataBlock")
			require.NoError(t, err)
			return f.Set(o, sim.String("Tool1"))
		})
		require.NoError(t, err)
		thing := newThing(t, r.Server.Host, "needs no block")
		r.Run(2 * time.Second)
		require.NotNil(t, ghostOf(r.Peer(0), client.Host.Server(), thing))
		require.Nil(t, ghostOf(r.Peer(0), client.Host.Server(), o), "its block was not sent")
		require.Equal(t, 1, client.Host.Server().PeerGhosts.Count())

		r.Peer(0).Blocks.Transmit(2)
		r.Until(5*time.Second, func() bool { return client.Host.Server().PeerGhosts.Count() == 2 })
		assert.NotNil(t, client.World().Blocks.ByName("Tool1"))
		r.Run(time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), o)
		assert.Equal(t, engine.PhaseGame, client.Host.Server().Join.Phase())

		set(t, o, "dataBlock", sim.String("Tool2"))
		r.Run(time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), o)
		_, _, err = r.Server.World().Blocks.Declare("ToolData", "New", "", nil)
		require.NoError(t, err)
		set(t, o, "dataBlock", sim.String("New"))
		r.Run(2 * time.Second)
		require.Nil(t, ghostOf(r.Peer(0), client.Host.Server(), o), "its new block was not sent")
		require.Equal(t, 1, client.Host.Server().PeerGhosts.Count())
		r.Peer(0).Blocks.Transmit(3)
		r.Run(2 * time.Second)
		equalGhost(t, r.Peer(0), client.Host.Server(), o)
	}
}

func TestDisconnectTakesTheGhosts(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	before := r.Clients[0].World().Len()
	r.Join()
	for i := range 3 {
		newThing(t, r.Server.Host, fmt.Sprint(i))
	}
	r.Run(time.Second)
	require.Equal(t, 6, engine.Watched(r.Server.Host), "three things, two connections")
	client := r.Clients[0]
	require.NoError(t, client.Dialer.Disconnect("bye"))
	r.Run(time.Second)
	assert.Equal(t, before, client.World().Len())
	assert.Equal(t, 3, engine.Watched(r.Server.Host))
	assert.Equal(t, []string{
		"ghost added: Thing 0", "ghost added: Thing 1", "ghost added: Thing 2",
		"ghost removed: Thing 0", "ghost removed: Thing 1", "ghost removed: Thing 2",
	}, ghostLines(client.Story))
	assert.Equal(t, 3, r.Clients[1].Host.Server().PeerGhosts.Count(), "the other keeps its own")

	require.NoError(t, client.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(3 * time.Second)
	assert.Equal(t, 3, client.Host.Server().PeerGhosts.Count())
	assert.Equal(t, 6, engine.Watched(r.Server.Host))
}
