package web

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGate: a request must name a host and an origin of this server.
func TestGate(t *testing.T) {
	const page, socket = "/", socketPath
	for _, row := range []struct {
		listen, local, path, host, origin string
		ok                                bool
	}{
		// Pages need no origin. A name that somebody else can point to this server is no host of
		// it.
		{"0.0.0.0", "192.0.2.1", page, "192.0.2.1:28000", "", true},
		{"0.0.0.0", "10.0.0.1", page, "192.0.2.1:4000", "", true}, // a router translates
		{"::", "2001:db8::1", page, "[2001:db8::1]:28000", "", true},
		{"::", "192.0.2.1", page, "192.0.2.1", "", true},
		{"0.0.0.0", "192.0.2.1", page, "evil.example:28000", "", false},
		{"0.0.0.0", "192.0.2.1", page, "localhost:28000", "", false},
		{"0.0.0.0", "192.0.2.1", page, "192.0.2.1.evil.example", "", false},
		{"0.0.0.0", "192.0.2.1", page, "", "", false},
		{"0.0.0.0", "127.0.0.1", page, "localhost:28000", "", true},
		{"0.0.0.0", "127.0.0.1", page, "LocalHost", "", true},
		{"127.0.0.1", "127.0.0.1", page, "127.0.0.1:28000", "", true},
		{"127.0.0.1", "127.0.0.1", page, "[::1]:28000", "", true},
		{"127.0.0.1", "127.0.0.1", page, "192.0.2.1:28000", "", false},
		{"127.0.0.1", "127.0.0.1", page, "evil.example:28000", "", false},
		{"192.0.2.1", "192.0.2.1", page, "192.0.2.1:28000", "", true},
		{"192.0.2.1", "192.0.2.1", page, "192.0.2.2:28000", "", false},
		{"0.0.0.0", "192.0.2.1", page, "play.example.org", "", true},
		{"0.0.0.0", "192.0.2.1", page, "PLAY.example.org", "", true},
		{"0.0.0.0", "192.0.2.1", page, "play.example.org:81", "", false},
		{"0.0.0.0", "192.0.2.1", page, "192.0.2.1:28000", "https://evil.example", false},
		// WebSockets need one.
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "http://127.0.0.1:28000", true},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "", false},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "null", false},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "https://127.0.0.1:28000", false},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "http://127.0.0.1:28001", false},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "http://localhost:28000", false},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "https://evil.example", false},
		{"127.0.0.1", "127.0.0.1", socket, "evil.example", "http://evil.example", false},
		{"127.0.0.1", "127.0.0.1", socket, "127.0.0.1:28000", "https://play.example.org", true},
		{"127.0.0.1", "127.0.0.1", socket, "play.example.org", "https://play.example.org", true},
		{"127.0.0.1", "127.0.0.1", socket, "play.example.org", "HTTPS://play.example.org", true},
		{"127.0.0.1", "127.0.0.1", socket, "play.example.org", "https://evil.example", false},
		// So do offers of WebRTC.
		{"127.0.0.1", "127.0.0.1", rtcPath, "127.0.0.1:28000", "http://127.0.0.1:28000", true},
		{"127.0.0.1", "127.0.0.1", rtcPath, "127.0.0.1:28000", "", false},
		{"127.0.0.1", "127.0.0.1", rtcPath, "127.0.0.1:28000", "https://evil.example", false},
	} {
		g, err := newGate(netip.MustParseAddr(row.listen), false, []string{"https://play.example.org"})
		require.NoError(t, err)
		r := httptest.NewRequest(http.MethodGet, row.path, nil)
		r.Host = row.host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(row.local), Port: 28000})))
		if row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		assert.Equal(t, row.ok, g.objection(r) == "", "%+v", row)
		if row.ok && row.origin != "" {
			r.Header.Add("Origin", row.origin)
			assert.NotEmpty(t, g.objection(r), "two origins")
		}
	}
}

func TestSecureGate(t *testing.T) {
	g, err := newGate(netip.MustParseAddr("127.0.0.1"), true, nil)
	require.NoError(t, err)
	assert.True(t, g.isOrigin("https://127.0.0.1:28000", "127.0.0.1:28000"))
	assert.False(t, g.isOrigin("http://127.0.0.1:28000", "127.0.0.1:28000"))
}

func TestOrigins(t *testing.T) {
	for _, bad := range []string{"", "play.example.org", "*", "https://", "ftp://play.example.org", "https://play.example.org/", "https://a@play.example.org", "https://play.example.org?x"} {
		_, err := newGate(netip.Addr{}, false, []string{bad})
		assert.Error(t, err, bad)
	}
}

// TestForwarded: only a listed proxy is asked, and only what it wrote itself.
func TestForwarded(t *testing.T) {
	p, err := parseProxies([]string{"127.0.0.1", "10.0.0.0/8", "2001:db8::/32"})
	require.NoError(t, err)
	for _, row := range []struct {
		from  string
		lines []string
		want  string // "" is an error
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"203.0.113.9"}, "192.0.2.1"}, // not a proxy
		{"[::ffff:192.0.2.1]:5", []string{"203.0.113.9"}, "192.0.2.1"},
		{"127.0.0.1:5", nil, "127.0.0.1"},
		{"127.0.0.1:5", []string{""}, "127.0.0.1"},
		{"127.0.0.1:5", []string{"203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"198.51.100.1, 203.0.113.9"}, "203.0.113.9"}, // the browser wrote the first
		{"127.0.0.1:5", []string{"198.51.100.1", "203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"198.51.100.1, 203.0.113.9, 10.1.2.3"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"10.0.0.9, 10.1.2.3"}, "10.0.0.9"}, // a player in the network of the proxies
		{"[::ffff:10.9.9.9]:5", []string{"203.0.113.9"}, "203.0.113.9"},
		{"[2001:db8::9]:5", []string{"2001:db9::1"}, "2001:db9::1"},
		{"127.0.0.1:5", []string{"203.0.113.9:4711"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"[2001:db9::1]:4711"}, "2001:db9::1"},
		{"127.0.0.1:5", []string{"[2001:db9::1]"}, "2001:db9::1"},
		{"127.0.0.1:5", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"evil, 203.0.113.9"}, "203.0.113.9"},
		{"127.0.0.1:5", []string{"203.0.113.9, unknown"}, ""},
		{"127.0.0.1:5", []string{"203.0.113.9,"}, ""},
		{"127.0.0.1:5", []string{"evil, 10.1.2.3"}, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.from
		for _, line := range row.lines {
			r.Header.Add("X-Forwarded-For", line)
		}
		got, err := p.client(r)
		if row.want == "" {
			assert.Error(t, err, "%+v", row)
			continue
		}
		require.NoError(t, err, "%+v", row)
		assert.Equal(t, netip.MustParseAddr(row.want), got, "%+v", row)
	}
	for _, bad := range []string{"", "proxy.example", "10.0.0.0/33", "fe80::1%eth0", "10.0.0.1:80"} {
		_, err := parseProxies([]string{bad})
		assert.Error(t, err, bad)
	}
}

// TestSecurePages: only TLS, a listed proxy that says https, and the own machine are secure.
func TestSecurePages(t *testing.T) {
	for _, row := range []struct {
		tls        bool
		from, host string
		proto      []string
		want       bool
	}{
		{true, "192.0.2.1", "192.0.2.9", nil, true},
		{false, "192.0.2.1", "192.0.2.9", nil, false},
		{false, "192.0.2.1", "192.0.2.9", []string{"https"}, false}, // anybody can write that
		{false, "10.0.0.1", "play.example.org", []string{"https"}, true},
		{false, "10.0.0.1", "play.example.org", []string{"https, https"}, true},
		{false, "10.0.0.1", "play.example.org", nil, false},
		{false, "10.0.0.1", "play.example.org", []string{"http"}, false},
		{false, "10.0.0.1", "play.example.org", []string{"https", "http"}, false},
		{false, "127.0.0.1", "127.0.0.1:28000", nil, true},
		{false, "::1", "[::1]:28000", nil, true},
		{false, "127.0.0.1", "localhost:28000", nil, true},
		{false, "127.0.0.1", "play.example.org", nil, false}, // a proxy that is not listed
		{false, "192.0.2.1", "localhost:28000", nil, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr, r.Host = net.JoinHostPort(row.from, "5"), row.host
		r.Header["X-Forwarded-Proto"] = row.proto
		l := &Listener{secure: row.tls, proxies: proxies{netip.MustParsePrefix("10.0.0.0/8")}}
		assert.Equal(t, row.want, l.isSecure(r), "%+v", row)
	}
}
