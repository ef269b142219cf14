package listserver

import (
	"compress/gzip"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/rendezvous"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

// running is a rendezvous, and what its console has printed.
type running struct {
	*Server
	t    *testing.T
	stop func()

	mu      sync.Mutex
	printed []string
}

func run(t *testing.T, cfg Config) *running {
	t.Helper()
	r := &running{t: t}
	cfg.Listen = "127.0.0.1:0"
	cfg.Print = func(text string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.printed = append(r.printed, text)
	}
	var err error
	r.Server, err = New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	r.stop = func() {
		once.Do(func() {
			cancel()
			<-r.gone
			assert.NoError(t, r.Server.Close())
		})
	}
	t.Cleanup(r.stop)
	go r.Run(ctx)
	return r
}

// exec runs a line of the console.
func (r *running) exec(line string) (out string) {
	r.t.Helper()
	var err error
	require.True(r.t, r.Do(func() { out, err = r.console.Exec(line) }))
	require.NoError(r.t, err, line)
	return out
}

// serve runs a server that is registered at a rendezvous, and answers queries.
func serve(t *testing.T, at *running, info query.Info) seal.Key {
	t.Helper()
	id, err := seal.NewIdentity(rand.Reader)
	require.NoError(t, err)
	info.Key = id.Public
	socket, err := udp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	began, done, ended := time.Now(), make(chan struct{}), make(chan struct{})
	r := rendezvous.NewRegistration(0, rand.Reader, id, netcore.UDPAddr(at.Addr()))
	r.SetPublic(0, true)
	answers := query.NewResponder(rand.Reader)
	send := func(to netcore.Addr, b []byte) { _ = socket.Write(to, b) }
	go func() {
		defer close(ended)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case p := <-socket.Packets():
				now := time.Since(began)
				if query.Is(p.Bytes()) {
					if b := answers.Answer(now, p.From, p.Bytes(), func() query.Info { return info }); b != nil {
						send(p.From, b)
					}
				} else {
					r.Receive(now, p.From, p.Bytes())
				}
				p.Free()
			case <-tick.C:
				r.Send(time.Since(began), send)
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() { close(done); <-ended; _ = socket.Close() })
	return id.Public
}

// listed waits until the console prints so many servers.
func (r *running) listed(n int) string {
	r.t.Helper()
	table := ""
	eventually(r.t, func() bool {
		table = r.exec("servers")
		return strings.Count(table, "#") == n
	})
	return table
}

// eventually waits for a condition.
func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for limit := testenv.Limit(t); !is(); testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
}

// TestListOverHTTP: a server is in servers.json when it has answered. The answer can be kept for 10
// s, and an unchanged one is not sent again.
func TestListOverHTTP(t *testing.T) {
	t.Parallel()
	r := run(t, Config{List: true, Pages: &Pages{Listen: "127.0.0.1:0"}, Data: t.TempDir()})
	key := serve(t, r, query.Info{Name: "<b>A", Players: 3, MaxPlayers: 8, Version: netcore.ProtocolVersion, Web: "http://:1234"})
	assert.Contains(t, r.listed(1), "<b>A")
	get := func(path string, header ...string) *http.Response {
		q, err := http.NewRequest(http.MethodGet, r.URL()+path, nil)
		require.NoError(t, err)
		q.Header.Set("Accept-Encoding", "identity")
		for i := 0; i < len(header); i += 2 {
			q.Header.Set(header[i], header[i+1])
		}
		a, err := http.DefaultClient.Do(q)
		require.NoError(t, err)
		t.Cleanup(func() { a.Body.Close() })
		return a
	}
	a := get("/servers.json")
	var servers []map[string]any
	require.NoError(t, json.NewDecoder(a.Body).Decode(&servers))
	require.Len(t, servers, 1)
	assert.Equal(t, key.String(), servers[0]["key"])
	assert.Equal(t, "<b>A", servers[0]["name"])
	assert.Equal(t, "http://127.0.0.1:1234", servers[0]["web"])
	assert.Equal(t, "public, max-age=10", a.Header.Get("Cache-Control"))
	assert.Equal(t, http.StatusNotModified, get("/servers.json", "If-None-Match", a.Header.Get("ETag")).StatusCode)
	packed := get("/servers.json", "Accept-Encoding", "gzip")
	assert.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	z, err := gzip.NewReader(packed.Body)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Contains(t, string(text), key.String())

	for path, kind := range map[string]string{"/": "text/html", "/list.js": "text/javascript", "/list.css": "text/css"} {
		a := get(path)
		assert.Equal(t, http.StatusOK, a.StatusCode, path)
		assert.Contains(t, a.Header.Get("Content-Type"), kind)
		assert.Equal(t, policy, a.Header.Get("Content-Security-Policy"))
		text, err := io.ReadAll(a.Body)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "innerHTML", path)
	}
	assert.Equal(t, http.StatusNotFound, get("/page/list.js").StatusCode)
	a, err = http.Post(r.URL()+"/servers.json", "", nil)
	require.NoError(t, err)
	require.NoError(t, a.Body.Close())
	assert.Equal(t, http.StatusMethodNotAllowed, a.StatusCode)
	r.stop()
	_, err = http.Get(r.URL() + "/servers.json")
	assert.Error(t, err)
}

// TestFilesAreReady: who asks for the page again and again costs no compression. Memory is counted,
// so this test runs alone.
func TestFilesAreReady(t *testing.T) {
	h, err := newHandler(nil)
	require.NoError(t, err)
	q := httptest.NewRequest(http.MethodGet, "/list.js", nil)
	q.Header.Set("Accept-Encoding", "gzip")
	ask := func() int {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		require.Equal(t, http.StatusOK, w.Code)
		return w.Body.Len()
	}
	body, before, after := ask(), runtime.MemStats{}, runtime.MemStats{}
	runtime.ReadMemStats(&before)
	for range 100 {
		ask()
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*(3*body+50<<10)))
}

// TestOperatorHidesAndBlocks: hidden servers are not shown, and blocked ones are not registered.
// Both and the key of the rendezvous survive a restart, and nothing else is on the disk.
func TestOperatorHidesAndBlocks(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := run(t, Config{List: true, Data: folder})
	one := serve(t, r, query.Info{Name: "one"})
	serve(t, r, query.Info{Name: "two"})
	r.listed(2)
	assert.Contains(t, r.exec("status"), "2 servers are registered, and 2 want to be listed")
	r.exec("hide " + one.String() + " an insult")
	assert.NotContains(t, r.listed(1), one.String())
	assert.Contains(t, r.exec("hidden"), one.String()+" forever  an insult")
	r.exec("block 127.0.0.0/8")
	assert.Equal(t, "127.0.0.0/8 forever", r.exec("blocked"))
	r.listed(0)
	key := r.service.Key()
	r.stop()

	names, err := os.ReadDir(folder)
	require.NoError(t, err)
	var all []string
	for _, n := range names {
		all = append(all, n.Name())
	}
	assert.Equal(t, []string{"blocked", "hidden", "identity", "lock"}, all)

	r = run(t, Config{List: true, Data: folder})
	assert.Equal(t, key, r.service.Key())
	assert.Equal(t, "127.0.0.0/8 forever", r.exec("blocked"))
	three := serve(t, r, query.Info{Name: "three"})
	r.exec("unhide " + one.String())
	assert.Empty(t, r.exec("hidden"))
	require.NoError(t, os.WriteFile(folder+"/hidden", []byte(three.String()+"\n"), 0o600))
	r.exec("unblock 127.0.0.0/8")
	r.exec("reload")
	assert.Contains(t, r.exec("hidden"), three.String())
	eventually(t, func() bool { return strings.HasPrefix(r.exec("status"), "1 servers") })
	r.listed(0)
	for line, says := range map[string]string{
		"hide": "usage: hide KEY|RANGE", "block x": `"x" is no key, no IP address and no range`, "block 0.0.0.0/0": "too wide",
		"unblock 10.0.0.1": "10.0.0.1 is not in it",
	} {
		r.Do(func() {
			_, err := r.console.Exec(line)
			assert.ErrorContains(t, err, says)
		})
	}
	r.exec("quit")
	<-r.gone
}

// TestNamesByOwner: one name is resolved for an address at once, so 250 owners of slow names keep
// nobody from having one resolved.
func TestNamesByOwner(t *testing.T) {
	t.Parallel()
	for _, owners := range []int{1, 32, 250} {
		n := names{}
		for i := range owners * 8 {
			at := netip.AddrFrom4([4]byte{198, 51, 100, byte(i / 8)})
			if i%2 == 0 {
				at = netip.AddrFrom16([16]byte{0x20, 1, 0xd, 0xb8, 7: byte(i / 8), 15: byte(i)})
			}
			n.begin(ownerOf(at))
		}
		assert.Len(t, n, min(2*owners, maxNames))
		if owners < 250 {
			assert.True(t, n.begin(ownerOf(netip.MustParseAddr("192.0.2.1"))))
		}
		assert.False(t, n.begin(ownerOf(netip.MustParseAddr("198.51.100.0"))))
	}
}

// TestWithoutAList: a rendezvous without a list and a folder keeps nothing, and opens nothing more.
func TestWithoutAList(t *testing.T) {
	t.Parallel()
	r := run(t, Config{})
	assert.Nil(t, r.list)
	assert.Nil(t, r.folder)
	assert.Nil(t, r.service.Renewed)
	assert.Empty(t, r.URL())
	r.Do(func() {
		_, err := r.console.Exec("servers")
		assert.Equal(t, errNoList, err)
	})
}

// TestFolderInUse: two rendezvous never share a folder.
func TestFolderInUse(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run(t, Config{List: true, Data: folder})
	_, err := New(Config{Listen: "127.0.0.1:0", Data: folder})
	assert.ErrorContains(t, err, "uses the data folder")
	_, err = New(Config{Listen: "127.0.0.1:0", List: true, Data: t.TempDir(), Via: "list"})
	assert.EqualError(t, err, `clients cannot reach the rendezvous at "list": it must be HOST:PORT, for example list.example.org:28000`)
	for _, bad := range []Pages{{Listen: "127.0.0.1:0", Domain: "10.0.0.1"}, {Listen: "127.0.0.1:0", Cert: "/nowhere", Key: "/nowhere"}, {Listen: "x"}} {
		_, err = New(Config{Listen: "127.0.0.1:0", List: true, Data: t.TempDir(), Pages: &bad})
		assert.Error(t, err)
	}
}
