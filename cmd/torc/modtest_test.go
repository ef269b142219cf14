package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// modFolder makes the folder of a mod named m, with these files, and returns its path.
func modFolder(t *testing.T, pairs ...string) string {
	t.Helper()
	files := map[string]string{"mod.toml": "name = 'm'\nversion = '1.0.0'\ndepends = ['base']\n"}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = pairs[i+1]
	}
	return filepath.Join(mod(t, "m", files), "m")
}

// runTorc runs the program. It returns the status and the output, passed through vague.
func runTorc(args ...string) (code int, stdout, stderr string) {
	var out, bad bytes.Buffer
	code = run(args, &out, &bad)
	return code, vague(out.String()), bad.String()
}

// vague replaces durations and the name of the outermost function in an output.
func vague(text string) string {
	text = regexp.MustCompile(`[\d.]+ ms`).ReplaceAllString(text, "N ms")
	return regexp.MustCompile(`(_test\.lua:\d+) in [^"\n]+`).ReplaceAllString(text, "$1 in a test")
}

const someTests = `
test("adds up", function() equal(1 + 1, 2) end)
test("does not", function()
  warn "careful"
  wait(100)
  equal({ a = 1 }, { a = 2 })
end)`

func TestModTest(t *testing.T) {
	dir := modFolder(t, "test/x_test.lua", someTests)
	code, out, bad := runTorc("mod", "test", dir)
	assert.Equal(t, failed, code)
	assert.Equal(t, `ok    x_test.lua: adds up (0 ticks, N ms)
FAIL  x_test.lua: does not (4 ticks, N ms)
      DIR/test/x_test.lua:6: .a: got 1, want 2
        DIR/test/x_test.lua:6 in a test
      | DIR/test/x_test.lua:4: careful
m: 1 passed, 1 failed in N ms
`, strings.ReplaceAll(out, dir, "DIR"))
	assert.Equal(t, "torc: 1 of the 2 tests of m failed\n", bad)

	code, out, bad = runTorc("mod", "test", dir, "--run", "^adds")
	assert.Equal(t, ended, code)
	assert.Equal(t, "ok    x_test.lua: adds up (0 ticks, N ms)\nm: 1 passed, 0 failed in N ms\n", out)
	assert.Empty(t, bad)
}

// TestModTestShowsTheLastLinesOfALog checks that a test with a long log shows the last lines.
func TestModTestShowsTheLastLinesOfALog(t *testing.T) {
	t.Parallel()
	dir := modFolder(t, "test/x_test.lua", `test("talks", function() for i = 1, 20 do warn("line " .. i .. ".") end error("no") end)`)
	_, out, _ := runTorc("mod", "test", dir)
	assert.Contains(t, out, "      | (8 earlier lines)\n      | "+dir+"/test/x_test.lua:1: line 9.\n")
	assert.Contains(t, out, "line 20.\n")
	assert.NotContains(t, out, "line 8.\n")
}

// TestModTestInJSON checks that the output has one JSON object per test, each on its own line.
func TestModTestInJSON(t *testing.T) {
	t.Parallel()
	dir := modFolder(t, "test/x_test.lua", someTests, "test/y_test.lua", "error 'no'", "server/init.lua", "")
	var out, bad bytes.Buffer
	assert.Equal(t, failed, run([]string{"mod", "test", "--json", dir}, &out, &bad))
	var rows []map[string]any
	for line := range strings.SplitSeq(strings.TrimSpace(strings.ReplaceAll(vague(out.String()), dir, "DIR")), "\n") {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		assert.Greater(t, row["ms"], -1.0)
		delete(row, "ms")
		rows = append(rows, row)
	}
	assert.Equal(t, []map[string]any{
		{"mod": "m", "file": "DIR/test/x_test.lua", "name": "adds up", "ok": true, "ticks": 0.0},
		{
			"mod": "m", "file": "DIR/test/x_test.lua", "name": "does not", "ok": false, "ticks": 4.0,
			"error": "DIR/test/x_test.lua:6: .a: got 1, want 2", "trace": []any{"DIR/test/x_test.lua:6 in a test"},
			"log": []any{"DIR/test/x_test.lua:4: careful"},
		},
		{
			"mod": "m", "file": "DIR/test/y_test.lua", "name": "", "ok": false, "ticks": 0.0,
			"error": "DIR/test/y_test.lua:1: no", "trace": []any{"DIR/test/y_test.lua:1 in a test"},
		},
	}, rows)
}

// TestModTestFindsTheMod names a mod by its name or its folder. Each mistake gives an error of one
// sentence.
func TestModTestFindsTheMod(t *testing.T) {
	dir := modFolder(t, "test/x_test.lua", someTests)
	t.Chdir(filepath.Dir(dir))
	for _, c := range []struct {
		args   string
		code   int
		stderr string
	}{
		{"test hello", ended, ""},
		{"test m --run adds", ended, ""},
		{"test ./m --run adds", ended, ""},
		{"test m --mods . --run adds", ended, ""},
		{"test --run adds -- m", ended, ""},
		{"test m --run nothing", failed, `torc: mod m: --run "nothing" matches no test` + "\n"},
		{"test nosuch", failed, "torc: unknown mod nosuch; installed are: base, ctf, deathmatch, hello\n"},
		{"test ./nosuch", misused, "torc: ./nosuch is not a mod: it has no mod.toml\n"},
		{"test ../..", misused, "torc: ../.. is not a mod: it has no mod.toml\n"},
		{"test m --mods nosuch", misused, "torc: --mods cannot be opened: open nosuch: no such file or directory\n"},
		{"test m --mods m", misused, "torc: --mods m is a mod itself; name its parent folder: --mods .\n"},
		{"test", misused, "torc: torc mod test needs the mod: torc mod test NAME|DIR\n"},
		{"test m n", misused, `torc: torc mod test: unexpected argument "n"` + "\n"},
		{"test m --run (", misused, "torc: --run \"(\": is not a regular expression: missing closing ): `(`\n"},
		{"test m --format md", misused, "torc: torc mod test has no flag --format (torc help mod lists them)\n"},
		{"", misused, "torc: torc mod needs a command: new, check, test, debug, docs, pack, install, list\n"},
		{"--json", misused, "torc: torc mod needs a command: new, check, test, debug, docs, pack, install, list\n"},
		{"dance m", misused, `torc: torc mod has no command "dance"; it has new, check, test, debug, docs, pack, install, list` + "\n"},
		{"new", misused, "torc: torc mod new needs the mod: torc mod new NAME\n"},
	} {
		code, _, bad := runTorc(append([]string{"mod"}, strings.Fields(c.args)...)...)
		assert.Equal(t, c.code, code, c.args)
		assert.Equal(t, c.stderr, bad, c.args)
	}
}

func TestModTestOfAModWithoutTests(t *testing.T) {
	code, out, bad := runTorc("mod", "test", modFolder(t, "server/init.lua", ""))
	assert.Equal(t, failed, code)
	assert.Empty(t, out)
	assert.Equal(t, "torc: mod m has no tests: add calls of test(\"name\", function() ... end) in m/test/*_test.lua\n", bad)
	dir := modFolder(t, "server/init.lua", "\nnosuch()", "test/x_test.lua", someTests)
	code, _, bad = runTorc("mod", "test", dir)
	assert.Equal(t, failed, code)
	assert.Equal(t, "torc: mod m is not loaded: "+dir+"/server/init.lua:2: attempt to call global 'nosuch' (a nil value)\n", bad)
}

// TestModTestHasASeed checks that the output names the seed and that the seed determines the run.
func TestModTestHasASeed(t *testing.T) {
	dir := modFolder(t, "test/x_test.lua", `test("x", function() error(math.random(1e9), 0) end)`)
	first := func(args ...string) string {
		_, out, _ := runTorc(append([]string{"mod", "test", dir}, args...)...)
		return out
	}
	assert.Equal(t, first(), first())
	assert.Equal(t, first(), first("--seed", "1"))
	assert.NotEqual(t, first(), first("--seed", "2"))
}
