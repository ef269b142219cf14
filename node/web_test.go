package node_test

import (
	"context"
	cryptorand "crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

var testPages = fstest.MapFS{"index.html": {Data: []byte(`<script type="module" src="./torc.js"></script>`)}}

// webConfig serves a page. The proxy is the test, so it can name any address as that of a browser.
func webConfig() *node.Web {
	return &node.Web{
		Listen: "127.0.0.1:0", Pages: []fs.FS{testPages}, Proxies: []string{"127.0.0.1"},
		Build: func(context.Context) (fs.FS, error) { return fstest.MapFS{"torc.js": {Data: []byte("1")}}, nil },
	}
}

// dialWeb opens a WebSocket for a browser at an address; "" is that of the test.
func dialWeb(t *testing.T, s *node.Server, from string) (*websocket.Conn, error) {
	t.Helper()
	h := http.Header{}
	if from != "" {
		h.Set("X-Forwarded-For", from)
	}
	return dialWebWith(t, s, h)
}

// dialWebWith opens a WebSocket with headers of a proxy.
func dialWebWith(t *testing.T, s *node.Server, h http.Header) (*websocket.Conn, error) {
	t.Helper()
	h.Set("Origin", "http://"+s.Addresses().Web.String())
	c, _, err := websocket.Dial(t.Context(), "ws://"+s.Addresses().Web.String()+"/ws", &websocket.DialOptions{Subprotocols: []string{"torc"}, HTTPHeader: h})
	if err == nil {
		t.Cleanup(func() { c.CloseNow() })
	}
	return c, err
}

// overWeb returns an address for a client whose datagrams go through a WebSocket, as those of a
// browser do.
func overWeb(t *testing.T, s *node.Server, from string) string {
	t.Helper()
	web, err := dialWeb(t, s, from)
	require.NoError(t, err)
	return overSocket(t, s, web)
}

// overSocket returns an address for a client whose datagrams go through a WebSocket.
func overSocket(t *testing.T, s *node.Server, web *websocket.Conn) string {
	t.Helper()
	heard := make(chan []byte)
	go func() {
		defer close(heard)
		for {
			_, b, err := web.Read(context.Background())
			if err != nil {
				return
			}
			heard <- b
		}
	}()
	return over(t, s, heard, func(b []byte) error { return web.Write(context.Background(), websocket.MessageBinary, b) })
}

// over returns an address for a client whose datagrams go to send. It gets those of heard.
func over(t *testing.T, s *node.Server, heard <-chan []byte, send func(b []byte) error) string {
	t.Helper()
	near, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { near.Close() })
	client := make(chan net.Addr, 1)
	go func() {
		b := make([]byte, netcore.MaxDatagram)
		for known := false; ; {
			n, at, err := near.ReadFrom(b)
			if err != nil || send(b[:n]) != nil {
				return
			}
			if !known {
				known = true
				client <- at
			}
		}
	}()
	go func() {
		var at net.Addr
		for b := range heard {
			if at == nil {
				at = <-client
			}
			_, _ = near.WriteTo(b, at) // a closed client loses packets
		}
	}()
	return fmt.Sprintf("%s#%s", near.LocalAddr(), s.Key())
}

// TestBrowserPlays joins a server over a WebSocket. The page is there, the operator is told the
// link, and nothing stays behind.
func TestBrowserPlays(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	printed := make(chan string, 100)
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}, Common: node.Common{Output: func(text string) { printed <- text }}})
	nodetest.Runs(s.Run)
	link := "http://" + s.Addresses().Web.String() + "/#" + s.Key().String()
	assert.Equal(t, link, s.Addresses().Link)
	for told := false; !told; {
		told = strings.Contains(<-printed, "play in a browser: "+link)
	}
	r, err := http.Get(s.Addresses().Link)
	require.NoError(t, err)
	page, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	assert.Regexp(t, `src="\./assets/torc\.[0-9a-f]{16}\.js"`, string(page))
	http.DefaultClient.CloseIdleConnections()
	text := onConsole(t, s, "link")
	assert.True(t, strings.HasPrefix(text, link+"\n"))
	assert.Contains(t, text, "█")
	assert.Contains(t, onConsole(t, s, "status"), "\nweb "+s.Addresses().Web.String())

	heard := make(chan string, 100)
	ann := nodetest.NewClient(t, node.Config{
		Common: node.Common{Name: "Ann", Output: func(text string) { heard <- text }},
		Client: node.ClientConfig{Address: overWeb(t, s, "203.0.113.9"), Wander: true},
	})
	ended := nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	text = onConsole(t, s, "metrics")
	assert.Contains(t, text, "\ntorc_web_sockets 1\n")
	assert.Regexp(t, `\ntorc_web_packets_lost_total \d+\n`, text)
	assert.Contains(t, text, "\ntorc_web_packets_dropped_total 0\n")
	bob := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Bob"}, Client: node.ClientConfig{Address: s.Address()}})
	nodetest.Runs(bob.Run)
	nodetest.Eventually(t, bob.Do, "Bob is in the game", bob.Ready)
	require.NoError(t, s.Do(func() {
		all := s.Host().Connections()
		require.Len(t, all, 2)
		assert.Regexp(t, `^203\.0\.113\.9:\d+$`, all[0].Address())
		assert.Equal(t, netcore.AddrWeb, all[0].Net().Addr().Kind)
		assert.False(t, all[0].Net().Addr().Loopback())
	}))
	require.NoError(t, s.Do(func() { s.Quit("bye") }))
	require.NoError(t, <-ended)
	for said := false; !said; { // the last words arrive
		said = strings.Contains(<-heard, "bye")
	}
	for _, n := range []interface{ Close() error }{s, ann, bob} {
		require.NoError(t, n.Close())
	}
	for limit := testenv.Limit(t); runtime.NumGoroutine() > goroutines+2; testenv.Pause() { // those of overWeb end with the test
		require.False(t, testenv.Expired(limit), "goroutines stay behind")
	}
}

// TestLimitsHoldForBrowsers: an address has 8 connections and bans, over each transport. Only play
// exempts browsers on the own machine.
func TestLimitsHoldForBrowsers(t *testing.T) {
	t.Parallel()
	for local, want := range map[bool]int{false: 8, true: 9} { // any order: both run at once
		t.Run(fmt.Sprint(local), func(t *testing.T) {
			t.Parallel()
			web := webConfig()
			web.Local = local
			s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
			nodetest.Runs(s.Run)
			in := 0
			for i := range 9 {
				c := nodetest.NewClient(t, node.Config{Common: node.Common{Name: fmt.Sprint("Ann ", i)}, Client: node.ClientConfig{Address: overWeb(t, s, "")}})
				ended := nodetest.Runs(c.Run)
				if joins(t, c, ended) {
					in++
				}
				if i == 7 {
					waitSweep(t, s) // until then the 8 WebSockets count as silent
				}
			}
			assert.Equal(t, want, in)
		})
	}
}

// TestLimitsReachBrowsers: sv.addressLimit and sv.addressAllow hold for browsers, too, also when
// they change while the server runs.
func TestLimitsReachBrowsers(t *testing.T) {
	t.Parallel()
	vars := []node.Var{{Name: "sv.addressLimit", Value: "9"}}
	s := nodetest.StartServer(t, node.Config{Common: node.Common{Vars: vars}, Server: node.ServerConfig{Web: webConfig()}})
	nodetest.Runs(s.Run)
	const school = "203.0.113.9"
	for range 9 {
		_, err := dialWeb(t, s, school)
		require.NoError(t, err)
	}
	_, err := dialWeb(t, s, school)
	require.Error(t, err)
	onConsole(t, s, "sv.addressAllow 203.0.113.0/24")
	waitSweep(t, s)
	_, err = dialWeb(t, s, school)
	require.NoError(t, err)
}

// joins waits until a client is in the game, or refused for the number of connections.
func joins(t *testing.T, c *node.Client, ended <-chan error) (in bool) {
	t.Helper()
	for limit := testenv.Limit(t); !in; testenv.Pause() {
		require.False(t, testenv.Expired(limit), "neither in the game nor refused")
		select {
		case err := <-ended:
			require.ErrorContains(t, err, "too many connections")
			return false
		default:
			_ = c.Do(func() { in = c.Ready() }) // it can have ended
		}
	}
	return true
}

// waitSweep waits until the server has swept the WebSockets. Sweeps count ticks, so it lets the
// game run fast.
func waitSweep(t *testing.T, s *node.Server) {
	t.Helper()
	onConsole(t, s, "sv.timeScale 4")
	var since uint64
	require.NoError(t, s.Do(func() { since = s.Host().TickNumber() }))
	nodetest.Eventually(t, s.Do, "a sweep", func() bool { return s.Host().TickNumber() > since+32 })
	onConsole(t, s, "sv.timeScale 1")
}

// TestBannedBrowser: a ban of an address holds for browsers behind a proxy.
func TestBannedBrowser(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}})
	nodetest.Runs(s.Run)
	onConsole(t, s, "ban 203.0.113.0/24 10m rude")
	err := nodetest.NewClient(t, node.Config{Client: node.ClientConfig{Address: overWeb(t, s, "203.0.113.9")}}).Run(context.Background())
	assert.ErrorContains(t, err, "banned: rude")
	eve := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Eve"}, Client: node.ClientConfig{Address: overWeb(t, s, "198.51.100.1, 192.0.2.9")}})
	nodetest.Runs(eve.Run)
	nodetest.Eventually(t, eve.Do, "another address joins", eve.Ready)
}

// TestHostileBrowsers: WebSockets that say nothing and WebSockets that send noise keep out nobody,
// and disturb nobody.
func TestHostileBrowsers(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}})
	nodetest.Runs(s.Run)
	ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann"}, Client: node.ClientConfig{Address: overWeb(t, s, "192.0.2.1")}})
	nodetest.Runs(ann.Run)
	nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
	waitSweep(t, s)
	hosts := testenv.Length(40, 128) // with 8 WebSockets each: the server keeps 256 silent ones
	for i := range 8 * hosts {
		_, _ = dialWeb(t, s, fmt.Sprintf("203.0.113.%d", i%hosts))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 16 {
		noise, err := dialWeb(t, s, fmt.Sprintf("198.51.100.%d", i))
		require.NoError(t, err)
		for range 100 {
			b := make([]byte, 1+random.IntN(netcore.MaxDatagram))
			for i := range b {
				b[i] = byte(random.Uint32())
			}
			require.NoError(t, noise.Write(t.Context(), websocket.MessageBinary, b))
		}
	}
	bob := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Bob"}, Client: node.ClientConfig{Address: overWeb(t, s, "192.0.2.2")}})
	nodetest.Runs(bob.Run)
	nodetest.Eventually(t, bob.Do, "Bob is in the game", bob.Ready)
	assert.True(t, func() (in bool) { _ = ann.Do(func() { in = ann.Ready() }); return }())
	warnsOfNothing(t, s)
}

// warnsOfNothing expects that the server has warned of nothing but a machine that stood still.
func warnsOfNothing(t *testing.T, s *node.Server) {
	t.Helper()
	_, list, found := strings.Cut(onConsole(t, s, "status"), "\nwarnings ")
	require.True(t, found)
	for _, line := range strings.Split(list, "\n")[1:] {
		assert.Contains(t, line, "the process stood still")
	}
}

// TestWebWithoutClient: the page says why there is no client, and the rest of the server works.
func TestWebWithoutClient(t *testing.T) {
	t.Parallel()
	web := webConfig()
	web.Build = func(context.Context) (fs.FS, error) { return nil, errors.New("install Go") }
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
	nodetest.Runs(s.Run)
	nodetest.Eventually(t, s.Do, "the reason is on the page", func() bool {
		r, err := http.Get("http://" + s.Addresses().Web.String())
		require.NoError(t, err)
		defer r.Body.Close()
		b, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return strings.Contains(string(b), "install Go")
	})
}

// TestCloseWhileTheClientIsBuilt: Close ends the build.
func TestCloseWhileTheClientIsBuilt(t *testing.T) {
	web, began := webConfig(), make(chan struct{})
	web.Build = func(ctx context.Context) (fs.FS, error) {
		close(began)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
	<-began
	require.NoError(t, s.Close())
}

// TestTakenWebPort: play takes another port, serve ends with an error that names the port.
func TestTakenWebPort(t *testing.T) {
	first := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}})
	web := webConfig()
	web.Listen = first.Addresses().Web.String()
	s, err := node.NewServer(node.Config{Server: node.ServerConfig{Web: web}})
	require.NoError(t, err)
	defer s.Close()
	var wrong *node.ConfigError
	require.ErrorAs(t, s.Start(), &wrong)
	assert.Equal(t, "Web", wrong.Field)
	assert.Contains(t, wrong.Error(), web.Listen)

	web.OtherPort = true
	second := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
	assert.NotEqual(t, first.Addresses().Web, second.Addresses().Web)
	assert.Equal(t, first.Addresses().Web.Addr(), second.Addresses().Web.Addr())
}

// TestLinkWithoutWeb: the command says how to get a link.
func TestLinkWithoutWeb(t *testing.T) {
	s := nodetest.StartServer(t, node.Config{})
	_, err := s.Console().Exec("link")
	assert.ErrorContains(t, err, "--web")
	assert.Empty(t, s.Addresses().Link)
	assert.False(t, s.Addresses().Web.IsValid())
}

// TestWebLinks: the link has the site that the operator gave, or the address of this machine, and
// the port of the game.
func TestWebLinks(t *testing.T) {
	web := webConfig()
	web.Origins = []string{"https://play.example.org"}
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
	assert.Equal(t, "https://play.example.org/#"+s.Key().String(), s.Addresses().Link)
	web = webConfig()
	web.Listen = ""
	same := false
	for i := 0; i < 20 && !same; i++ { // another program can have the TCP port with the number of a free UDP port
		s = nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
		same = s.Addr() == s.Addresses().Web
	}
	assert.True(t, same)
	web.Listen = ":0"
	link := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}}).Addresses().Link
	assert.NotContains(t, link, "[::]")
	assert.NotContains(t, link, "0.0.0.0")
}

// closer is a function that closes something.
type closer func() error

func (c closer) Close() error { return c() }

// TestRolesOverPlainHTTP: a key that was used on a page over plain HTTP holds no role, on no way
// into the server, unless the operator says so.
func TestRolesOverPlainHTTP(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 100)
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig(), Load: []string{"m"}}, Common: node.Common{Output: func(text string) { asked <- text }, Mods: []fs.FS{fstest.MapFS{
		"m/mod.toml":        {Data: []byte("name = 'm'\nversion = '1.0.0'\n")},
		"m/server/init.lua": {Data: []byte(`function GameConnection.onConnectRequest(c) echo("asks with " .. #c.roles) end`)},
	}}}})
	nodetest.Runs(s.Run)
	requests := func(want string) {
		for said := ""; !strings.HasPrefix(said, "asks with "); {
			if said = <-asked; strings.HasPrefix(said, "asks with ") {
				assert.Equal(t, "asks with "+want, said)
			}
		}
	}
	id, err := seal.NewIdentity(cryptorand.Reader)
	require.NoError(t, err)
	var line io.Closer // of the last join over a WebSocket
	join := func(proto string) *node.Client {
		address := s.Address()
		if proto != "" {
			c, err := dialWebWith(t, s, http.Header{"X-Forwarded-Proto": {proto}, "X-Forwarded-For": {"203.0.113.9"}})
			require.NoError(t, err)
			line, address = closer(c.CloseNow), overSocket(t, s, c)
		}
		ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Ann", Identity: &id}, Client: node.ClientConfig{Address: address}})
		nodetest.Runs(ann.Run)
		nodetest.Eventually(t, ann.Do, "Ann is in the game", ann.Ready)
		return ann
	}
	roles := func() string { return onConsole(t, s, `return table.concat(clientGroup:at(1).roles, " ")`) }
	left := func() {
		nodetest.Eventually(t, s.Do, "Ann has left", func() bool { return len(s.Host().Connections()) == 0 })
	}

	safe := join("https")
	requests("0")
	onConsole(t, s, "role.give Ann moderator")
	assert.Equal(t, `"moderator"`, roles())
	require.NoError(t, line.Close())
	waitSweep(t, s)
	assert.Equal(t, `"moderator"`, roles(), "the end of a line over HTTPS is no page over plain HTTP")
	ended := nodetest.Runs(func(context.Context) error { return safe.Close() }) // nobody answers its last words
	onConsole(t, s, "kick Ann")
	left()

	plain := join("http")
	requests("0")
	assert.Equal(t, `""`, roles())
	waitSweep(t, s)
	assert.Contains(t, onConsole(t, s, "audit"), "was used over plain HTTP")
	assert.Contains(t, onConsole(t, s, "role"), id.Public.String()+" was used over plain HTTP")
	require.NoError(t, s.Do(func() {
		_, err := s.Console().Exec("role.give Ann admin")
		assert.ErrorContains(t, err, "plays over plain HTTP")
	}))
	onConsole(t, s, "sv.plainRoles true")
	assert.Equal(t, `"moderator"`, roles())
	onConsole(t, s, "sv.plainRoles false")
	require.NoError(t, plain.Close())
	left()

	join("")
	assert.Equal(t, `""`, roles(), "somebody can have stolen the key")
	onConsole(t, s, "role.take Ann moderator")
	onConsole(t, s, "role.give Ann moderator")
	assert.Equal(t, `"moderator"`, roles(), "the operator has decided")
	assert.NoError(t, <-ended)
}

// TestThePageHasTheMicrophoneWhileThereIsVoice follows sv.voice in the header of the page.
func TestThePageHasTheMicrophoneWhileThereIsVoice(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}})
	nodetest.Runs(s.Run)
	for _, row := range []struct{ line, want string }{{"", "microphone=()"}, {"sv.voice all", "microphone=(self)"}, {"sv.voice mod", "microphone=(self)"}, {"sv.voice off", "microphone=()"}} {
		if row.line != "" {
			onConsole(t, s, row.line)
		}
		for limit := testenv.Limit(t); ; testenv.Pause() {
			r, err := http.Get("http://" + s.Addresses().Web.String() + "/")
			require.NoError(t, err)
			require.NoError(t, r.Body.Close())
			if strings.HasSuffix(r.Header.Get("Permissions-Policy"), row.want) {
				break
			}
			require.False(t, testenv.Expired(limit), "%s: %s", row.line, r.Header.Get("Permissions-Policy"))
		}
	}
}

// TestOriginsOnTheConsole: the operator changes sv.webOrigins and sv.webFrames while the server
// runs. The link and the headers follow. A bad value gets one sentence, and changes nothing.
func TestOriginsOnTheConsole(t *testing.T) {
	s := nodetest.StartServer(t, node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.webOrigins", Value: "https://first.tunnel.example"}}},
		Server: node.ServerConfig{Web: webConfig()},
	})
	link := func() string { site, _, _ := strings.Cut(s.Addresses().Link, "/#"); return site }
	frames := func() string {
		r, err := http.Get("http://" + s.Addresses().Web.String() + "/")
		require.NoError(t, err)
		defer r.Body.Close()
		_, who, _ := strings.Cut(r.Header.Get("Content-Security-Policy"), "frame-ancestors ")
		return who
	}
	line := func(line string) error { _, err := s.Console().Exec(line); return err }
	assert.Equal(t, "https://first.tunnel.example", link())
	require.NoError(t, line(`sv.webOrigins "https://second.tunnel.example, http://third.example:81"`))
	assert.Equal(t, "https://second.tunnel.example", link())
	out, err := s.Console().Exec("sv.webOrigins")
	require.NoError(t, err)
	assert.Contains(t, out, "https://second.tunnel.example http://third.example:81")
	assert.ErrorContains(t, line(`sv.webOrigins "https://ok.example https://bad.example/path"`), `the origin "https://bad.example/path" must be http://HOST[:PORT]`)
	assert.Equal(t, "https://second.tunnel.example", link())
	assert.Equal(t, "'none'", frames())
	require.NoError(t, line("sv.webFrames https://clan.example.org"))
	assert.Equal(t, "https://clan.example.org", frames())
	assert.Error(t, line("sv.webFrames *"))
	require.NoError(t, line(`sv.webFrames ""`))
	assert.Equal(t, "'none'", frames())
	require.NoError(t, line(`sv.webOrigins ""`))
	assert.Equal(t, "http://"+s.Addresses().Web.String(), link())
}
