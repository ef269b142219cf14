package main

import (
	"bytes"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// loaded returns a server that has read a file of variables, and its log.
func loaded(t *testing.T, vars string) (*node.Server, *bytes.Buffer, error) {
	mods := mod(t, "", map[string]string{
		"race/mod.toml": "name = 'race'\nversion = '1.0.0'\n", "race/server/init.lua": `setting "race.laps" { default = 3, max = 9, changed = function() error "told" end }`,
		"late/mod.toml": "name = 'late'\nversion = '1.0.0'\n", "late/server/init.lua": `setting "late.laps" { default = 3 }`,
	})
	o := read[*config.Serve](t, "serve", "--mods", mods, "--mod", "race", "--config", file(t, "t.toml", "[vars]\n"+vars))
	var log bytes.Buffer
	cfg, err := ofProcess().serverConfig(&o.Server)
	require.NoError(t, err)
	cfg.Server.Trial = nil // a mod is enabled at once
	cfg.Data, cfg.Log = "", slog.New(slog.NewTextHandler(&log, nil))
	s, err := node.NewServer(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s, &log, explain(&o.Folder, s.Start())
}

// TestVariablesOfMods checks that variables of mods have the file's values, independent of when the
// mods load.
func TestVariablesOfMods(t *testing.T) {
	t.Parallel()
	s, log, err := loaded(t, "race.laps = 5\nlate.laps = 6\nsw.bots = 1\n")
	require.NoError(t, err)
	assert.Contains(t, log.String(), "t.toml:3: [vars] late.laps has no effect yet")
	assert.Contains(t, log.String(), "t.toml:4: [vars] sw.bots has no effect yet: there is no variable \\\"sw.bots\\\", did you mean sv.bots?")
	assert.NotContains(t, log.String(), "race.laps has")
	for _, line := range []struct{ line, want string }{{"race.laps", "5"}, {"mod enable late", "late 1.0.0 is on"}, {"late.laps", "6"}} {
		out, err := s.Console().Exec(line.line)
		require.NoError(t, err)
		assert.Equal(t, line.want, out)
	}
	for vars, want := range map[string]string{
		"race.laps = 50\n": "race.laps must be a number of at most 9",
		"sv.maxRat = 5\n":  "did you mean sv.maxRate?",
	} {
		_, _, err := loaded(t, vars)
		require.ErrorContains(t, err, want)
	}
}
