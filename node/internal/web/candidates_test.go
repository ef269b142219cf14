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

	"github.com/torc-engine/torc/netcore/udp"
)

// TestCandidates: a browser is told where it reaches the UDP port, and no other address of the
// machine.
func TestCandidates(t *testing.T) {
	for _, row := range []struct {
		bound, public, host, local, from string
		want                             []string
	}{
		{"127.0.0.1:0", "", "127.0.0.1:28000", "127.0.0.1", "127.0.0.1", []string{"127.0.0.1"}},
		{"127.0.0.1:0", "", "[::1]:28000", "::1", "::1", nil},
		{"127.0.0.1:0", "", "localhost", "127.0.0.1", "127.0.0.1", []string{"127.0.0.1"}},
		{"127.0.0.1:0", "203.0.113.7", "127.0.0.1", "127.0.0.1", "127.0.0.1", []string{"203.0.113.7", "127.0.0.1"}},
		{"0.0.0.0:0", "", "192.0.2.1:28000", "10.0.0.1", "192.0.2.9", []string{"192.0.2.1"}}, // a router translates
		{"0.0.0.0:0", "", "[2001:db8::1]:28000", "2001:db8::1", "2001:db8::9", nil},
		{":0", "203.0.113.7", "203.0.113.7", "10.0.0.1", "192.0.2.9", []string{"203.0.113.7"}},
	} {
		socket, err := udp.Listen(row.bound)
		require.NoError(t, err)
		o := Options{Socket: socket, Proxies: []string{"10.9.9.9"}}
		if row.public != "" {
			o.Public = []string{row.public}
		}
		l := open(t, o)
		r := httptest.NewRequest(http.MethodPost, rtcPath, nil)
		r.Host, r.RemoteAddr = row.host, net.JoinHostPort(row.from, "5")
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP(row.local)})))
		var want []netip.Addr
		for _, ip := range row.want {
			want = append(want, netip.MustParseAddr(ip))
		}
		assert.Equal(t, want, l.candidates(r), "%+v", row)
		require.NoError(t, socket.Close())
	}
}

// TestCandidatesBehindAName: with a name, the own addresses count. Behind a proxy the address that
// the proxy reached does not.
func TestCandidatesBehindAName(t *testing.T) {
	socket, err := udp.Listen("0.0.0.0:0")
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	l := open(t, Options{Socket: socket, Proxies: []string{"10.9.9.9"}, Origins: []string{"https://play.example.org", "https://198.51.100.1"}})
	r := httptest.NewRequest(http.MethodPost, rtcPath, nil)
	r.Host = "play.example.org"
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 77)})))
	r.RemoteAddr = "192.0.2.9:5"
	local := netip.MustParseAddr("192.0.2.77")
	all := l.candidates(r)
	require.GreaterOrEqual(t, len(all), 2)
	assert.Equal(t, []netip.Addr{netip.MustParseAddr("198.51.100.1"), local}, all[:2])
	r.RemoteAddr = "10.9.9.9:5"
	assert.NotContains(t, l.candidates(r), local)
}

// TestCandidateLines: the form of RFC 8839, the likeliest address first.
func TestCandidateLines(t *testing.T) {
	assert.Equal(t, "a=candidate:1 1 udp 2130706431 192.0.2.1 28000 typ host\r\n"+
		"a=candidate:2 1 udp 2130706175 2001:db8::1 28000 typ host\r\n"+
		"a=end-of-candidates\r\n", candidates([]netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}, 28000))
}
