package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReloadOnTrial changes the files of a mod. The server tests the mod while it plays on, and
// reloads it only if the tests pass.
func TestReloadOnTrial(t *testing.T) {
	t.Parallel()
	dir := modFolder(t, "server/init.lua", "version = 1", "test/x_test.lua", "test('is not three', function() truthy(version ~= 3) end)")
	data := shortDir(t)
	p, _, _ := serveOn(t, "--data", data, "--mods", filepath.Dir(dir), "--mod", "m")
	for _, c := range []struct {
		n             int
		says, version string
	}{
		{2, "m 1.0.0 reloaded", "version 2"},
		{3, `error: m is not reloaded: its test "is not three" fails: ` + dir + `/test/x_test.lua:1:`, "version 2"},
		{4, "m 1.0.0 reloaded", "version 4"},
	} {
		code := fmt.Sprintf("addCommand { name = 'm.version', run = function() return 'version %d' end }\nversion = %[1]d", c.n)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "server/init.lua"), []byte(code), 0o644))
		p.say("mod reload m")
		p.expect(c.says)
		p.say("m.version")
		p.expect(c.version)
	}
	for _, c := range []struct {
		code, says string
		status     int
	}{
		{"version = 5", "m 1.0.0 reloaded", ended},
		{"version = 3", `error: m is not reloaded: its test "is not three" fails: `, failed},
	} { // a pipe waits for the result
		require.NoError(t, os.WriteFile(filepath.Join(dir, "server/init.lua"), []byte(c.code), 0o644))
		pipe := start(t, "console", "--data", data)
		pipe.say("mod reload m")
		require.NoError(t, pipe.in.Close())
		pipe.expect(c.says)
		pipe.ends(c.status)
	}
	p.say("mod reload m --untested")
	p.expect("m 1.0.0 reloaded")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server/init.lua"), []byte("version = = 6"), 0o644))
	p.say("mod reload m --untested")
	p.expect("error: m is not reloaded: " + dir + "/server/init.lua:1: syntax error near '='")
	p.quits()
}
