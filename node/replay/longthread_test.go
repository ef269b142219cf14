package replay_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// longWork is a mod whose threads work without wait. How far they are shows in the random numbers.
const longWork = `
local n = 0
local function work()
  while true do n = n + 1 if n % 1000 == 0 then math.random() end end
end
for i = 1, 3 do spawn(work) end
spawn(function() for i = 1, 150000 do n = n + 1 end echo("one is done", tick(), n) end)
`

// TestReplayOfLongThreads checks that threads that stop in the middle of their work stop at the same
// instructions in a replay, which has no clock: also those that a slow machine has postponed.
func TestReplayOfLongThreads(t *testing.T) {
	var b bytes.Buffer
	s := nodetest.StartServer(t, node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(modFolder(t, longWork))}, Vars: []node.Var{
			{Name: "mod.tickTime", Value: "1ms"}, {Name: "mod.tickInstructions", Value: "500000"}, {Name: "mod.threadInstructions", Value: "1000000"},
		}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Writer: &b}},
	})
	ended := nodetest.Runs(s.Run)
	nodetest.Eventually(t, s.Do, "all threads have ended", func() bool {
		out, err := s.Console().Exec("mod.faults diary")
		return err == nil && s.Host().TickNumber() > 30 && strings.Contains(out, "3x, ") && strings.Contains(out, "the budget of 1000000 instructions is used up")
	})
	require.NoError(t, s.Do(func() { s.Quit("over") }))
	require.NoError(t, <-ended)
	require.NoError(t, s.Close())
	r, err := runAgain(t, b.Bytes(), replay.Config{})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, s.Host().TickNumber(), r.Tick())
}
