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
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// setMass changes the mass of a tool on the server.
func setMass(t *testing.T, h *engine.Host, name string, mass float64) {
	t.Helper()
	o := h.World().Blocks.ByName(name)
	require.NoError(t, o.Ident().Class().Lookup("mass").Set(o, sim.Number(mass)))
}

func TestTransmissionReportsBlockCount(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 20, 0)
		r.Join()
		setMass(t, r.Server.Host, "Tool5", 1000)
		setMass(t, r.Server.Host, "Tool6", 1000)
		r.Peer(0).Blocks.Transmit(2)
		r.Run(time.Second)
		lines := r.Clients[0].Lines
		assert.Equal(t, []string{"datablock 1 of 2", "datablock 2 of 2"}, lines[len(lines)-2:])
	})
}

// TestTransmissionWaitsForCommit checks that datablocks are sent only after the world change is
// committed.
func TestTransmissionWaitsForCommit(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 3, 0)
		r.Join()
		w := r.Server.World()
		for _, keep := range []bool{false, true} {
			c := w.Begin()
			setMass(t, r.Server.Host, "Tool2", 500)
			_, err := w.Classes().Declare(classSpec("Flag", "Thing", heat))
			require.NoError(t, err)
			r.Peer(0).Blocks.Transmit(2)
			if keep {
				c.Commit()
			} else {
				c.Rollback()
				_, err := w.Classes().Declare(classSpec("Sign", "Thing", title))
				require.NoError(t, err)
			}
			r.Run(time.Second)
			require.NotNil(t, r.Clients[0].Host.Server(), "the connection lives")
			equalBlocks(t, r.Server.Host, r.Clients[0].Host)
			assert.Equal(t, keep, r.Clients[0].World().Classes().Lookup("Flag") != nil)
		}
	})
}

// TestRollbackRestoresConnection checks that a rollback leaves the phase and the packets of a
// connection unchanged.
func TestRollbackRestoresConnection(t *testing.T) {
	r := newRace(t, lag(0, 0))
	c, meddle := r.Peer(0), func(c *engine.Connection) {
		c.Ghosting.Reset()
		c.Ghosting.Activate()
		c.Join.Enter()
		c.Line.SetReceiveRate(netcore.Rate{Packets: 2, Size: 200})
		c.Line.SetSendRate(netcore.Rate{Packets: 2, Size: 200})
		c.Line.SetLink(netcore.LinkParams{Loss: 1})
	}
	was := []any{c.Net().ReceiveRate(), c.Line.SendRate(), c.Join.Phase(), c.Ghosts().Len()}
	change := r.Server.World().Begin()
	meddle(c)
	change.Rollback()
	heard := c.Net().Stats().Received
	r.Server.Quiet, r.Server.Lines = false, nil
	r.Run(time.Second)
	assert.Empty(t, r.Server.Lines)
	assert.Greater(t, c.Net().Stats().Received, heard)
	assert.Equal(t, was, []any{c.Net().ReceiveRate(), c.Line.SendRate(), c.Join.Phase(), c.Ghosts().Len()})
	change = r.Server.World().Begin()
	meddle(c)
	change.Commit()
	assert.Equal(t, []any{netcore.Rate{Packets: 2, Size: 200}, 0}, []any{c.Net().ReceiveRate(), c.Ghosts().Len()})
	heard = c.Net().Stats().Received
	r.Run(time.Second)
	assert.Equal(t, heard, c.Net().Stats().Received)
}

// TestRollbackSkipsDeletedControlObject checks that a rollback does not restore control of a
// deleted object.
func TestRollbackSkipsDeletedControlObject(t *testing.T) {
	r := newRace(t, lag(0, 0))
	c, other := r.Peer(0), r.runner()
	require.NoError(t, r.Server.World().Delete(r.runners[0]))
	change := r.Server.World().Begin()
	require.NoError(t, c.Control.Set(other))
	change.Rollback()
	assert.Nil(t, c.Control.Object())
	assert.Zero(t, other.Ident().Controller())
}

// TestRollbackRemovesBot checks that a rollback removes a new bot, and that no handler runs for
// it.
func TestRollbackRemovesBot(t *testing.T) {
	r := newRace(t, lag(0, 0))
	n, driver := len(r.Server.Connections()), r.runners[0].Ident().Controller()
	require.NotZero(t, driver)
	c := r.Server.World().Begin()
	bot, err := r.Server.AddBot("Bot")
	require.NoError(t, err)
	require.NoError(t, bot.Control.Set(r.runners[0]))
	r.Server.Schedule().At(0, 1000, sim.Owner{Object: bot.ID()}, func() {})
	r.Server.Lines = nil
	c.Rollback()
	assert.Zero(t, r.Server.Schedule().Len())
	assert.Len(t, r.Server.Connections(), n)
	assert.Equal(t, driver, r.runners[0].Ident().Controller())
	r.Run(time.Second)
	assert.Empty(t, r.Server.Lines)
}

// TestBlockBeforeChangedParent checks that a datablock is sent as a delta only from a parent that
// the peer has in its current form.
func TestBlockBeforeChangedParent(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 3, 0)
		r.Join()
		setMass(t, r.Server.Host, "Tool2", 500) // the child is sent first
		setMass(t, r.Server.Host, "Tool0", 600) // and its parent after it
		r.Peer(0).Blocks.Transmit(2)
		r.Run(time.Second)
		equalBlocks(t, r.Server.Host, r.Clients[0].Host)
		assert.NotNil(t, r.Clients[0].Host.Server(), "the connection lives")
	})
}

// TestBlockChangedTwice changes a datablock, and again when the peer has the change: it gets both.
func TestBlockChangedTwice(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 3, 0)
		r.Join()
		for i := range 3 {
			setMass(t, r.Server.Host, "Tool1", 500+float64(i))
			r.Peer(0).Blocks.Transmit(uint32(2 + i))
			r.Run(time.Second)
			equalBlocks(t, r.Server.Host, r.Clients[0].Host)
		}
	})
}

func TestStaleAnswerIsIgnored(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		declare(t, r.Server.Host, 3, 0)
		r.Join()
		r.Server.Lines = nil
		r.Peer(0).Blocks.Transmit(7)
		r.Peer(0).Blocks.Transmit(8)
		r.Run(time.Second)
		assert.Equal(t, []string{"datablocks done 8"}, r.Server.Lines)
	})
}

// TestChangeDuringTransmissionIsSentOnce checks that a datablock that changes while it waits is
// sent once, in its newest form.
func TestChangeDuringTransmissionIsSentOnce(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Server: func(c *engine.Config) { c.JoinTimeout = time.Minute }})
	r.Clients[0].Settings.Rate, r.Clients[0].Settings.Size = 10, 200
	r.Clients[0].Apply()
	differing(t, r.Server.Host, 100)
	require.NoError(t, r.Clients[0].Dialer.Connect("host 1", engine.ConnectArgs{}))
	r.Until(30*time.Second, func() bool { return r.Clients[0].Blocks >= 5 })
	for i := range 3 {
		setMass(t, r.Server.Host, "Tool99", 5000+float64(i))
	}
	r.Until(time.Minute, func() bool {
		s := r.Clients[0].Host.Server()
		return s != nil && s.Join.Phase() == engine.PhaseGame
	})
	assert.Equal(t, 100, r.Clients[0].Blocks)
	equalBlocks(t, r.Server.Host, r.Clients[0].Host)
}

// TestCommandsWaitForBusyScripts checks that commands wait for scripts that have used up their tick
// budget. No command is lost, and the order is kept.
func TestCommandsWaitForBusyScripts(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		r.Clients[0].PerTick = 3
		r.Clients[0].Lines = nil
		var want []string
		for n := range 10 {
			require.NoError(t, r.Peer(0).Commands.Send(engine.CommandOptions{}, sim.String("N"), []sim.Value{sim.Number(float64(n))}))
			want = append(want, fmt.Sprintf("N(number %d)", n))
		}
		r.Until(time.Second, func() bool { return len(r.Clients[0].Lines) > 0 })
		assert.Equal(t, want[:3], r.Clients[0].Lines, "three a tick")
		r.Run(time.Second)
		assert.Equal(t, want, r.Clients[0].Lines)
	})
}

// slow scripts have time for one connection per tick.
type slow struct {
	*enginetest.Story
	t    *testing.T
	told int
}

func (s *slow) BeginTick() { s.told = 0 }
func (s *slow) Busy() bool { return s.told > 0 }

func (s *slow) Connected(c *engine.Connection, args []string) {
	assert.Zero(s.t, s.told, "one in a tick")
	s.told++
	s.Story.Connected(c, args)
}

// TestConnectionsWaitForBusyScripts checks that new connections also wait for busy scripts. Each is
// reported and none is lost.
func TestConnectionsWaitForBusyScripts(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 5})
	r.Server.SetScripts(&slow{Story: r.Server.Story, t: t})
	r.Join()
	for i := range 5 {
		assert.Equal(t, engine.PhaseGame, r.Peer(i).Join.Phase())
	}
}

// TestInboxIsBounded checks that a peer is disconnected when too many of its commands wait.
func TestInboxIsBounded(t *testing.T) {
	stories(t, func(t *testing.T, o enginetest.Options) {
		r := enginetest.New(t, o)
		r.Join()
		r.Clients[0].PerTick = -1
		for range 60 {
			for range 100 {
				if c := r.Server.Connections(); len(c) > 0 {
					_ = c[0].Commands.Send(engine.CommandOptions{}, sim.String("N"), nil)
				}
			}
			r.Run(100 * time.Millisecond)
		}
		assert.Contains(t, strings.Join(r.Server.Lines, "\n"), "too many events are queued for scripts")
	})
}

// TestEachClientIsSentWhatItCanReceive checks that two clients with different rates each receive at
// their own rate.
func TestEachClientIsSentWhatItCanReceive(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2, Server: func(c *engine.Config) { c.JoinTimeout = time.Minute }})
	r.Clients[1].Settings.Rate, r.Clients[1].Settings.Size = 10, 200
	r.Clients[1].Apply()
	bytes := map[netcore.Addr]int{}
	largest := map[netcore.Addr]int{}
	differing(t, r.Server.Host, 100)
	r.Join()
	r.Net.Watch = func(_ netcore.Time, _, to netcore.Addr, d []byte) {
		bytes[to] += len(d)
		largest[to] = max(largest[to], len(d))
	}
	for i := range 2 {
		for n := range 100 {
			require.NoError(t, r.Peer(i).Commands.Send(engine.CommandOptions{}, sim.String("N"), []sim.Value{sim.String(noise(n, 1000))}))
		}
	}
	r.Run(10 * time.Second)
	slow := r.Clients[1].Addr
	assert.LessOrEqual(t, largest[slow], 200)
	assert.LessOrEqual(t, bytes[slow], (10*10+8)*200, "the rate, and one burst")
	assert.Greater(t, bytes[r.Clients[0].Addr], 100_000)
}
