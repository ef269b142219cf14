package replay_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// TestCommandsInAReplay calls each command of a server from Lua, those of the program too. Their
// names and outcomes are the same in a replay, which has neither the disk of the server nor the
// program.
func TestCommandsInAReplay(t *testing.T) {
	var journal bytes.Buffer
	v := nodetest.NewVirtual(t, node.Config{
		Common: node.Common{Data: t.TempDir(), Commands: []console.Command{{Name: "given", Run: joined}}},
		Server: node.ServerConfig{Restarts: true, Journal: &node.Journal{Writer: &journal}},
	}, 0)
	c := v.Server.Console()
	require.NoError(t, c.Register(console.Command{Name: "early", Run: joined, Help: "is added before the start"}))
	v.Run(t, 100*time.Millisecond)
	require.NoError(t, c.Register(console.Command{Name: "late", Run: joined, Line: func(rest string) (string, error) { return rest, c.Set("sv.name", rest) }}))
	require.EqualError(t, c.Register(console.Command{Name: "Late", Run: joined}), "Late is already the command late")
	for _, line := range []string{`late "a quote that is open`, "late", "early 1 2", `addCommand { name = "mine", run = function() return late("x") end }`, "mine"} {
		_, err := c.Exec(line)
		require.NoError(t, err, line)
	}
	names := c.Names()
	for _, name := range names {
		if slices.Contains([]string{"quit", "restart", "pause"}, name) {
			continue // nothing runs behind them
		}
		for _, args := range []string{"", `, "1"`, `, "1m", "echo"`} {
			out, err := c.Exec("= pcall(" + name + args + ")")
			require.NoError(t, err, name)
			if command, _ := c.Lookup(name); command != nil && command.Name == "late" && args != "" {
				assert.True(t, strings.HasPrefix(out, "true"), out)
			}
		}
	}
	for range 200 { // a task or a mission can end it
		if v.Server.Step() != nil {
			break
		}
		v.Now += time.Millisecond
	}
	require.NoError(t, v.Server.Close())
	r, err := runAgain(t, journal.Bytes(), replay.Config{})
	assert.Equal(t, io.EOF, err)
	assert.Empty(t, r.Difference())
	assert.Equal(t, names, r.Console().Names())
	_, err = r.Console().Exec("early")
	assert.EqualError(t, err, "early is a command of the program that wrote the journal: a replay cannot run it")
	out, err := r.Console().Exec("status")
	require.NoError(t, err)
	assert.Contains(t, out, "tick")
	help, err := r.Console().Exec("help early")
	require.NoError(t, err)
	assert.Contains(t, help, "is added before the start")
}

// joined is a command of a program that no replay has.
func joined(args []string) (string, error) { return strings.Join(args, "+"), nil }
