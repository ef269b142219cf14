package console_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
)

// TestExecCommand checks that a limited user can run only some commands: no Lua, no variable, and
// no command that runs lines.
func TestExecCommand(t *testing.T) {
	c := console.New(nil)
	secret := "x"
	var ran, audited []string
	run := func(name string) func([]string) (string, error) {
		return func(args []string) (string, error) {
			ran = append(ran, name+" "+strings.Join(args, "|"))
			return "ok", nil
		}
	}
	require.NoError(t, c.Register(console.Command{Name: "kick", Params: "ID", Help: "ends it", Run: run("kick"), Complete: func([]string) []string { return []string{"Ann", "Bob"} }}))
	require.NoError(t, c.Register(console.Command{Name: "kill", Run: run("kill")}))
	require.NoError(t, c.Register(console.Command{Name: "every", RunsLines: true, Run: run("every")}))
	require.NoError(t, c.Bind(console.Var{Name: "key", Value: console.String(&secret)}))
	c.SetEval(func(chunk string) (string, bool, error) { ran = append(ran, "lua "+chunk); return "", false, nil })
	c.SetAudit(func(line string, err error) { audited = append(audited, line) })
	may := func(name string) bool { return slices.Contains([]string{"kick", "every", "exec", "key"}, name) }

	for line, want := range map[string]string{
		`kick 3 "bad words"`: "ok", " kick\t(1) ": "ok", "": "",
		"help": "kick ID  ends it", "help kick": "kick ID\n  ends it",
	} {
		out, err := c.ExecCommand(line, may)
		require.NoError(t, err, line)
		assert.Equal(t, want, out, line)
	}
	for _, line := range []string{"kill 3", "every 1s quit", "exec x", "key", "key y", "key = y", "= 1", "kick(1)", "kick.x", "help kill", "help key", "help every", "nothing", "kick 3\nkill 3"} {
		_, err := c.ExecCommand(line, may)
		if line != "kick 3\nkill 3" { // one command, with these words
			assert.Error(t, err, line)
		}
		assert.Contains(t, audited, line)
	}
	assert.ElementsMatch(t, []string{"kick 3|bad words", "kick (1)", "kick 3\nkill|3"}, ran)
	assert.Equal(t, "x", secret)

	for line, want := range map[string][]string{
		"": {"help", "kick"}, "k": {"kick"}, "e": nil, "kick ": {"Ann", "Bob"}, "kick A": {"Ann"}, "kill ": nil, "key ": nil, "x.": nil,
	} {
		got, start := c.CompleteCommand(line, len(line), may)
		assert.Equal(t, want, got, line)
		assert.Equal(t, strings.LastIndex(line, " ")+1, start)
	}
}
