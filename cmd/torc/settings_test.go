package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestConfigCheck checks that torc config check finds errors of settings, variables and mods, and
// needs no free port and no data folder.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	mods := mod(t, "", map[string]string{
		"race/mod.toml": "name = 'race'\nversion = '1.0.0'\n", "race/server/init.lua": `setting "race.laps" { default = 3, max = 9 }`,
		"bad/mod.toml": "name = 'bad'\nversion = '1.0.0'\n", "bad/server/init.lua": `nothing.here()`,
	})
	for text, want := range map[string]string{
		"mod = ['race']\nlisten = '0.0.0.0:1'\ndata = '/proc/no'\n[vars]\nrace.laps = 4\nnet.rate = 20": "",
		"mod = ['race']\n[vars]\nrace.laps = 40":                                                        "torc.toml:4: [vars] race.laps must be a number of at most 9",
		"mod = ['rice']":                                                                                "unknown mod rice",
		"mod = ['bad']":                                                                                 "bad/server/init.lua:1",
		"[vars]\nsv.maxRat = 4":                                                                         "torc.toml:3: [vars] there is no variable \"sv.maxRat\", did you mean sv.maxRate?",
		"nam = 'x'":                                                                                     `torc.toml:2: "nam" is not a setting, did you mean name`,
		"exec = '/does/not/exist'":                                                                      "--exec cannot be read",
		"metrics = 'here'\nlog-level = 'lod'":                                                           `log-level = "lod": must be one of debug`,
	} {
		var out, log strings.Builder
		path := file(t, "torc.toml", "mods = '"+mods+"'\n"+text)
		status := run([]string{"config", "check", "--config", path}, &out, &log)
		if want == "" {
			assert.Equal(t, ended, status, log.String())
			assert.Equal(t, "the settings are valid\n", out.String())
			continue
		}
		assert.NotEqual(t, ended, status, text)
		assert.Contains(t, log.String(), want)
	}
}

// TestMisnamedVariable checks that a server does not start with a nearly right name in the
// environment.
func TestMisnamedVariable(t *testing.T) {
	t.Setenv("TORC_PASWORD", "x")
	var out, log strings.Builder
	assert.Equal(t, misused, run([]string{"serve"}, &out, &log))
	assert.Equal(t, "torc: the environment variable TORC_PASWORD is not a setting, did you mean TORC_PASSWORD?\n", log.String())
}
