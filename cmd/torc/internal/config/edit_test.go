package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSave checks that Save changes only values, and keeps comments and the order.
func TestSave(t *testing.T) {
	for _, c := range []struct {
		name, before, after string
		changes             []Change
	}{
		{"values in place", `# my server
name = "Old" # shown to players
max-clients=3
[vars] # all of them
net.rate = 20 # packets
'hello.greeting' = '''
Hi''' # two lines

[vars.race]
laps = 3
`, `# my server
name = "New \"1\"" # shown to players
max-clients=8
[vars] # all of them
net.rate = "auto" # packets
'hello.greeting' = "a\u000Ab" # two lines

[vars.race]
laps = 4.5
`, []Change{{"sv.name", `New "1"`}, {"sv.maxClients", 8.0}, {"net.rate", "auto"}, {"hello.greeting", "a\nb"}, {"race.laps", 4.5}}},
		{"new lines", `name = "x"
mod = ["a",
  "b"] # two
# the variables
[vars]
net.rate = 20 # packets
# end
[vars.race]
# laps
`, `name = "x"
mod = ["a",
  "b"] # two
max-clients = 8
# the variables
[vars]
net.rate = 20 # packets
sv.accepting = false
# end
[vars.race]
laps = 4
# laps
`, []Change{{"sv.accepting", false}, {"race.laps", 4.0}, {"sv.maxClients", 8.0}}},
		{"a new table", "# mine\nname = 'x'", "# mine\nname = 'x'\n\n[vars]\nnet.rate = 9\nnet.size = 300\n", []Change{{"net.rate", 9.0}, {"net.size", 300.0}}},
		{"an empty file", "", "name = \"x\"\n", []Change{{"sv.name", "x"}}},
		{"a key before a table", "[vars]\nnet.rate = 9\n", "name = \"x\"\n[vars]\nnet.rate = 9\n", []Change{{"sv.name", "x"}}},
		{"a flag's variable in the table", "[vars]\nsv.name = 'x'\n", "[vars]\nsv.name = \"y\"\n", []Change{{"sv.name", "y"}}},
		{"lines of Windows", "[vars]\r\nnet.rate = 9\r\n", "[vars]\r\nnet.rate = 8\r\nnet.size = 300\r\n", []Change{{"net.rate", 8.0}, {"net.size", 300.0}}},
		{"a byte order mark", "\ufeffname = 'x'\n", "name = \"y\"\n", []Change{{"sv.name", "y"}}},
		{"dotted keys without a table", "vars.net.size = 300\n# end\n", "vars.net.size = 300\nvars.net.rate = 9\n# end\n", []Change{{"net.rate", 9.0}}},
		{"a password's file", "password = \"@old\" # secret\n", "password = \"@new\" # secret\n", []Change{{"sv.password", "@new"}}},
	} {
		path := write(t, "torc.toml", c.before)
		require.NoError(t, os.Chmod(path, 0o640))
		require.NoError(t, Save(path, c.changes), c.name)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, c.after, string(text), c.name)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o640), info.Mode().Perm())
		left, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		assert.Len(t, left, 1, "no temporary file stays")
	}
}

// TestSaveRefuses checks that a file that Save cannot change stays as it is.
func TestSaveRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"\nvars = { net.rate = 3 }\n":         "net.rate is in an inline table in line 2: change it there by hand",
		"vars.net.size = 300\n[x]":            `"x" is not a setting`,
		"name = \"unfinished\n[vars]\nnet.r=": "torc.toml:1: ",
	} {
		path := write(t, "torc.toml", text)
		require.ErrorContains(t, Save(path, []Change{{"net.rate", 9.0}}), want, text)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(left))
	}
}
