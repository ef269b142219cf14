package lint_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/lint"
	"github.com/torc-engine/torc/script/manifest"
)

var (
	snippet = regexp.MustCompile("(?s)\n```lua\n(.*?)```\n")
	table   = regexp.MustCompile("(?s)\n```toml\n# (texts/\\S+)\n(.*?)```\n")
)

// shown returns the mod on a page, or on a part of it. Each block of Lua begins with a file name;
// blocks without one belong to the server.
func shown(t *testing.T, page, from, to string) fstest.MapFS {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + page)
	require.NoError(t, err)
	part := string(text)
	if from != "" {
		_, part, _ = strings.Cut(part, "\n## "+from)
	}
	if to != "" {
		part, _, _ = strings.Cut(part, "\n## "+to)
	}
	mod := fstest.MapFS{}
	for _, block := range snippet.FindAllStringSubmatch(part, -1) {
		name, lua := "server/init.lua", block[1]
		if head, rest, _ := strings.Cut(lua, "\n"); strings.HasPrefix(head, "-- ") && strings.HasSuffix(head, ".lua") {
			name, lua = regexp.MustCompile(`^-- (mods/\w+/)?`).ReplaceAllString(head, ""), rest
		}
		if mod[name] == nil {
			mod[name] = new(fstest.MapFile)
		}
		mod[name].Data = append(mod[name].Data, lua...)
	}
	for _, block := range table.FindAllStringSubmatch(part, -1) {
		if mod[block[1]] == nil {
			mod[block[1]] = new(fstest.MapFile)
		}
		mod[block[1]].Data = append(mod[block[1]].Data, block[2]...)
	}
	require.NotEmpty(t, mod, "%s %s", page, from)
	return mod
}

// TestPagesAreClean checks that the code on the pages causes no complaints, because modders copy
// it.
func TestPagesAreClean(t *testing.T) {
	for _, c := range []struct{ page, name, from, to, depends, permissions string }{
		{"mods.md", "race", "2. ", "4. ", "base", ""},
		{"mods.md", "race", "4. ", "8. ", "base", ""},
		{"mods.md", "race", "8. ", "10. ", "base", ""},
		{"mods.md", "race", "10. ", "", "base", `"transfer"`},
		{"limits.md", "crowd", "", "", "base", ""},
		{"game.md", "yard", "", "", "base", ""},
		{"firstmod.md", "snow", "", "", "deathmatch", ""},
	} {
		mod := shown(t, c.page, c.from, c.to)
		mod["mod.toml"] = &fstest.MapFile{Data: []byte("name = \"" + c.name + "\"\nversion = \"1.0.0\"\ndepends = [\"" + c.depends + "\"]\npermissions = [" + c.permissions + "]\n")}
		mod["pictures/disc.webp"] = &fstest.MapFile{Data: []byte(dot)}
		installed := map[string]*manifest.Manifest{}
		for name, m := range embedded(t) {
			installed[name] = m
		}
		found, err := lint.Check(serverModel(t), c.name, mod, installed)
		require.NoError(t, err)
		assert.Empty(t, found, "%s %s", c.page, c.from)
	}
}

// TestPageOfTheCheck checks that the page shows the output of the check.
func TestPageOfTheCheck(t *testing.T) {
	page, err := os.ReadFile("../../docs/mods.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`(?s)\n\$ cat race/(\S+)\n(.*?)\$ torc mod check race\n(.*?)` + "```").FindStringSubmatch(string(page))
	require.NotNil(t, m)
	want := strings.Split(strings.TrimSpace(m[3]), "\n")
	for i := range want {
		want[i] = strings.TrimPrefix(want[i], "race/")
	}
	assert.Equal(t, want, check(t, map[string]string{m[1]: m[2]}))
}
