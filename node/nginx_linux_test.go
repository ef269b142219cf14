package node_test

import (
	"io"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/nginxtest"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// mostSilent is how many WebSockets without a connection of the game an address can have.
const mostSilent = 8

// startBehind starts servers of these names behind nginx. proxies is --web-proxy.
func startBehind(t *testing.T, proxies []string, names ...string) (*nginxtest.Proxy, map[string]*node.Server) {
	t.Helper()
	p, servers, at := nginxtest.New(t), map[string]*node.Server{}, map[string]netip.AddrPort{}
	for _, name := range names {
		web := webConfig()
		web.Origins, web.Proxies = []string{p.Origin + "/s/" + name + "/"}, proxies
		s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
		nodetest.Runs(s.Run)
		servers[name], at[name] = s, s.Addresses().Web
	}
	p.Start(t, at)
	return p, servers
}

// dialBehind opens a WebSocket through nginx.
func dialBehind(t *testing.T, p *nginxtest.Proxy, browser *http.Client, name string) (*websocket.Conn, int) {
	t.Helper()
	c, r, err := websocket.Dial(t.Context(), p.Origin+"/s/"+name+"/ws", &websocket.DialOptions{HTTPClient: browser, Subprotocols: []string{"torc"}, HTTPHeader: http.Header{"Origin": {p.Origin}}})
	require.NotNil(t, r, "%v", err)
	if err == nil {
		t.Cleanup(func() { _ = c.CloseNow() })
	}
	return c, r.StatusCode
}

// here runs a function on the goroutine of the test.
func here(f func()) error {
	f()
	return nil
}

// TestServersBehindNginx: two servers at one origin, with the configuration of docs/fleet.md. Each
// has its page, files and WebSockets below its name, and sees the addresses of its players.
func TestServersBehindNginx(t *testing.T) {
	t.Parallel()
	p, servers := startBehind(t, []string{"127.0.0.1"}, "lobby", "arena-1")
	browser := p.Client(t, "127.0.0.2")
	get := func(path string) (status int, to, body string) {
		r, err := browser.Get(p.Origin + path)
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return r.StatusCode, r.Header.Get("Location"), string(b)
	}
	for name, s := range servers {
		place := "/s/" + name + "/"
		assert.Equal(t, p.Origin+place+"#"+s.Key().String(), s.Addresses().Link)
		var file []string
		nodetest.Eventually(t, here, "the page is ready", func() bool {
			_, _, page := get(place)
			file = regexp.MustCompile(`src="\./(assets/[^"]+)"`).FindStringSubmatch(page)
			return file != nil
		})
		status, _, body := get(place + file[1])
		assert.Equal(t, http.StatusOK, status)
		assert.Equal(t, "1", body)
		_, _, body = get(place + "server.json")
		assert.Contains(t, body, s.Key().String())

		web, _ := dialBehind(t, p, browser, name)
		require.NotNil(t, web)
		c := nodetest.NewClient(t, node.Config{Client: node.ClientConfig{Address: overSocket(t, s, web)}})
		nodetest.Runs(c.Run)
		nodetest.Eventually(t, c.Do, "the player is in the game", c.Ready)
		require.NoError(t, s.Do(func() { assert.Regexp(t, `^127\.0\.0\.2:\d+$`, s.Host().Connections()[0].Address()) }))
	}
	status, to, _ := get("/")
	assert.Equal(t, http.StatusFound, status)
	assert.True(t, strings.HasSuffix(to, "/s/lobby/"), to)
	status, _, _ = get("/s/arena-2/")
	assert.Equal(t, http.StatusNotFound, status)
}

// TestLimitsBehindNginx: with --web-proxy, as docs/fleet.md has it, an address whose places are
// taken takes none of another. Without it, all players share those of nginx.
func TestLimitsBehindNginx(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		proxies []string
		want    int
	}{{[]string{"127.0.0.1"}, http.StatusSwitchingProtocols}, {nil, http.StatusTooManyRequests}} {
		p, _ := startBehind(t, row.proxies, "lobby")
		one, other := p.Client(t, "127.0.0.2"), p.Client(t, "127.0.0.3")
		for range mostSilent {
			_, status := dialBehind(t, p, one, "lobby")
			require.Equal(t, http.StatusSwitchingProtocols, status)
		}
		_, status := dialBehind(t, p, one, "lobby")
		assert.Equal(t, http.StatusTooManyRequests, status)
		_, status = dialBehind(t, p, other, "lobby")
		assert.Equal(t, row.want, status, "%v", row.proxies)
	}
}
