package node_test

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// fields adds the paths of the leaves of a JSON value: "mods[].name".
func fields(to map[string]bool, at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, of := range v {
			fields(to, strings.TrimPrefix(at+"."+name, "."), of)
		}
	case []any:
		for _, of := range v {
			if _, object := of.(map[string]any); object {
				fields(to, at+"[]", of)
			} else {
				to[at] = true
			}
		}
		if len(v) == 0 {
			to[at] = true
		}
	default:
		to[at] = true
	}
}

// TestStatusJSON compares the JSON of status and players with the tables of docs/server.md: both
// have the same fields. The text has the lines that scripts read first.
func TestStatusJSON(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/server.md")
	require.NoError(t, err)
	s := nodetest.StartServer(t, node.Config{
		Common: node.Common{Version: "1.2.3", Name: "Ann's\x1b[2J", Vars: []node.Var{{Name: "nothing.of.torc", Value: "1"}, {Name: "sv.voice", Value: "all"}}, Scripts: []node.Script{{Code: `function onTick() error "broken" end`}}},
		Server: node.ServerConfig{Metrics: "127.0.0.1:0"},
	})
	_, err = s.Host().AddBot("Bob <b>\x9b")
	require.NoError(t, err)
	nodetest.Runs(s.Run)
	c := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Eve"}, Client: node.ClientConfig{Address: s.Address()}})
	nodetest.Runs(c.Run)
	nodetest.Eventually(t, c.Do, "the client is in the game", c.Ready)
	run := func(n interface{ Do(func()) error }, exec func(string) (string, error), line string) (text string) {
		require.NoError(t, n.Do(func() { text, err = exec(line) }))
		require.NoError(t, err)
		return text
	}

	paths := map[string]map[string]bool{"status": {}, "players": {}}
	for _, one := range []struct {
		of   string
		text string
	}{
		{"status", run(s, s.Console().Exec, "status --json")},
		{"status", run(c, c.Console().Exec, "status --json")},
		{"players", run(s, s.Console().Exec, "players --json")},
	} {
		assert.NotContains(t, one.text, "\n")
		assert.NotContains(t, one.text, "null")
		var value any
		require.NoError(t, json.Unmarshal([]byte(one.text), &value), one.text)
		fields(paths[one.of], "", value)
	}
	for of, has := range paths {
		_, section, _ := strings.Cut(string(page), "\n| field of `"+of+"` | meaning |\n")
		section, _, _ = strings.Cut(section, "\n\n")
		documented := map[string]bool{}
		for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|").FindAllStringSubmatch(section, -1) {
			for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
				documented[name[1]] = true
			}
		}
		assert.Equal(t, slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(documented)), of)
	}

	var first []string
	for line := range strings.Lines(run(s, s.Console().Exec, "status")) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		first = append(first, word)
	}
	assert.Equal(t, strings.Fields("name key tick objects players voice version address metrics uptime tick memory mod warnings warn"), first[:15])
	_, err = s.Console().Exec("players all")
	assert.EqualError(t, err, "usage: players [--json]")
}
