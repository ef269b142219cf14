package main

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// TestServeWeb serves the page on the port of the game. Without a client it says why, and goes on.
func TestServeWeb(t *testing.T) {
	t.Parallel()
	p, _, key := serveOn(t, "--web", "--console", "line")
	p.say("link")
	page, found := strings.CutSuffix(p.expect("http://127.0.0.1:"), "#"+key)
	require.True(t, found)
	for limit := testenv.Limit(t); ; testenv.Pause() {
		r, err := http.Get(page)
		require.NoError(t, err)
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		assert.Equal(t, http.StatusServiceUnavailable, r.StatusCode)
		assert.Contains(t, string(b), "<title>torc</title>")
		if strings.Contains(string(b), "The server has no client for browsers") {
			break // before, it is being built
		}
		require.False(t, testenv.Expired(limit), "%s", b)
	}
	p.until("= 20 + 1", "21") // the log has the reason by now
	p.quits()
	assert.Contains(t, p.err.String(), "browsers cannot play")
}

// TestWebErrors names the flag of a wrong value.
func TestWebErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--web", "127.0.0.1:99999"}, "torc: --web 127.0.0.1:99999: "},
		{[]string{"--web", ":0", "--web-origin", "example.org"}, `torc: --web :0: the origin "example.org" must be http://HOST[:PORT] or https://HOST[:PORT]`},
		{[]string{"--web", ":0", "--web-proxy", "proxy"}, `torc: --web :0: the proxy "proxy" must be an IP address or a range`},
		{[]string{"--web", ":0", "--web-rtc", "on"}, `torc: --web :0: the address "on" must be an IP address, for example 203.0.113.7`},
		{[]string{"--web", ":0", "--tls", "localhost"}, `torc: --web :0: "localhost" must be a public name of this server, for example play.example.org`},
		{[]string{"--web", ":0", "--tls-cert", "none.pem", "--tls-key", "none.key"}, "none.pem"},
	} {
		p := start(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...)
		p.ends(misused)
		assert.Contains(t, p.err.String(), c.says)
	}
}

// TestWebConfig: play serves browsers of this machine, at another port if its own is taken. serve
// takes the address that it is given, or that of the game.
func TestWebConfig(t *testing.T) {
	for line, want := range map[string]struct {
		listen       string
		other, local bool
	}{
		"play":                        {config.PlayWeb, true, true},
		"play --web":                  {config.PlayWeb, true, true},
		"play --web 127.0.0.1:80":     {"127.0.0.1:80", false, true},
		"serve --web":                 {"", false, false},
		"serve --web :80":             {":80", false, false},
		"serve --web --tls a.b":       {":443", false, false},
		"serve --web :8443 --tls a.b": {":8443", false, false},
	} {
		w := webOf(t, line)
		assert.Equal(t, want.listen, w.Listen, line)
		assert.Equal(t, want.other, w.OtherPort, line)
		assert.Equal(t, want.local, w.Local, line)
	}
	assert.True(t, webOf(t, "serve --web --web-rtc off").NoRTC)
	assert.Equal(t, "a.b", webOf(t, "serve --web --tls a.b").Domain)
	w := webOf(t, "serve --web --web-rtc 203.0.113.7")
	assert.False(t, w.NoRTC)
	assert.Equal(t, []string{"203.0.113.7"}, w.Public)
	assert.Nil(t, webOf(t, "serve"))
	assert.Nil(t, webOf(t, "play --web off"))
}

// webOf returns the client for browsers of a command line.
func webOf(t *testing.T, line string) *node.Web {
	switch o := read[config.Options](t, strings.Fields(line)...).(type) {
	case *config.Play:
		return playWeb(o)
	case *config.Serve:
		return serveWeb(o)
	}
	return nil
}

// TestPlayWeb plays beside a browser.
func TestPlayWeb(t *testing.T) {
	t.Parallel()
	p := start(t, "play", "--web", "127.0.0.1:0", "--console", "line")
	p.say("server link")
	p.expect("http://127.0.0.1:")
	p.quits()
}
