package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/internal/testenv"
)

const (
	apiPage   = "../../mods/API.md"
	updateAPI = "go test ./cmd/torc -run TestAPIPage -update"
)

// docs returns the output of torc mod docs.
func docs(t *testing.T, args ...string) string {
	t.Helper()
	o := read[*config.Mod](t, append([]string{"mod", "docs"}, args...)...)
	var out strings.Builder
	require.NoError(t, modDocs(o, &out))
	return out.String()
}

// TestAPIPage checks that the page matches the tables.
func TestAPIPage(t *testing.T) {
	want := docs(t)
	if testenv.Update() {
		require.NoError(t, os.WriteFile(apiPage, []byte(want), 0o644))
	}
	have, err := os.ReadFile(apiPage)
	require.NoError(t, err)
	assert.True(t, want == string(have), "mods/API.md is stale: run "+updateAPI)
}

// TestDocsInJSON checks the JSON fields that programs rely on.
func TestDocsInJSON(t *testing.T) {
	var data struct {
		Version  int
		Chapters []struct {
			Name    string
			Entries []map[string]any
		}
		Classes             []map[string]any
		Commands, Variables []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(docs(t, "--format", "json")), &data))
	assert.Equal(t, 1, data.Version)
	find := func(list []map[string]any, name string) map[string]any {
		for _, e := range list {
			if e["name"] == name {
				return e
			}
		}
		return nil
	}
	var all []map[string]any
	for _, c := range data.Chapters {
		all = append(all, c.Entries...)
	}
	schedule := find(all, "schedule")
	require.NotNil(t, schedule)
	delete(schedule, "doc")
	assert.Equal(t, map[string]any{
		"kind": "function", "name": "schedule", "call": "schedule(ms: number, fn: function, ...: any) -> integer", "realm": "SC",
		"params": []any{
			map[string]any{"name": "ms", "types": "number"}, map[string]any{"name": "fn", "types": "function"},
			map[string]any{"name": "...", "types": "any", "variadic": true},
		},
		"results": []any{map[string]any{"types": "integer"}},
	}, schedule)
	assert.Equal(t, "Player", find(data.Classes, "PlayerData")["name"].(string)[:6])
	assert.Equal(t, "PlayerData", find(data.Classes, "Player")["dataBlock"])
	assert.Equal(t, "S", find(data.Commands, "kick")["realm"])
	assert.Equal(t, "SC", find(data.Commands, "mods")["realm"])
	assert.Equal(t, "SC", find(data.Variables, "net.rate")["realm"])
}

// TestAPIPageListsServerCommands checks that the page lists everything in the console of a running
// server.
func TestAPIPageListsServerCommands(t *testing.T) {
	t.Parallel()
	var data struct{ Commands, Variables []struct{ Name string } }
	require.NoError(t, json.Unmarshal([]byte(docs(t, "--format", "json")), &data))
	told := map[string]bool{}
	for _, e := range append(data.Commands, data.Variables...) {
		told[e.Name] = true
	}
	p := start(t, "serve", "--listen", "127.0.0.1:0", "--console", "line")
	p.expect("listening on")
	p.say("list", `echo "all"`)
	n := 0
	for line := p.line(); line != "all"; line = p.line() {
		name, _, _ := strings.Cut(line, " ")
		assert.True(t, told[name], name)
		n++
	}
	assert.Greater(t, n, 70)
	p.quits()
}

func TestDocsToAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "torc.lua")
	assert.Empty(t, docs(t, "--format", "lua", "--out", path))
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(have), "---@meta torc\n"))
	err = modDocs(&config.Mod{Out: t.TempDir()}, io.Discard)
	var usage *flags.UsageError
	assert.ErrorAs(t, err, &usage)
	assert.Contains(t, err.Error(), "--out cannot be written")
}
