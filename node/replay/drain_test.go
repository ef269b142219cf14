package replay_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/replay"
)

// TestReplayOfDrains drains a server by the command, gives that up, and drains it as a signal does. The
// players stay to the end, are told to come back, and the journal plays all of it.
func TestReplayOfDrains(t *testing.T) {
	for _, again := range []bool{false, true} {
		s := newStory(t, func(c *node.Config) { c.Server.Restarts = true })
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
		require.NoError(t, s.Server.Drain(4*time.Second))
		require.NoError(t, s.Server.Drain(time.Hour), "the earlier end counts")
		assert.True(t, s.Server.Draining())
		if again {
			assert.Contains(t, on("restart"), "starts again in 4 s at the latest (restart again does not wait)")
		}
		s.Run(t, 3900*time.Millisecond)
		assert.False(t, s.Server.Ending())
		var err error
		for end := s.Now + 3*time.Second; err == nil && s.Now < end; s.Now += time.Millisecond {
			err = s.Server.Step()
		}
		want := io.EOF
		if again {
			want = node.ErrRestart
		}
		require.ErrorIs(t, err, want)
		require.NoError(t, s.Server.Close())
		r, err := runAgain(t, s.journal.Bytes(), replay.Config{})
		assert.ErrorIs(t, err, io.EOF)
		assert.Empty(t, r.Difference())
		assert.Equal(t, s.Server.Host().TickNumber(), r.Tick())
		assert.True(t, r.Host().Drain.On())
	}
}
