package node_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// TestTasks: a server runs lines by the clock, between two ticks, until they are cancelled. Lua can
// add them, too.
func TestTasks(t *testing.T) {
	t.Parallel()
	var out []string
	v := nodetest.NewVirtual(t, node.Config{Common: node.Common{Output: func(line string) { out = append(out, line) }}}, 0)
	line := func(line string) string {
		v.Run(t, engine.TickTime)
		result, err := v.Server.Console().Exec(line)
		require.NoError(t, err)
		return result
	}
	assert.Equal(t, "task 1", line(`every 1s = 20 + 1`))
	assert.Equal(t, "task 2", line(`every 1s = nonsense()`))
	assert.Equal(t, `"task 3"`, line(`daily("04:00", "restart")`))
	assert.Contains(t, line("tasks"), "3 daily at 04:00, next ")
	assert.Empty(t, line("tasks.cancel 3")) // it could be due now
	assert.NotContains(t, out, "21")
	v.Run(t, time.Second)
	assert.Contains(t, out, "21", "the first task has run")
	assert.Contains(t, strings.Join(out, "\n"), "nonsense", "a task that fails says why")
	assert.Regexp(t, `(?s)^1 every 1s, next .*: = 20 \+ 1\n2 [^\n]*$`, line("tasks"))
	for _, n := range []string{"1", "2"} {
		assert.Empty(t, line("tasks.cancel "+n))
	}
	assert.Empty(t, line("tasks"))
	for line, why := range map[string]string{
		"every": "usage: every INTERVAL LINE", "every 1h": "the line to run is missing", "every soon x": "must be between 1s",
		"daily 4am x": "must be between 00:00", "tasks.cancel 9": "there is no task",
	} {
		_, err := v.Server.Console().Exec(line)
		assert.ErrorContains(t, err, why, line)
	}
}
