package replay_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReplayOfAllocations: mods hear what somebody says who has taken the server for a match.
// Allocations are in the journal, so they replay. A mod that fails costs the others nothing, and a
// server that ends is silent.
func TestReplayOfAllocations(t *testing.T) {
	s := newStory(t, withoutGame)
	on := func(line string) string {
		out, err := s.Server.Console().Exec(line)
		require.NoError(t, err, line)
		return out
	}
	s.Run(t, time.Second)
	s.Server.Allocated(map[string]string{"unheard": "x"})
	on(`heard = {} function onAllocated(a) local n = 0 for _ in pairs(a) do n = n + 1 end heard[#heard + 1] = n .. tostring(a.mode) .. tostring(a[1]) missionGroup:add(new "WayPoint" { position = vec(n, 0, 0) }) end`)
	s.Run(t, time.Second)
	s.Server.Allocated(map[string]string{"mode": "duel \u00e9\xff", "map": "valley"})
	s.Run(t, time.Second)
	s.Server.Allocated(nil)
	s.Run(t, time.Second)
	on(`function onAllocated() error("no") end`)
	s.Server.Allocated(map[string]string{"mode": "x"})
	s.Run(t, time.Second)
	assert.Equal(t, `"2duel é`+"\ufffd"+`nil 0nilnil"`, on(`return table.concat(heard, " ")`))
	s.Server.Quit("")
	s.Server.Allocated(map[string]string{"mode": "late"})
	s.replays(s.ends(io.EOF))
}
