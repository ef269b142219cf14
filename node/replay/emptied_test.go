package replay_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
	"github.com/torc-engine/torc/script/vm"
)

// hoard is a mod that breaks its memory budget when it is told to.
const hoard = `
local calls, armed, kept = 0, false, {}
function onTick()
  for i = 1, armed and 40 or 0 do kept[i] = ("x"):rep(1000000) end
end
export("arm", function() armed = true end)
export("count", function() calls = calls + 1 return calls end)
`

// TestReplayOfAnEmptiedMod checks the file of a server that has suspended a mod for its memory,
// emptied it, and loaded it anew. A replay has neither the heap nor the limit: it suspends the mod
// at the same instruction, and the mod has lost the same variables.
func TestReplayOfAnEmptiedMod(t *testing.T) {
	folder := t.TempDir()
	s := nodetest.StartServer(t, node.Config{
		Common: node.Common{Mods: []fs.FS{os.DirFS(modFolder(t, hoard))}, Vars: []node.Var{{Name: "mod.callbackHeap", Value: "8"}}},
		Server: node.ServerConfig{Load: []string{"diary"}, Journal: &node.Journal{Folder: folder}},
	})
	ended := nodetest.Runs(s.Run)
	run := func(line string) (out string, err error) {
		require.NoError(t, s.Do(func() { out, err = s.Console().Exec(line) }))
		return out, err
	}
	const count = `= import("diary").count()`
	for _, want := range []string{"1", "2"} {
		out, err := run(count)
		require.NoError(t, err)
		require.Equal(t, want, out)
	}
	_, err := run(`import("diary").arm()`)
	require.NoError(t, err)
	suspended := uint64(0) // the tick
	nodetest.Eventually(t, s.Do, "the mod is suspended", func() bool {
		out, err := s.Console().Exec("mods")
		suspended = s.Host().TickNumber()
		return err == nil && strings.Contains(out, "it exceeded its memory budget in onTick")
	})
	nodetest.Eventually(t, s.Do, "the game goes on", func() bool { return s.Host().TickNumber() > suspended+1 })
	_, err = run(count)
	require.ErrorContains(t, err, "mod diary is suspended: it exceeded its memory budget in onTick")
	_, err = run("mod.enable diary")
	require.NoError(t, err)
	out, err := run(count)
	require.NoError(t, err)
	require.Equal(t, "1", out, "it is loaded anew")
	require.NoError(t, s.Do(func() { s.Quit("over") }))
	require.NoError(t, <-ended)
	require.NoError(t, s.Close())

	files, err := filepath.Glob(filepath.Join(folder, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	b, err := os.ReadFile(files[0])
	require.NoError(t, err)
	verdicts := 0
	rewrite(t, b, func(_ int, e *journal.Entry) bool {
		if e.Kind == journal.Verdict && e.Number == uint64(vm.VerdictHeap) {
			verdicts++
		}
		return false
	})
	assert.Equal(t, 1, verdicts)
	var last string
	r, err := runAgain(t, b, replay.Config{Said: func(_, _, out string, _ error) { last = out }})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, r.Difference())
	assert.Equal(t, s.Host().TickNumber(), r.Tick())
	assert.Equal(t, "1", last)

	less := rewrite(t, b, func(_ int, e *journal.Entry) bool {
		return e.Kind != journal.Verdict || e.Number != uint64(vm.VerdictHeap)
	})
	r, err = replay.New(bytes.NewReader(less), replay.Config{})
	require.NoError(t, err)
	for err == nil && r.Difference() == "" {
		err = r.Step()
	}
	assert.NotEmpty(t, r.Difference(), "without the verdict")
	require.NoError(t, r.Close())
}
