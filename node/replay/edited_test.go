package replay_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// TestEditedListsInAReplay edits the lists of a running server: before a change by the console, and
// before they are read again by a command and without one. A replay has the same lists and players,
// also after a change that the server could not save.
func TestEditedListsInAReplay(t *testing.T) {
	var journal bytes.Buffer
	dir := t.TempDir()
	var v *nodetest.Virtual
	reload := console.Command{Name: "reload", Run: func([]string) (string, error) { return "", v.Server.Settings.Reread() }}
	v = nodetest.NewVirtual(t, node.Config{
		Common: node.Common{Data: dir, Commands: []console.Command{reload}},
		Server: node.ServerConfig{Journal: &node.Journal{Writer: &journal}},
	}, 3)
	v.Banned = [64]bool{true, true, true}
	edit := func(name, text string) {
		before, err := os.ReadFile(filepath.Join(dir, name))
		require.True(t, err == nil || os.IsNotExist(err))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), append(before, text...), 0o600))
	}
	var said []string
	say := func(line string) string {
		out, err := v.Server.Console().Exec(line)
		if err != nil {
			out = "error: " + err.Error()
		}
		said = append(said, line+": "+out)
		v.Run(t, 100*time.Millisecond)
		return out
	}
	players := func() (names string) {
		for _, c := range v.Server.Host().Connections() {
			names += c.PlayerName
		}
		return names
	}
	v.Run(t, 2*time.Second)
	require.Equal(t, "ABC", players())

	say("ban 203.0.113.9")
	edit("bans", "# A\n192.0.2.1\n")
	assert.Equal(t, "ABC", players())
	say("ban 203.0.113.10 2h")
	assert.Equal(t, "BC", players(), "the merged list holds")

	edit("bans", "192.0.2.2\tforever\tB\tby hand\nnonsense\n")
	edit("mutes", "192.0.2.3\n")
	edit("allowed", "192.0.2.3\n")
	edit("rights", "# mods\nallow\tmod\tkick\n")
	assert.Equal(t, "error: "+filepath.Join(dir, "bans")+`:6: "nonsense" is neither a key nor an address: the line has no effect`, say("reload"))
	assert.Equal(t, "C", players())
	for line, want := range map[string]string{"mutes": "192.0.2.3 forever", "allowed": "192.0.2.3 forever", "role": "mod may kick"} {
		assert.Equal(t, want, say(line))
	}
	edit("rights", "role\t"+seal.Key{1}.String()+"\tmod\n")
	require.ErrorContains(t, v.Server.Settings.Reread(), "nonsense", "by a signal")
	assert.Contains(t, say("role"), seal.Key{1}.String()+" mod")

	bans := filepath.Join(dir, "bans")
	text, err := os.ReadFile(bans)
	require.NoError(t, err)
	require.NoError(t, os.Truncate(bans, 17<<20))
	assert.Contains(t, say("unban 203.0.113.9"), "cannot be saved")
	require.NoError(t, os.WriteFile(bans, []byte(strings.ReplaceAll(string(text), "nonsense", "198.51.100.1")), 0o600))
	assert.Empty(t, say("ban 198.51.100.2"))
	assert.Equal(t, "192.0.2.1 forever\n203.0.113.10 for 1h59m59s\n192.0.2.2 forever B by hand\n198.51.100.1 forever\n198.51.100.2 forever", say("bans"))
	say("recent")
	require.NoError(t, v.Server.Close())

	var again []string
	r, err := runAgain(t, journal.Bytes(), replay.Config{Said: func(_, line, out string, err error) {
		if err != nil {
			out = "error: " + err.Error()
		}
		again = append(again, line+": "+out)
	}})
	assert.Equal(t, io.EOF, err)
	assert.Empty(t, r.Difference())
	for i, line := range said {
		if strings.Contains(line, "cannot be saved") {
			continue // it has the path of a folder
		}
		assert.Equal(t, line, again[i])
	}
}
