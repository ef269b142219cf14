package replay_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/replay"
)

// TestReplayOfDrains drains a server by the command, gives that up, and drains it as a signal does.
// The players stay to the end, are told to come back, and the journal plays all of it.
func TestReplayOfDrains(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := newStory(t, withoutGame, func(c *node.Config) { c.Server.Restarts = true })
		s.Run(t, 2*time.Second)
		on := func(line string) string {
			out, err := s.Server.Console().Exec(line)
			require.NoError(t, err, line)
			return out
		}
		assert.Equal(t, "draining, 3 players are left, ends in 300 s at the latest", on("drain"))
		s.Run(t, 500*time.Millisecond)
		assert.Contains(t, on("status"), "draining, 3 players")
		assert.Contains(t, on("metrics"), "torc_draining 1")
		on("drain off")
		assert.Contains(t, on("metrics"), "torc_draining 0")
		s.Run(t, 500*time.Millisecond)
		require.NoError(t, s.Server.Drain(2*time.Second))
		require.NoError(t, s.Server.Drain(time.Hour), "the earlier end counts")
		assert.True(t, s.Server.Draining())
		if again {
			assert.Contains(t, on("restart"), "starts again in 2 s at the latest (restart again does not wait)")
		}
		s.Run(t, 1900*time.Millisecond)
		assert.False(t, s.Server.Ending())
		want := io.EOF
		if again {
			want = node.ErrRestart
		}
		assert.True(t, s.replays(s.ends(want)).Host().Drain.On())
	}
}

// TestDrainSendsPlayersOn drains a server with a peer that has the same mission. Its player goes
// there whatever the mods do, unless one decides itself. Then the server ends, and its journal
// replays.
func TestDrainSendsPlayersOn(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "while true do end", "error('no')", "return false", "return true"} {
		x := newCrossing(t, func(i int, c *node.Config) {
			if i == 1 {
				c.Server.Load, c.Scripts = nil, nil // its mod would want data
			}
		})
		ann := identityOf(t, 1)
		first := x.client("Ann", ann)
		x.join(first, serverAt[0].String(), engine.ConnectArgs{})
		x.run(time.Second) // the peer tells its numbers
		on := func(line string) {
			_, err := x.servers[0].Console().Exec(line)
			require.NoError(t, err, line)
		}
		on("function onDrain(seconds) " + body + " end")
		_, err := x.servers[0].Console().Exec("drain 1h nowhere")
		assert.ErrorContains(t, err, "nowhere")
		on("drain 1h")
		x.run(300 * time.Millisecond)
		if body == "return true" {
			assert.Empty(t, first.orders)
			continue
		}
		require.Len(t, first.orders, 1, body)
		o := first.orders[0]
		assert.Equal(t, "arena-2", o.Name)
		second := x.client("Ann", ann)
		x.join(second, o.Address+"#"+o.Key.String(), engine.ConnectArgs{Ticket: o.Ticket})
		require.True(t, second.plays(), second.ended)
		assert.False(t, x.servers[0].Ending(), "the player is still here")
		first.Server().AnswerTransfer("")
		second.Server().Arrive()
		for range 200 {
			first.Send(x.now, func(to netcore.Addr, b []byte) { x.servers[0].Receive(first.at, b) })
			if err = x.servers[0].Step(); err != nil {
				break
			}
			x.now += 32 * time.Millisecond
		}
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, x.servers[0].Close())
		assert.Contains(t, x.said[0], "drop\ttransferred to arena-2")
		r, err := runAgain(t, x.journals[0].Bytes(), replay.Config{})
		assert.ErrorIs(t, err, io.EOF)
		assert.Empty(t, r.Difference())
	}
}
