package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/node/modtrial"
	"github.com/torc-engine/torc/script/lint"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/reference"
)

// row is a line in a table of equivalents: a name of another engine, and torc's.
type row struct {
	at    string // page:line
	line  int
	names []string // of the other engine
	torc  string   // the second column
	code  string   // in the second column
	where string
	note  string
}

// noEquivalent marks rows of names that torc does not have.
const noEquivalent = "–"

var codeSpan = regexp.MustCompile("`([^`]+)`")

// spans returns the code in a cell.
func spans(cell string) (code []string) {
	for _, m := range codeSpan.FindAllStringSubmatch(cell, -1) {
		code = append(code, m[1])
	}
	return code
}

// rowsOf reads the tables of a page that have a third column "where" and four columns.
func rowsOf(t *testing.T, page string) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../docs", page))
	require.NoError(t, err)
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		for j := range cells {
			cells[j] = strings.TrimSpace(strings.ReplaceAll(cells[j], "\x00", "|"))
		}
		switch {
		case len(cells) != 6:
			inside = false
		case cells[3] == "where":
			inside = true
		case inside && !strings.HasPrefix(cells[1], "--"):
			r := row{at: fmt.Sprintf("docs/%s:%d", page, i+1), line: i + 1, names: spans(cells[1]), torc: cells[2], where: cells[3], note: cells[4]}
			r.code = strings.Join(spans(cells[2]), " ")
			rows = append(rows, r)
		}
	}
	return rows
}

// TestPageRows tries each row of the pages for people who know another engine: its code runs, and
// its names exist.
func TestPageRows(t *testing.T) {
	t.Parallel()
	model, err := apiReference()
	require.NoError(t, err)
	var lines []row
	for _, page := range []struct {
		name string
		rows int // the least number
	}{{"from-torque.md", 60}, {"from-luanti.md", 40}, {"from-fivem.md", 40}} {
		rows := rowsOf(t, page.name)
		assert.GreaterOrEqual(t, len(rows), page.rows, page.name)
		lua := rowMod{fstest.MapFS{}, new(strings.Builder), new(strings.Builder), new(strings.Builder)}
		for _, r := range rows {
			switch r.where {
			case noEquivalent:
				assert.True(t, strings.HasPrefix(r.torc, "none; "), r.at)
			case "server", "client", "shared":
				lua.add(r)
				assert.True(t, r.isDefined(model), "%s: nothing calls this function", r.at)
			case "console", "client console":
				lines = append(lines, r)
			default:
				assert.NoError(t, r.parses(), r.at)
			}
			for _, name := range append(spans(r.note), r.noneOf()...) {
				assert.True(t, knows(model, rows, name), "%s: torc has no %s", r.at, name)
			}
		}
		lua.try(t, model)
	}
	tryLines(t, lines)
}

// noneOf returns the names in the second column of a name without equivalent.
func (r row) noneOf() []string {
	if r.where == noEquivalent {
		return spans(r.torc)
	}
	return nil
}

// parses checks a command line, or an entry of a configuration file or a manifest.
func (r row) parses() error {
	switch r.where {
	case "shell":
		_, typed, _ := strings.Cut(r.code, "torc ")
		return parses(wordsOf(typed))
	case "mod.toml":
		text := "version = \"1.0.0\"\n" + r.code + "\n"
		if !strings.HasPrefix(r.code, "name = ") {
			text = "name = \"race\"\n" + text
		}
		_, err := manifest.Read("race", fstest.MapFS{"mod.toml": {Data: []byte(text)}})
		return err
	case "torc.toml":
		dir, err := os.MkdirTemp("", "torc-test-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := os.WriteFile(filepath.Join(dir, "torc.toml"), []byte(r.code), 0o600); err != nil {
			return err
		}
		_, _, err = config.Parse([]string{"serve", "--config", filepath.Join(dir, "torc.toml")}, func(string) (string, bool) { return "", false })
		return err
	}
	return fmt.Errorf("%q is no place", r.where)
}

var definition = regexp.MustCompile(`\bfunction ([\w.:]+)\(`)

// isDefined reports whether torc calls each function with a name that the code of a row defines.
func (r row) isDefined(model *reference.Model) bool {
	for _, m := range definition.FindAllStringSubmatch(r.code, -1) {
		name := m[1]
		if owner, _, _ := strings.Cut(name, "."); owner == "serverCmd" || owner == "clientCmd" {
			continue
		}
		owner, method, _ := strings.Cut(name, ":")
		found := false
		model.Entries(func(e *reference.Symbol) bool {
			of := name == e.Name || name == e.Of+"."+e.Name || e.Name == method && owner != name
			found = found || e.Kind == reference.KindCallback && of
			return !found
		})
		if !found && !baseBroadcasts(name) {
			return false
		}
	}
	return true
}

// baseBroadcasts reports whether base calls the global function of a name in every mod.
func baseBroadcasts(name string) bool {
	files, _ := fs.Glob(mods.FS(), "base/server/*.lua")
	return slices.ContainsFunc(files, func(file string) bool {
		code, _ := fs.ReadFile(mods.FS(), file)
		return strings.Contains(string(code), `broadcast("`+name+`"`)
	})
}

var manifestKeys = []string{"name", "version", "description", "depends", "optional", "conflicts", "permissions"}

// knows reports whether torc has a name, or the page has it from the other engine.
func knows(model *reference.Model, rows []row, code string) bool {
	for _, r := range rows {
		if slices.Contains(r.names, code) {
			return true
		}
	}
	if strings.HasSuffix(code, "/") || strings.HasPrefix(code, "torc ") { // a folder; TestPageCommandLinesParse
		return true
	}
	word := regexp.MustCompile(`^[\w.:-]+`).FindString(code)
	if flag, ok := strings.CutPrefix(word, "--"); ok {
		return parses([]string{"serve", "--" + flag, "1"}) == nil || parses([]string{"serve", "--" + flag}) == nil
	}
	if model.Help(word) != "" || slices.Contains(manifestKeys, word) {
		return true
	}
	for _, n := range slices.Concat(model.Commands, model.Variables) {
		if n.Name == word {
			return true
		}
	}
	return false
}

// rowMod is a mod with the Lua code of the rows of a page, each in a file of its own.
type rowMod struct {
	files                fstest.MapFS
	server, client, test *strings.Builder
}

const (
	rowShared = `
Runner = datablock "PlayerData" "RowRunner" {}
FlagData = datablock "ItemData" "FlagData" {}
Door = datablock "TriggerData" "RowDoor" {}
Gun = datablock "ShapeBaseImageData" "RowGun" { usesAmmo = true }
`
	rowServer = `
base = import "base"
flag = new "Item" { dataBlock = FlagData, position = vec(0, 50, 5) }
mate = new "Player" { dataBlock = Runner, position = vec(0, 20, 0) }
function body(client)
  local player = client.controlObject
  if not player then
    player = new "Player" { dataBlock = Runner, position = vec(0, 0, 0) }
    client:add(player)
    client:setControlObject(player)
  end
  return player
end
`
	rowTest = `
local ann, told, failed = nil, 0, {}
local function check(at)
  local all = log()
  for i = told + 1, #all do failed[#failed + 1] = at .. ": " .. all[i] end
  told = #all
end
local function join()
  if ann and ann.joined and isObject(ann.client) then return end
  ann = client { name = "Ann" }
  check "join"
end
local function try(at, fn, ...)
  local ok, err = pcall(fn, ...)
  if not ok then failed[#failed + 1] = at .. ": " .. err end
  ticks(4)
  waitFor(function() return not isObject(ann.client) or ann.client.phase == "game" end)
  check(at)
end
test("rows", function()
%s  wait(2000)
  check "later"
  if #failed > 0 then error(table.concat(failed, "\n")) end
end)
`
)

// add puts the code of a row into the mod. Files of functions run when the mod loads; the test runs
// the others.
func (m rowMod) add(r row) {
	name := fmt.Sprintf("%s/row%03d", r.where, r.line)
	file, module := name+".lua", strings.ReplaceAll(name, "/", ".")
	switch {
	case r.where == "shared":
		m.files[file] = &fstest.MapFile{Data: []byte(r.code + "\n")}
	case strings.HasPrefix(r.code, "function ") && r.where == "server":
		m.files[file] = &fstest.MapFile{Data: []byte(r.code + "\n")}
		fmt.Fprintf(m.server, "require %q\n", module)
	case strings.HasPrefix(r.code, "function "):
		m.files[file] = &fstest.MapFile{Data: []byte(r.code + "\n")}
		fmt.Fprintf(m.client, "require %q\n", module)
	case r.where == "server":
		m.files[file] = &fstest.MapFile{Data: []byte("return function(client, body) " + r.code + " end\n")}
		fmt.Fprintf(m.test, "  join() try(%q, require %q, ann.client, body(ann.client))\n", r.at, module)
	default:
		m.files[file] = &fstest.MapFile{Data: []byte("return function() " + r.code + " end\n")}
		fmt.Fprintf(m.client, "export(%q, require %q)\n", path.Base(name), module)
		fmt.Fprintf(m.test, "  join() try(%q, ann.lua, ann, [[import(\"rows\").%s()]])\n", r.at, path.Base(name))
	}
}

// try checks the mod and runs its test.
func (m rowMod) try(t *testing.T, model *reference.Model) {
	t.Helper()
	for name, text := range map[string]string{
		"mod.toml":            "name = \"rows\"\nversion = \"1.0.0\"\ndepends = [\"base\"]\npermissions = [\"net:example.org:443\"]\n",
		"shared/a.lua":        rowShared,
		"server/init.lua":     rowServer + m.server.String(),
		"client/init.lua":     m.client.String(),
		"missions/field.lua":  "",
		"missions/valley.lua": "",
		"server/util.lua":     "",
		"test/rows_test.lua":  fmt.Sprintf(rowTest, m.test.String()),
	} {
		m.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	installed, bad := manifest.Discover(mods.FS())
	require.Empty(t, bad)
	found, err := lint.Check(model, "rows", m.files, installed)
	require.NoError(t, err)
	for _, f := range found {
		if strings.Contains(f.File, "/row") && f.Rule != "unused" && f.Rule != "unread" {
			assert.Fail(t, f.String())
		}
	}
	folder := fstest.MapFS{}
	for name, file := range m.files {
		folder["rows/"+name] = file
	}
	results, err := modtrial.Run(modtrial.Options{Folders: []fs.FS{mods.FS(), folder}, Mod: "rows"})
	require.NoError(t, err)
	require.Len(t, results, 1)
	assert.NoError(t, results[0].Err)
}

// tryLines types the console lines of rows into a server and a client. Bob is a bot.
func tryLines(t *testing.T, rows []row) {
	t.Helper()
	server, address, _ := serveOn(t, "--mod", "ctf", "--mod", "hello")
	client := joinTo(t, address, "--name", "Ann")
	for _, r := range rows {
		p := map[string]*process{"console": server, "client console": client}[r.where]
		if r.code == "quit" { // below
			continue
		}
		if strings.Contains(r.code, "Bob") {
			server.say(`if not player "Bob" then addBot "Bob" end`)
			server.until(`player "Bob" ~= nil`, "true")
		}
		if r.code == "reconnect" { // later lines need Ann
			p.say(r.code)
			p.expect("connected to 127.0.0.1:")
			continue
		}
		p.say(r.code, `echo("--")`)
		for line := p.line(); line != "--"; line = p.line() {
			assert.False(t, strings.HasPrefix(line, "error: "), "%s: %s", r.at, line)
		}
	}
	server.quits()
	client.ends(ended)
	for _, p := range []*process{server, client} {
		assert.NotContains(t, p.err.String(), "level=ERROR")
	}
}
