package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestListsOfOrigins: origins get the form that browsers send. Anything else is refused in one
// sentence, also what would end a directive of the header.
func TestListsOfOrigins(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		" , ":                      "",
		"https://play.example.org": "https://play.example.org",
		"HTTPS://Play.Example.ORG": "https://play.example.org",
		"https://a.example:443 http://a.example:80":                      "https://a.example http://a.example",
		"https://a.example:8443,http://a.example https://a.example:8443": "https://a.example:8443 http://a.example",
		"http://192.0.2.7:28000 http://[2001:db8::1]:28000":              "http://192.0.2.7:28000 http://[2001:db8::1]:28000",
		"https://xn--bcher-kva.example":                                  "https://xn--bcher-kva.example",
	} {
		list, err := ParseOrigins(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, strings.Join(list, " "), text)
	}
	for _, bad := range []string{
		"*", "null", "'self'", "play.example.org", "//play.example.org", "https://", "https:///", "https://:443", "ftp://a.example", "data:", "javascript:alert(1)",
		"https://a.example/", "https://a.example/path", "https://a.example?x", "https://a.example#x", "https://me@a.example", "https://*.example.org",
		"https://a.example;script-src", "https://a.example;", "https://a'b.example", "https://a.example:0", "https://a.example:65536", "https://a.example:x", "https://a.example:",
		"https://-a.example", "https://a..example", "https://.example", "https://bücher.example", "https://[fe80::1%25eth0]", "https://a.example\r\nX-Evil:1", "https://a.example\t",
	} {
		_, err := ParseOrigins("https://good.example " + bad)
		require.Error(t, err, bad)
		assert.Contains(t, err.Error(), "must be http://HOST[:PORT] or https://HOST[:PORT]", bad)
		assert.NotContains(t, err.Error(), "\n", bad)
	}
	many := strings.Repeat("https://a.example ", 100)
	list, err := ParseOrigins(many)
	require.NoError(t, err)
	assert.Len(t, list, 1)
	many = ""
	for i := range maxOrigins + 1 {
		many += "https://a" + strings.Repeat("a", i) + ".example "
	}
	_, err = ParseOrigins(many)
	assert.EqualError(t, err, "33 origins are too many: a list can have 32")
}

// FuzzOrigins: no list of origins can say anything else in a header.
func FuzzOrigins(f *testing.F) {
	f.Add("https://play.example.org, http://a:81")
	f.Add("https://a.example;x")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ParseOrigins(text)
		if err != nil {
			return
		}
		for _, o := range list {
			assert.NotContains(t, o, ";")
			assert.Equal(t, -1, strings.IndexFunc(o, func(r rune) bool { return r <= ' ' || r == ',' || r == '\'' || r == '*' || r == '"' || r > '~' }), o)
			again, err := ParseOrigins(o)
			assert.NoError(t, err)
			assert.Equal(t, []string{o}, again)
		}
	})
}

// TestOriginsChangeWhileTheServerRuns: a site that is added can be the host and the origin of
// requests from then on, exactly as it is written. One that is taken out is refused again. Those of
// Options stay.
func TestOriginsChangeWhileTheServerRuns(t *testing.T) {
	l := open(t, Options{Origins: []string{"https://fixed.example"}})
	require.NoError(t, l.Publish(folder(site)))
	ask := func(path, host, origin string) int {
		h := http.Header{"Host": {host}}
		if origin != "" {
			h.Set("Origin", origin)
		}
		r, _ := get(t, "GET", "http://"+l.Addr().String()+path, h)
		return r.StatusCode
	}
	const tunnel = "https://name.tunnel.example"
	assert.Equal(t, http.StatusForbidden, ask("/", "name.tunnel.example", ""))
	assert.Equal(t, "https://fixed.example", l.Site())
	list, err := ParseOrigins(tunnel + " http://other.example:81")
	require.NoError(t, err)
	l.SetOrigins(list)
	assert.Equal(t, []string{"https://fixed.example", tunnel, "http://other.example:81"}, l.Origins())
	for _, row := range []struct {
		path, host, origin string
		want               int
	}{
		{"/", "name.tunnel.example", "", 200},
		{"/", "Name.Tunnel.Example", tunnel, 200},
		{"/", "name.tunnel.example", "HTTPS://NAME.TUNNEL.EXAMPLE", 200},
		{"/", "name.tunnel.example", "http://name.tunnel.example", 200}, // the page's own scheme and host
		{"/", "name.tunnel.example", tunnel + "/", 403},
		{"/", "name.tunnel.example", tunnel + ":443", 403},
		{"/", "name.tunnel.example", tunnel + ":8443", 403},
		{"/", "name.tunnel.example", tunnel + ".evil.example", 403},
		{"/", "name.tunnel.example", "https://evil.example", 403},
		{"/", "name.tunnel.example", "null", 403},
		{"/", "name.tunnel.example:81", "", 403},
		{"/", "other.example:81", "http://other.example:81", 200},
		{"/", "other.example", "", 403},
		{socketPath, "name.tunnel.example", "", 403},
		{socketPath, "name.tunnel.example", "null", 403},
		{socketPath, "name.tunnel.example", tunnel, 400}, // past the gate, and no WebSocket
		{"/", "fixed.example", "https://fixed.example", 200},
	} {
		assert.Equal(t, row.want, ask(row.path, row.host, row.origin), "%+v", row)
	}
	l.SetOrigins(nil)
	assert.Equal(t, http.StatusForbidden, ask("/", "name.tunnel.example", ""))
	assert.Equal(t, http.StatusForbidden, ask(socketPath, l.Addr().String(), tunnel))
	assert.Equal(t, http.StatusOK, ask("/", "fixed.example", ""))
}

// TestFrames: only the page of the game can be in a frame, and only in those of listed origins. The
// header names them, because X-Frame-Options cannot. All other answers stay closed.
func TestFrames(t *testing.T) {
	l := open(t, Options{})
	require.NoError(t, l.Publish(folder(site)))
	require.NoError(t, l.ServeNet(folder(map[string]string{"index.html": "<p>net</p>"}), http.NotFoundHandler()))
	own := "http://" + l.Addr().String()
	asset := paths(t, l.state.Load().pages)["/assets/vendor/three.js"]
	look := func(path string) (ancestors, options string) {
		r, _ := get(t, "GET", own+path, http.Header{})
		_, ancestors, found := strings.Cut(r.Header.Get(policyName), "frame-ancestors ")
		require.True(t, found, path)
		assert.Len(t, r.Header.Values(policyName), 1)
		return ancestors, strings.Join(r.Header.Values(frameOptions), " ")
	}
	closed := func(path string) {
		ancestors, options := look(path)
		assert.Equal(t, "'none'", ancestors, path)
		assert.Equal(t, "DENY", options, path)
	}
	all := []string{"/", "/watch", "/net", "/net/stream", "/server.json", asset, "/missing", socketPath}
	for _, path := range all {
		closed(path)
	}
	l.SetFrames([]string{"https://clan.example.org", "http://localhost:8000"})
	for _, path := range all[:2] {
		ancestors, options := look(path)
		assert.Equal(t, "https://clan.example.org http://localhost:8000", ancestors, path)
		assert.Empty(t, options, path)
	}
	for _, path := range all[2:] {
		closed(path)
	}
	r, _ := get(t, "GET", own+"/", http.Header{"Origin": {"https://clan.example.org"}})
	assert.Equal(t, http.StatusForbidden, r.StatusCode, "to show the page is not to use the server")
	l.SetFrames(nil)
	closed("/")
}
