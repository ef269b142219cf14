package trials

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
)

// folder makes a folder of mods out of "mod/path" and text; a mod.toml is added where there is none.
func folder(pairs ...string) fs.FS {
	all := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
		mod, _, _ := strings.Cut(pairs[i], "/")
		if manifest := mod + "/mod.toml"; all[manifest] == nil {
			all[manifest] = &fstest.MapFile{Data: []byte("name = \"" + mod + "\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\n")}
		}
	}
	return all
}

// run runs the tests of mod m, which has these files.
func run(t *testing.T, o Options, pairs ...string) []Result {
	t.Helper()
	o.Mod, o.Folders = "m", []fs.FS{mods.FS(), folder(pairs...)}
	results, err := Run(o)
	require.NoError(t, err)
	return results
}

// one runs a test of the one line code and returns its error, "" for none.
func one(t *testing.T, code string) string {
	t.Helper()
	results := run(t, Options{}, "m/test/x_test.lua", "test('x', function() "+code+" end)", "m/server/init.lua", "")
	require.Len(t, results, 1)
	if results[0].Err == nil {
		return ""
	}
	return results[0].Err.Error()
}

func TestAClientPlaysAndLeaves(t *testing.T) {
	results := run(t, Options{}, "m/test/x_test.lua", `
test("joins", function()
  local ann = client { name = "Ann" }
  truthy(ann.joined)
  equal(ann.client.name, "Ann")
  equal(#clientGroup, 1)
  ann:say("hello")
  wait(200)
  equal(ann:lines(), { "Ann: hello" })
  equal({ ann:lua("return 1 + ..., 'x'", 2) }, { 3, "x" })
end)
test("leaves with the test", function() equal(#clientGroup, 0) end)
`)
	for _, r := range results {
		assert.NoError(t, r.Err, "%s %v", r.Name, r.Log)
	}
	require.Len(t, results, 2)
}
