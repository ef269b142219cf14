package node_test

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// openWebConfig serves a page without a proxy.
func openWebConfig() *node.Web {
	web := webConfig()
	web.Proxies = nil
	return web
}

// netServer starts a server whose net page is ready.
func netServer(t *testing.T, cfg node.Config) *node.Server {
	t.Helper()
	s := nodetest.StartServer(t, cfg)
	nodetest.Runs(s.Run)
	for limit := testenv.Limit(t); ; testenv.Pause() {
		r := askNet(t, s, "/net", nil)
		r.Body.Close()
		if r.StatusCode == 200 {
			return s
		}
		require.False(t, testenv.Expired(limit), "the net page is served")
	}
}

// askNet sends a request to a server, with headers.
func askNet(t *testing.T, s *node.Server, path string, headers map[string]string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addresses().Web.String()+path, nil)
	require.NoError(t, err)
	for name, value := range headers {
		if name == "Host" {
			r.Host = value
		} else {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// netKey returns the present key of the net page.
func netKey(t *testing.T, s *node.Server) string {
	t.Helper()
	link := onConsole(t, s, "net.link")
	assert.Equal(t, s.Addresses().NetLink, link)
	site, key, _ := strings.Cut(link, "/net#")
	assert.Equal(t, "http://"+s.Addresses().Web.String(), site)
	assert.Len(t, key, 22)
	return key
}

// netFrame is the part of a snapshot that the tests look at.
type netFrame struct {
	Tick    uint64
	Clients struct {
		List []struct {
			ID, Object          uint32
			Name, Address, Way  string
			OutBytes, MovesDone uint64
		}
		Bots []struct{ Name string }
	}
	Map struct {
		Client  uint32
		Classes []string
		Ghosts  int
	}
	Loop    struct{ PhaseUs []int64 }
	Details *struct {
		Mods, Classes []struct{ Name string }
	}
	Rows []byte
}

// readNet reads a frame.
func readNet(t *testing.T, from io.Reader) (f netFrame) {
	t.Helper()
	f.Rows = nodetest.ReadFrame(t, from, &f)
	return f
}

// TestNetPageShowsTheGame opens the stream of a match with two clients and bots.
func TestNetPageShowsTheGame(t *testing.T) {
	t.Parallel()
	s := netServer(t, node.Config{Server: node.ServerConfig{Web: openWebConfig(), Load: []string{"ctf"}}, Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "3"}, {Name: "ctf.warmup", Value: "600"}}}})
	for _, name := range []string{"Ann", "Bob"} {
		c := nodetest.NewClient(t, node.Config{Common: node.Common{Name: name}, Client: node.ClientConfig{Address: s.Address(), Wander: true}})
		nodetest.Runs(c.Run)
		nodetest.Eventually(t, c.Do, name+" is in the game", c.Ready)
	}
	nodetest.Eventually(t, s.Do, "both have a body", func() bool {
		bodies := 0
		for _, c := range s.Host().Connections() {
			if !c.Bot() && c.Control.Object() != nil {
				bodies++
			}
		}
		return bodies == 2
	})
	first := readNet(t, askNet(t, s, "/net/stream", map[string]string{"Torc-Net-Key": ""}).Body)
	require.Len(t, first.Clients.List, 2)
	assert.Len(t, first.Clients.Bots, 3)
	ann, bob := first.Clients.List[0], first.Clients.List[1]
	assert.Equal(t, "Ann", ann.Name)
	assert.Equal(t, "udp", ann.Way)
	assert.Positive(t, ann.OutBytes)
	assert.Equal(t, ann.ID, first.Map.Client)
	assert.Contains(t, first.Map.Classes, "Player")
	require.NotNil(t, first.Details)
	assert.Contains(t, first.Details.Mods, struct{ Name string }{"ctf"})
	assert.NotEmpty(t, first.Details.Classes)

	stream := askNet(t, s, "/net/stream?client="+itoa(bob.ID), map[string]string{"Torc-Net-Key": netKey(t, s)}).Body
	readNet(t, stream)
	f := readNet(t, stream)
	assert.Equal(t, bob.ID, f.Map.Client)
	assert.Greater(t, f.Tick, first.Tick)
	busy := int64(0)
	for _, us := range f.Loop.PhaseUs {
		busy += us
	}
	assert.Positive(t, busy, "the phases are measured while the page is open")
	words := make([]int32, len(f.Rows)/4)
	for i := range words {
		words[i] = int32(binary.LittleEndian.Uint32(f.Rows[4*i:]))
	}
	require.NoError(t, s.Do(func() {
		for _, c := range s.Host().Connections() {
			if c.Bot() {
				continue
			}
			at, found := c.Control.Object(), false
			for r := 0; r < len(words); r += 13 {
				if at == nil || uint32(words[r]) != uint32(at.Ident().ID()) {
					continue
				}
				found = true
				assert.Equal(t, uint32(c.ID()) == bob.ID, uint32(words[r+2])>>24&4 != 0, "only Bob's own body is marked")
			}
			assert.True(t, found || at == nil, "%s has a row", c.PlayerName)
		}
	}))
	assert.Contains(t, onConsole(t, s, "audit"), "opened the net page")
	require.NoError(t, s.Close(), "open pages do not hold the server up")
}

func itoa(n uint32) string { b, _ := json.Marshal(n); return string(b) }

// TestWhoOpensTheNetPage sends the headers of proxies, of other sites and of other names for this
// machine.
func TestWhoOpensTheNetPage(t *testing.T) {
	t.Parallel()
	direct, listed := openWebConfig(), webConfig()
	public := openWebConfig()
	public.Origins = []string{"https://game.example.org"}
	everywhere := openWebConfig()
	everywhere.Listen = "0.0.0.0:0"
	servers := map[*node.Web]*node.Server{}
	for _, row := range []struct {
		name    string
		web     *node.Web
		headers map[string]string
		status  int
	}{
		{"a browser on the same machine", direct, map[string]string{"Torc-Net-Key": ""}, 200},
		{"by the name localhost", direct, map[string]string{"Torc-Net-Key": "", "Host": "localhost"}, 200},
		{"another site in that browser", direct, nil, 403},
		{"another site in that browser, with the header", direct, map[string]string{"Torc-Net-Key": "", "Origin": "http://evil.example"}, 403},
		{"a name that was made to point to this machine", direct, map[string]string{"Torc-Net-Key": "", "Host": "evil.example"}, 403},
		{"another address of the machine, without a key", everywhere, map[string]string{"Torc-Net-Key": "", "Host": "10.0.0.1"}, 401},
		{"a proxy on this machine that is not listed", direct, map[string]string{"Torc-Net-Key": "", "X-Forwarded-For": "203.0.113.9"}, 401},
		{"another kind of proxy", direct, map[string]string{"Torc-Net-Key": "", "Forwarded": "for=203.0.113.9"}, 401},
		{"a listed proxy that claims to be this machine", listed, map[string]string{"Torc-Net-Key": "", "X-Forwarded-For": "127.0.0.1"}, 401},
		{"a listed proxy that names nobody", listed, map[string]string{"Torc-Net-Key": ""}, 401},
		{"a listed proxy with the key", listed, map[string]string{"Torc-Net-Key": "KEY", "X-Forwarded-For": "203.0.113.9"}, 200},
		{"a server with a public site", public, map[string]string{"Torc-Net-Key": ""}, 401},
		{"the public site with the key", public, map[string]string{"Torc-Net-Key": "KEY", "Host": "game.example.org", "Origin": "https://game.example.org"}, 200},
	} {
		s := servers[row.web]
		if s == nil {
			s = netServer(t, node.Config{Server: node.ServerConfig{Web: row.web}})
			servers[row.web] = s
		}
		if row.headers["Torc-Net-Key"] == "KEY" {
			_, key, _ := strings.Cut(s.Addresses().NetLink, "#")
			row.headers["Torc-Net-Key"] = key
		}
		answer := askNet(t, s, "/net/stream", row.headers)
		assert.Equal(t, row.status, answer.StatusCode, row.name)
		require.NoError(t, answer.Body.Close())
	}
}

// TestNetLink replaces and keeps the key, and turns the page off.
func TestNetLink(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := netServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}, Common: node.Common{Data: folder}})
	first := netKey(t, s)
	opens := func(key string) int {
		return askNet(t, s, "/net/stream", map[string]string{"Torc-Net-Key": key}).StatusCode
	}
	open := askNet(t, s, "/net/stream", map[string]string{"Torc-Net-Key": first})
	assert.Equal(t, 200, open.StatusCode)
	onConsole(t, s, "net.link new")
	second := netKey(t, s)
	assert.NotEqual(t, first, second)
	_, err := io.ReadAll(open.Body)
	require.NoError(t, err, "a page with the old key ends")
	assert.Equal(t, 403, opens(first))
	assert.Equal(t, 200, opens(second))
	onConsole(t, s, "sv.netPage off")
	assert.Equal(t, 403, opens(second))
	require.NoError(t, s.Close())

	s = netServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}, Common: node.Common{Data: folder}})
	third := netKey(t, s)
	assert.NotEqual(t, second, third, "each start has a new key")
	onConsole(t, s, "net.link keep")
	require.NoError(t, s.Close())
	info, err := os.Stat(filepath.Join(folder, "net_key"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	s = netServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}, Common: node.Common{Data: folder}})
	assert.Equal(t, third, netKey(t, s))
	onConsole(t, s, "net.link new")
	assert.NoFileExists(t, filepath.Join(folder, "net_key"))
	require.NoError(t, s.Do(func() {
		_, err := s.Console().Exec("net.link x")
		assert.EqualError(t, err, "usage: net.link [new|keep]")
	}))
	require.NoError(t, s.Close())

	require.NoError(t, os.WriteFile(filepath.Join(folder, "net_key"), []byte("short\n"), 0o600))
	broken, err := node.NewServer(node.Config{Server: node.ServerConfig{Listen: "127.0.0.1:0", Web: webConfig()}, Common: node.Common{Data: folder}})
	require.NoError(t, err)
	defer broken.Close()
	assert.ErrorContains(t, broken.Start(), "net_key is not a key of the net page: remove the file")
}

// TestNetPageWithoutBrowsers checks the command where nothing is served.
func TestNetPageWithoutBrowsers(t *testing.T) {
	s := nodetest.StartServer(t, node.Config{})
	nodetest.Runs(s.Run)
	assert.Empty(t, s.Addresses().NetLink)
	require.NoError(t, s.Do(func() {
		_, err := s.Console().Exec("net.link")
		assert.ErrorContains(t, err, "start it with --web")
		_, err = s.Console().Exec("net.link keep")
		assert.Error(t, err)
	}))
}
