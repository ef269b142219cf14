package engine_test

import (
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

func count(lines []string, what string) int { return strings.Count(strings.Join(lines, "\n"), what) }

// TestPhaseStepIsAnsweredOnce checks that a repeated phase answer of a client is ignored.
func TestPhaseStepIsAnsweredOnce(t *testing.T) {
	m := client(t)
	before := count(m.victim.Lines, "always-ghosts done")
	m.target().Ghosting.Activate()
	m.say(ordered(5, func(h hand, _ int) { h.answer(1, 2) }))
	assert.Equal(t, before, count(m.victim.Lines, "always-ghosts done"), "that was another question")
	m.say(orderedFrom(5, 5, func(h hand, _ int) { h.answer(1, 1) }))
	assert.Equal(t, before+1, count(m.victim.Lines, "always-ghosts done"))
	assert.Equal(t, engine.PhaseGame, m.target().Join.Phase())

	before = count(m.victim.Lines, "datablocks done")
	m.target().Blocks.Transmit(9)
	m.rig.Run(time.Second)
	m.say(orderedFrom(10, 5, func(h hand, _ int) { h.answer(0, 9) }))
	assert.Equal(t, before+1, count(m.victim.Lines, "datablocks done"))
	m.lives("")
}

// TestJoinCompletesOnce checks that a repeated last phase step does not complete the join again.
func TestJoinCompletesOnce(t *testing.T) {
	m := server(t)
	m.say(ordered(50, func(h hand, _ int) { h.step(5, 1) }))
	assert.Equal(t, 1, count(m.victim.Lines, "in the game"))
	m.say(orderedFrom(50, 2, func(h hand, i int) { h.step(uint64(4+i), 1) }))
	assert.Equal(t, 2, count(m.victim.Lines, "in the game"), "a map change is another join")
}

// TestLargeCommandsUseTheAllowance checks that a few large commands use as much allowance as many
// small ones.
func TestLargeCommandsUseTheAllowance(t *testing.T) {
	m := client(t)
	text := strings.Repeat("\x01", 1000)
	began, now := m.victim.Now(), m.rig.Net.Now()
	m.conn.Boost(true)
	for i := range 100 { // all between two ticks
		m.raw.next = append(m.raw.next, writer(orderedFrom(uint64(i), 1, func(h hand, _ int) {
			h.commandOf("Say", 1)
			h.WriteBits(5, 4)
			h.Text(&text, 1<<20)
		})))
		m.Endpoint.Send(now+time.Duration(i)*10*time.Millisecond, func(_ netcore.Addr, d []byte) { m.deliver(now, d) })
	}
	m.victim.Tick(now)
	m.victim.Tick(now)
	require.Equal(t, int64(2*engine.TickMs), m.victim.Now()-began)
	stats := m.target().Commands.Stats
	assert.Equal(t, 100, stats.Commands+stats.RefusedCommands)
	assert.InDelta(t, 64, stats.Commands, 2)
	m.rig.Run(2 * time.Second)
	m.lives("")
}

// TestDisconnectDeletesPeerDatablocks checks that a peer's datablocks are deleted with its
// connection, in both directions.
func TestDisconnectDeletesPeerDatablocks(t *testing.T) {
	mutual := func(c *engine.Config) { c.Server, c.Mutual = true, true }
	r := enginetest.New(t, enginetest.Options{Server: mutual})
	other := r.Player(7, 3, true, mutual)
	r.Net.Link(other.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	declare(t, r.Server.Host, 3, 0)
	declare(t, other.Host, 5, 0)
	require.NoError(t, other.Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Run(2 * time.Second)
	other.Host.Server().Blocks.Transmit(5)
	r.Run(2 * time.Second)
	require.Equal(t, 8, r.Server.World().DataBlocks.Len())
	require.Equal(t, 8, other.World().DataBlocks.Len())
	require.NoError(t, other.Dialer.Disconnect("enough"))
	r.Run(time.Second)
	assert.Equal(t, 3, r.Server.World().DataBlocks.Len())
	assert.Equal(t, 5, other.World().DataBlocks.Len())
}

// TestWaitingCommandsHaveABound checks the most expensive events that a peer can leave waiting: the
// smallest commands, in every free place. They cost many times their size, but the cost has a
// limit.
func TestWaitingCommandsHaveABound(t *testing.T) {
	m := client(t)
	cost := uint64(0)
	for from := uint64(1); from < 4095; {
		sent := uint64(0)
		cost += m.say(orderedFrom(from, 4096-int(from), func(h hand, i int) { h.command("Nobody"); sent = uint64(i) }))
		from += max(sent, 1)
	}
	assert.LessOrEqual(t, cost, uint64(raceFactor*2<<20))
	assert.Zero(t, m.target().Commands.Stats.Commands)
	m.lives("")
}

// TestDeletedGroupEndsConnection checks that the deletion of a connection's group ends the
// connection and reaches the peer.
func TestDeletedGroupEndsConnection(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{})
	r.Join()
	o, err := r.Server.World().New("SimGroup", nil)
	require.NoError(t, err)
	require.NoError(t, o.(*sim.Group).Add(r.Peer(0)))
	newThing(t, r.Server.Host, "thing")
	r.Run(time.Second)
	require.NoError(t, r.Server.World().Delete(o))
	r.Run(time.Second)
	assert.Empty(t, r.Server.Connections())
	assert.Nil(t, r.Clients[0].Host.Server())
	assert.Equal(t, 1, count(r.Server.Lines, "dropped player 2"))
	assert.Contains(t, r.Clients[0].Lines[len(r.Clients[0].Lines)-1], "its object was deleted")
	assert.Zero(t, engine.Watched(r.Server.Host))
}
