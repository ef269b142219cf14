package web

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/serverjson"
)

// TestServerJSON: the page says where programs reach the game, with the headers and the limits of
// its neighbours.
func TestServerJSON(t *testing.T) {
	key := seal.Key{5}
	l := open(t, Options{Game: Game{Key: key, UDP: netip.MustParseAddrPort("127.0.0.1:28001")}})
	ask := func(method, host, origin string) (*http.Response, string) {
		r, err := http.NewRequest(method, "http://"+l.Addr().String()+serverjson.Path, nil)
		require.NoError(t, err)
		if r.Host = host; origin != "" {
			r.Header.Set("Origin", origin)
		}
		a, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer a.Body.Close()
		b, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		return a, string(b)
	}
	a, text := ask(http.MethodGet, "", "")
	assert.Equal(t, `{"key":"`+key.String()+`","protocol":`+fmt.Sprint(netcore.ProtocolVersion)+`,"port":28001}`+"\n", text)
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store", "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff"} {
		assert.Equal(t, want, a.Header.Get(name))
	}
	a, text = ask(http.MethodHead, "", "")
	assert.Equal(t, http.StatusOK, a.StatusCode)
	assert.Empty(t, text)
	for _, c := range []struct {
		method, host, origin string
		status               int
	}{
		{http.MethodPost, "", "", http.StatusMethodNotAllowed},
		{http.MethodGet, "evil.example", "", http.StatusForbidden},
		{http.MethodGet, "", "https://evil.example", http.StatusForbidden},
	} {
		a, _ := ask(c.method, c.host, c.origin)
		assert.Equal(t, c.status, a.StatusCode, c)
	}
	l.netOnly = true
	a, _ = ask(http.MethodGet, "", "")
	assert.Equal(t, http.StatusNotFound, a.StatusCode, "a page without a game")
}

// TestProgramsReach: the page names an address where its own host may not lead to the UDP port, and
// the port 0 where none does.
func TestProgramsReach(t *testing.T) {
	four, six := netip.MustParseAddr("203.0.113.7"), netip.MustParseAddr("2001:db8::7")
	both := []netip.Addr{netip.MustParseAddr("127.0.0.2"), four, six}
	for _, c := range []struct {
		udp    string
		public []netip.Addr
		host   string
		from   netip.Addr
		port   uint16
		at     netip.Addr
	}{
		{"", nil, "192.0.2.1", four, 0, netip.Addr{}},
		{"", both, "play.example.org", four, 0, netip.Addr{}},
		{"[::]:5", nil, "192.0.2.1:80", four, 5, netip.Addr{}},
		{"[::]:5", nil, "[2001:db8::1]:80", six, 5, netip.Addr{}},
		{"[::]:5", nil, "play.example.org", six, 5, netip.Addr{}},
		{"[::]:5", nil, "localhost:80", four, 5, netip.Addr{}},
		{"0.0.0.0:5", nil, "[2001:db8::1]:80", six, 0, netip.Addr{}},
		{"0.0.0.0:5", both, "192.0.2.1", four, 5, netip.Addr{}},
		{"0.0.0.0:5", both, "play.example.org", four, 5, four},
		{"0.0.0.0:5", both, "play.example.org", six, 5, six},
		{"0.0.0.0:5", both, "play.example.org", netip.Addr{}, 5, four},
		{"0.0.0.0:5", both[:1], "play.example.org", four, 5, netip.Addr{}},
		{"192.0.2.1:5", both, "203.0.113.7", four, 5, netip.Addr{}},
		{"192.0.2.1:5", nil, "203.0.113.7", four, 5, netip.Addr{}},
		{"192.0.2.1:5", nil, "127.0.0.1:80", four, 5, netip.MustParseAddr("192.0.2.1")},
		{"127.0.0.1:5", nil, "127.0.0.1:80", four, 5, netip.Addr{}},
		{"127.0.0.1:5", nil, "LocalHost", four, 5, netip.Addr{}},
		{"127.0.0.1:5", nil, "192.0.2.1", four, 0, netip.Addr{}},
		{"127.0.0.1:5", nil, "play.example.org", four, 0, netip.Addr{}},
		{"127.0.0.1:5", both, "play.example.org", four, 5, four},
	} {
		l := &Listener{public: c.public}
		l.game.UDP, _ = netip.ParseAddrPort(c.udp)
		s := l.programs(c.host, c.from)
		assert.Equal(t, c.port, s.Port, "%v", c)
		assert.Equal(t, c.at, s.Address, "%v", c)
	}
}

// TestNative: the address for programs is that of the link for browsers, or the operator's.
func TestNative(t *testing.T) {
	key := seal.Key{5}
	for _, c := range []struct {
		udp, site string
		public    []string
		want      string
	}{
		{"127.0.0.1:5", "", nil, "127.0.0.1:5#" + key.String()},
		{"0.0.0.0:5", "https://play.example.org", nil, "play.example.org:5#" + key.String()},
		{"0.0.0.0:5", "https://play.example.org:8443", []string{"203.0.113.7"}, "203.0.113.7:5#" + key.String()},
		{"[::]:5", "http://[2001:db8::1]:80", nil, "[2001:db8::1]:5#" + key.String()},
		{"127.0.0.1:5", "https://play.example.org", nil, ""},
		{"", "", nil, ""},
	} {
		o := Options{Public: c.public, Game: Game{Key: key}}
		o.Game.UDP, _ = netip.ParseAddrPort(c.udp)
		if c.site != "" {
			o.Origins = []string{c.site}
		}
		assert.Equal(t, c.want, open(t, o).Native(), c)
	}
}
