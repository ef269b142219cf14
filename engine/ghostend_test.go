package engine_test

import (
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

// TestScopeIsEmptyAfterReset checks that no object is in scope between two missions.
func TestScopeIsEmptyAfterReset(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	newThing(t, r.Server.Host, "of the old map")
	r.Run(time.Second)
	require.Equal(t, 1, engine.Watched(r.Server.Host))
	r.Peer(0).Ghosting.Reset()
	newThing(t, r.Server.Host, "of the new map")
	r.Run(time.Second)
	assert.Zero(t, engine.Watched(r.Server.Host))
	assert.Zero(t, r.Peer(0).Ghosts().Len())
	assert.Zero(t, r.Clients[0].Host.Server().PeerGhosts.Count())
}

// TestGateDoesNotDelayJoin checks an always-ghost whose datablock was not sent. The join completes
// without it, and the ghost follows its datablock.
func TestGateDoesNotDelayJoin(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Peer(0).Ghosting.Reset()
	declare(t, r.Server.Host, 1, 0)
	tool, err := r.Server.World().New("Tool", func(o sim.Object) error {
		return o.Ident().Class().Lookup("dataBlock").Set(o, sim.String("Tool0"))
	})
	require.NoError(t, err)
	r.Server.Rules.SetAlways(tool)
	r.Server.Rules.SetAlways(newThing(t, r.Server.Host, "ready"))
	done := func() int { return strings.Count(strings.Join(r.Server.Lines, "\n"), "always-ghosts done") }
	before := done()
	r.Peer(0).Ghosting.Activate()
	r.Run(2 * time.Second)
	assert.Equal(t, before+1, done())
	assert.Equal(t, 1, r.Clients[0].Host.Server().PeerGhosts.Count())
	r.Peer(0).Blocks.Transmit(2)
	r.Run(2 * time.Second)
	assert.Equal(t, 2, r.Clients[0].Host.Server().PeerGhosts.Count())
}

// TestLocallyDeletedGhost checks a ghost that the receiver has deleted. No reference and no update
// reaches it, and it is not reported again.
func TestLocallyDeletedGhost(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	client := r.Clients[0]
	from, to := newThing(t, r.Server.Host, "from"), newThing(t, r.Server.Host, "to")
	set(t, from, "friend", sim.Handle(to.ID()))
	r.Run(time.Second)
	gone := ghostOf(r.Peer(0), client.Host.Server(), to).(*enginetest.Thing)
	require.NoError(t, client.World().Delete(gone))
	lines := len(ghostLines(client.Story))

	set(t, to, "energy", sim.Number(50))
	set(t, from, "friend", sim.Handle(from.ID()))
	r.Run(time.Second)
	set(t, from, "friend", sim.Handle(to.ID()))
	var heard []sim.Value
	client.Handler = func(_ *engine.Connection, args []sim.Value) { heard = slices.Clone(args) }
	require.NoError(t, r.Peer(0).Commands.Send(engine.CommandOptions{}, sim.Tag("Look"), []sim.Value{sim.Handle(to.ID())}))
	r.Run(time.Second)
	assert.Zero(t, gone.Energy)
	require.Len(t, heard, 1)
	assert.True(t, heard[0].IsNil())
	assert.Zero(t, ghostOf(r.Peer(0), client.Host.Server(), from).(*enginetest.Thing).Friend)

	require.NoError(t, r.Server.World().Delete(to))
	r.Run(time.Second)
	assert.Len(t, ghostLines(client.Story), lines)
	assert.Equal(t, 1, client.Host.Server().PeerGhosts.Count())
}

// TestAcksOfDeletedObjects checks that a delayed ghost acknowledgement is not reported for a
// deleted object.
func TestAcksOfDeletedObjects(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	r.Server.PerTick = -1
	dies := newThing(t, r.Server.Host, "dies")
	newThing(t, r.Server.Host, "lives")
	r.Run(time.Second)
	require.True(t, r.Peer(0).Ghosts().Live(dies.Number()))
	require.NoError(t, r.Server.World().Delete(dies))
	r.Run(time.Second)
	r.Server.PerTick = 0
	r.Run(time.Second)
	assert.Contains(t, r.Server.Lines, "ghost acked: Thing lives")
	assert.NotContains(t, r.Server.Lines, "ghost acked: Thing dies")
}

// TestReturnedGhostWaits checks an object that leaves the scope and comes back while its kill is
// lost: the client never has two ghosts of it.
func TestReturnedGhostWaits(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	o := newThing(t, r.Server.Host, "it")
	r.Join()
	r.Run(time.Second)
	link := func(loss float64) {
		r.Net.Link(r.Clients[0].Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{Loss: loss})
	}
	link(1)
	r.Server.Rules.SetGroups(o, 2)
	r.Run(100 * time.Millisecond)
	r.Server.Rules.SetGroups(o, 0)
	link(0)
	r.Run(5 * time.Second)
	assert.Equal(t, []string{"ghost added: Thing it", "ghost removed: Thing it", "ghost added: Thing it"}, ghostLines(r.Clients[0].Story))
}
