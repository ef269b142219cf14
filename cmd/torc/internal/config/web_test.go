package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

// TestWeb: --web can stand without a value, in each place and from each source.
func TestWeb(t *testing.T) {
	for line, want := range map[string]string{
		"serve":                              "",
		"serve --web":                        flags.On,
		"serve --web --mod ctf":              flags.On,
		"serve --web :8080":                  ":8080",
		"serve --web 127.0.0.1:0 --mod ctf":  "127.0.0.1:0",
		"serve --mod ctf -web [::1]:80":      "[::1]:80",
		"serve --web=:8080":                  ":8080",
		"serve --web off":                    "",
		"serve --name --web":                 "",
		"serve --strict --web :1 --map-port": ":1",
		"play":                               PlayWeb,
		"play --web off":                     "",
		"play --web":                         flags.On,
		"play --web 127.0.0.1:0 --bots 3":    "127.0.0.1:0",
	} {
		o, err := parse[Options](strings.Fields(line), noEnv)
		require.NoError(t, err, line)
		assert.Equal(t, want, ServerOf(o).Web, line)
	}
	for line, want := range map[string][2]string{
		"replay f":                   {"f", ""},
		"replay f --net":             {"f", flags.On},
		"replay --net f":             {"f", flags.On},
		"replay --net C:\\f":         {"C:\\f", flags.On},
		"replay --net 127.0.0.1:1 f": {"f", "127.0.0.1:1"},
		"replay --net :1 f --seek 1": {"f", ":1"},
		"replay --net=[::1]:0 f":     {"f", "[::1]:0"},
		"replay --net off f":         {"f", ""},
	} {
		o, err := parse[*Replay](strings.Fields(line), noEnv)
		require.NoError(t, err, line)
		assert.Equal(t, want, [2]string{o.File, o.Net}, line)
	}
	for value, want := range map[string]string{"true": flags.On, "false": "", "on": flags.On, "off": "", ":80": ":80"} {
		o, err := parse[*Serve]([]string{"serve"}, env("TORC_WEB", value))
		require.NoError(t, err)
		assert.Equal(t, want, o.Web)
		o, err = parse[*Serve]([]string{"serve", "--config", write(t, "torc.toml", "web = '"+value+"'")}, noEnv)
		require.NoError(t, err)
		assert.Equal(t, want, o.Web)
	}
	o, err := parse[*Serve]([]string{"serve", "--config", write(t, "torc.toml", "web = true\nweb-origin = ['https://a', 'https://b']")}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, flags.On, o.Web)
	assert.Equal(t, []string{"https://a", "https://b"}, o.WebOrigins)
	o, err = parse[*Serve](strings.Fields("serve --web --web-rtc 203.0.113.7,2001:db8::7"), noEnv)
	require.NoError(t, err)
	assert.Equal(t, []string{"203.0.113.7", "2001:db8::7"}, o.WebRTC)
	for line, says := range map[string]string{
		"serve --web 8080":                               "must be HOST:PORT, on or off",
		"serve --web --tls-cert f":                       "--tls-cert and --tls-key need each other",
		"serve --tls-cert f --tls-key g":                 "need --web",
		"serve --web-origin https://play.example.org":    "need --web",
		"serve --web-proxy 10.0.0.1":                     "need --web",
		"serve --web-rtc off":                            "need --web",
		"serve --public":                                 "--public needs --rendezvous HOST:PORT",
		"serve --tls play.example.org":                   "need --web",
		"serve --web --tls a.b --tls-cert f --tls-key g": "exclude each other",
		"serve --web --web-rtc off,192.0.2.1":            "off excludes",
	} {
		_, _, err := Parse(strings.Fields(line), noEnv)
		assert.ErrorContains(t, err, says, line)
	}
}
