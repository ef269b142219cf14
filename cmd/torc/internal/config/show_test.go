package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestShow checks that each setting is shown with its source, and a password never.
func TestShow(t *testing.T) {
	path := write(t, "torc.toml", `# a server
name = "Ann's"  # with a comment
mod = ["hello",
  "ctf"]
password = "swordfish"
count = 3 # of swarm
[vars] # variables
net.rate = 20
'hello.greeting' = """
Hi"""
[vars.sv]
bots = 4
`)
	show := func(env func(string) (string, bool), args ...string) string {
		o, err := parse[*Config](append([]string{"config", "show"}, args...), env)
		require.NoError(t, err)
		var b strings.Builder
		require.NoError(t, o.Server().Show(&b))
		var lines []string
		for line := range strings.Lines(b.String()) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		return strings.ReplaceAll(strings.Join(lines, "\n"), path, "F")
	}
	assert.Equal(t, `advertise - default
as - default
bots - default
config F --config
console auto default
data /d/torc/server default
drain 0s default
eval x = 1, y --eval
exec - default
fleet - default
fleet-creds - default
fleet-plain false default
fleet-prefix - default
journal - default
listen :28000 default
log-file - default
log-format json TORC_LOG_FORMAT
log-level info default
log-max-age 30 default
log-max-size 100 default
map-port false default
max-clients 128 default
metrics - default
mission - default
mod hello, ctf F:3
mods - default
name Ann's F:2
password (hidden) F:5
peer - default
public false default
rendezvous - default
seed - default
ssh - default
ssh-keys - default
strict true --strict
supervised false default
tls - default
tls-cert - default
tls-key - default
web - default
web-origin - default
web-proxy - default
web-rtc - default
hello.greeting Hi F:9
net.rate 20 F:8
sv.bots 4 F:12`, show(env("TORC_LOG_FORMAT", "json", "XDG_DATA_HOME", "/d"), "--config", path, "--eval", "x = 1", "--strict", "--eval=y"))
	assert.Contains(t, show(env("TORC_PASSWORD", "swordfish"), "play"), "password (hidden) TORC_PASSWORD")
	assert.Contains(t, show(noEnv, "--password", "swordfish"), "password (hidden) --password")
	assert.Contains(t, show(noEnv, "--password", "@"+path), "password @F --password")
	assert.NotContains(t, show(noEnv, "play"), "listen")
}

// TestEntries checks the places of keys and values.
func TestEntries(t *testing.T) {
	text := "# [x]\n a.\"b.c\" = [1, # ]\n 2] # z\r\n'k' = '''\n# no\n''' \n[t . 'u']\n  x = { y = \"]\" }\n[[l]]\nz=\"\\\"#\"#c\nlast = 1"
	var got []string
	for _, e := range entries(text) {
		got = append(got, e.key+" "+strings.ReplaceAll(text[e.start:e.end], "\n", "~"))
	}
	assert.Equal(t, []string{"a.b.c [1, # ]~ 2]", "k '''~# no~'''", "t.u ", `t.u.x { y = "]" }`, "l ", `l.z "\"#"`, "l.last 1"}, got)
	assert.Equal(t, 2, entries(text)[0].line)
	assert.Equal(t, 10, entries(text)[5].line)
}

// TestMisnamed checks that nearly right names of variables are errors, and other names warnings.
func TestMisnamed(t *testing.T) {
	for name, want := range map[string]string{
		"TORC_PASWORD": "TORC_PASSWORD", "TORC_MAXCLIENTS": "TORC_MAX_CLIENTS", "TORC_MODE": "TORC_MOD", "TORC_CONFG": "TORC_CONFIG",
		"TORC_LOG_LEVLE": "TORC_LOG_LEVEL",
	} {
		_, err := Misnamed([]string{"HOME=/", name + "=x"})
		assert.EqualError(t, err, "the environment variable "+name+" is not a setting, did you mean "+want+"?")
	}
	warnings, err := Misnamed([]string{"TORC_NAME=x", "TORC_COUNT=3", "TORC_PORT=tcp://10.0.0.1:28000", "TORC_SERVICE_HOST=10.0.0.1", "TORC_VERSION=1", "TORCH=x"})
	require.NoError(t, err)
	assert.Len(t, warnings, 3)
	assert.Equal(t, "the environment variable TORC_PORT is not a setting and has no effect", warnings[0])
}
