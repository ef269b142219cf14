package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/agonestest"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// pod is a server and its sidecar in virtual time: each call ends before the next round.
type pod struct {
	*agonestest.Sidecar
	t         *testing.T
	agones    *Agones
	now       netcore.Time
	away      bool                     // the sidecar does not answer
	answers   func(path string) string // instead of the sidecar, ""; nil: none
	players   [2]int
	allocated []map[string]string
	log       bytes.Buffer
}

func newPod(t *testing.T, counters ...string) *pod {
	t.Helper()
	p := &pod{Sidecar: agonestest.New(counters...), t: t, players: [2]int{0, 32}}
	p.starts()
	return p
}

// starts makes the process of the server anew.
func (p *pod) starts() {
	p.t.Setenv(AgonesPort, "9358")
	var err error
	p.agones, err = NewAgones(slog.New(slog.NewTextHandler(&p.log, nil)), func(a map[string]string) { p.allocated = append(p.allocated, a) })
	require.NoError(p.t, err)
	p.agones.run = func(f func()) { f() }
	p.agones.client.Transport = p
}

// RoundTrip passes a call to the sidecar. The stream ends at once.
func (p *pod) RoundTrip(q *http.Request) (*http.Response, error) {
	if p.away {
		return nil, errors.New("connection refused")
	}
	assert.Equal(p.t, "127.0.0.1:9358", q.URL.Host)
	w := httptest.NewRecorder()
	if p.answers != nil {
		if text := p.answers(q.URL.Path); text != "" {
			_, _ = w.WriteString(text)
			return w.Result(), nil
		}
	}
	if strings.HasPrefix(q.URL.Path, "/watch") {
		ctx, cancel := context.WithCancel(q.Context())
		cancel()
		q = q.WithContext(ctx)
	}
	p.ServeHTTP(w, q)
	return w.Result(), nil
}

// rounds lets the loop run for a time.
func (p *pod) rounds(d time.Duration) {
	for end := p.now + d; p.now < end; p.now += 32 * time.Millisecond {
		p.agones.Round(p.now, func() (int, int) { return p.players[0], p.players[1] })
	}
}

// TestLifeInAPod: a server is ready after a late sidecar, gives signs of life while its loop runs,
// tells its players, hears of an allocation, and says at last that it ends.
func TestLifeInAPod(t *testing.T) {
	p := newPod(t, "players")
	p.rounds(time.Minute)
	assert.Empty(t, p.Calls(), "the server is not ready")
	p.away = true
	p.agones.Ready()
	p.rounds(3 * time.Second)
	assert.Empty(t, p.log.String(), "a sidecar can be late")
	p.away = false
	p.rounds(3 * time.Second)
	assert.Equal(t, "Ready", p.State())
	assert.Equal(t, []string{"GET /gameserver", "POST /ready", "POST /health", "GET /watch/gameserver", "PATCH /v1beta1/counters/players"}, unique(p.Calls()))

	before := p.Count("POST /health")
	p.rounds(time.Minute)
	assert.Equal(t, 30, p.Count("POST /health")-before, "each 2 s")
	before = p.Count("POST /health")
	p.now += 12 * time.Second // the loop stands still
	assert.Equal(t, before, p.Count("POST /health"))
	p.rounds(100 * time.Millisecond)
	assert.Equal(t, before+1, p.Count("POST /health"), "one, not one for each that is missing")

	changes := p.Count("PATCH /v1beta1/counters/players")
	for i := range 100 { // in 3.2 s
		p.players[0] = i
		p.rounds(32 * time.Millisecond)
	}
	p.players = [2]int{7, 32}
	p.rounds(2 * time.Second)
	count, most := p.Counter("players")
	assert.Equal(t, [2]int{7, 32}, [2]int{count, most})
	assert.InDelta(t, 5, p.Count("PATCH /v1beta1/counters/players")-changes, 1, "one a second")
	changes = p.Count("PATCH /v1beta1/counters/players")
	p.rounds(time.Minute)
	assert.Equal(t, changes, p.Count("PATCH /v1beta1/counters/players"), "nothing has changed")
	p.players = [2]int{9, 9} // it drains, and is over full
	p.rounds(2 * time.Second)
	count, most = p.Counter("players")
	assert.Equal(t, [2]int{9, 9}, [2]int{count, most})

	assert.Empty(t, p.allocated)
	p.Allocate("2026-01-02T03:04:05Z", map[string]string{"mode": "ctf", "kubectl.kubernetes.io/last-applied-configuration": "{}", "agones.dev/sdk-x": "y"})
	p.rounds(2 * time.Second)
	assert.Equal(t, []map[string]string{{"mode": "ctf"}}, p.allocated)
	p.rounds(time.Minute)
	assert.Len(t, p.allocated, 1, "once")
	p.Allocate("2026-01-02T03:05:05Z", map[string]string{"mode": "duel"})
	p.rounds(2 * time.Second)
	assert.Equal(t, map[string]string{"mode": "duel"}, p.allocated[1], "again")

	p.agones.Stopping()
	calls := p.Calls()
	assert.Equal(t, "POST /shutdown", calls[len(calls)-1])
	assert.Equal(t, "Shutdown", p.State())
	assert.Equal(t, 1, p.Count("POST /ready"))
	assert.NotContains(t, p.log.String(), "level=WARN")
}

// unique returns each text where it comes first.
func unique(list []string) (out []string) {
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// TestAllocatedServersStartAgain: a process that replaces another one in a match does not give the
// match up. It hears of the allocation, too.
func TestAllocatedServersStartAgain(t *testing.T) {
	p := newPod(t)
	p.agones.Ready()
	p.rounds(time.Second)
	p.Allocate("1", map[string]string{"map": "valley"})
	p.rounds(2 * time.Second)
	p.agones.Restarting()
	p.starts()
	p.agones.Ready()
	p.rounds(5 * time.Second)
	assert.Equal(t, "Allocated", p.State())
	assert.Equal(t, 1, p.Count("POST /ready"))
	assert.Zero(t, p.Count("POST /shutdown"))
	assert.Equal(t, []map[string]string{{"map": "valley"}, {"map": "valley"}}, p.allocated)
	assert.Positive(t, p.Count("POST /health"))
	assert.Equal(t, 2, p.Count("PATCH /v1beta1/counters/players"), "there is no such counter: one try each")
	assert.Equal(t, 2, strings.Count(p.log.String(), "no counter players"))
}

// TestSidecarGoesAway: the operator gets one warning, and one line when the sidecar is back. The
// end does not wait for a sidecar that is gone.
func TestSidecarGoesAway(t *testing.T) {
	p := newPod(t, "players")
	p.agones.Ready()
	p.rounds(time.Second)
	for range 2 {
		p.away = true
		p.rounds(10 * time.Minute)
		p.away = false
		p.rounds(10 * time.Second)
	}
	assert.Equal(t, 2, strings.Count(p.log.String(), "does not answer: the game goes on"))
	assert.Equal(t, 2, strings.Count(p.log.String(), "answers again"))
	assert.Equal(t, 1, p.Count("POST /ready"))
	p.Allocate("1", nil)
	p.rounds(5 * time.Second)
	assert.Len(t, p.allocated, 1)
	p.away = true
	p.agones.Stopping()
	assert.Contains(t, p.log.String(), "Agones is not told that the server ends")
}

// TestDamagedAnswers: whatever the sidecar says, the server plays on, and keeps nothing large of
// it.
func TestDamagedAnswers(t *testing.T) {
	many := map[string]string{}
	for i := range 100 {
		many[fmt.Sprintf("n%03d", i)] = "x"
	}
	for _, bad := range []string{
		"x", "{", "[]", "null", `{"status":5}`, `{"result":null}`, `{"result":5}`, `{"error":{"code":13}}`, `{"object_meta":{"annotations":[1]}}`,
		`{"status":{"state":[]}}`, strings.Repeat("a", 3<<20), `{"result":{"status":{"state":"Allocated"},"object_meta":{"annotations":{"a":5}}}}`,
	} {
		p := newPod(t)
		p.answers = func(string) string { return bad }
		p.agones.Ready()
		p.rounds(20 * time.Second)
		assert.Empty(t, p.allocated, bad[:min(len(bad), 99)])
		p.answers = nil
		p.rounds(10 * time.Second)
		p.Allocate("1", many)
		p.rounds(2 * time.Second)
		require.Len(t, p.allocated, 1)
		assert.Len(t, p.allocated[0], maxAnnotations)
		assert.Contains(t, p.allocated[0], "n000")
	}
	g := &gameServer{}
	g.Meta.Annotations = map[string]string{"a": strings.Repeat("x", maxAnnotationBytes-1), "b": ""}
	some, all := annotationsOf(g)
	assert.Equal(t, []string{"a"}, slices.Sorted(maps.Keys(some)))
	assert.False(t, all)
	for name, is := range map[string]bool{"agones.dev/x": true, "kubernetes.io/x": true, "a.k8s.io/x": true, "notk8s.io/x": false, "agones.dev": false, "match": false, "game.example.org/x": false} {
		assert.Equal(t, is, ofCluster(name), name)
	}
}

// TestAddressOfAPod: Agones knows where players reach the server. A late sidecar is waited for, and
// one that is silent or knows no address is given up.
func TestAddressOfAPod(t *testing.T) {
	p := newPod(t)
	tries := 0
	p.away = true
	p.agones.sleep = func(context.Context, time.Duration) {
		if tries++; tries == 4 {
			p.away = false
		}
	}
	assert.Equal(t, "203.0.113.7:7101", p.agones.Address(), "the port named game")
	assert.Equal(t, 4, tries)
	assert.Empty(t, p.log.String())
	for answer, want := range map[string]string{
		`{"status":{"address":"192.0.2.1","ports":[{"name":"default","port":7000},{"name":"page","port":7001}]}}`:         "192.0.2.1:7000",
		`{"status":{"address":"node-1.example.org","ports":[{"port":0},{"name":"game","port":1},{"name":"x","port":2}]}}`: "node-1.example.org:1",
		`{"status":{"address":"2001:db8::1","ports":[{"port":65535}]}}`:                                                   "[2001:db8::1]:65535",
		`{"status":{"address":"","ports":[{"port":7000}]}}`:                                                               "",
		`{"status":{"address":"192.0.2.1","ports":[]}}`:                                                                   "",
		`{"status":{"address":"192.0.2.1","ports":[{"port":70000}]}}`:                                                     "",
		`{"status":{"address":5}}`: "",
	} {
		p.answers = func(string) string { return answer }
		p.starts()
		p.agones.sleep = func(context.Context, time.Duration) { p.agones.stop() } // the time is over
		p.log.Reset()
		assert.Equal(t, want, p.agones.Address(), answer)
		assert.Equal(t, want == "", strings.Contains(p.log.String(), "--advertise HOST:PORT does"), answer)
	}
}

// TestNoAgones: without the variable of Agones nothing is done, and a wrong one is named.
func TestNoAgones(t *testing.T) {
	t.Setenv(AgonesPort, "")
	a, err := NewAgones(slog.New(slog.DiscardHandler), nil)
	assert.NoError(t, err)
	assert.Nil(t, a)
	a.Ready()
	a.Round(0, nil)
	a.Restarting()
	a.Stopping()
	assert.Zero(t, a.Drain())
	assert.Empty(t, a.Address())
	for _, bad := range []string{"x", "0", "65536", "-1", "http://127.0.0.1:9358"} {
		t.Setenv(AgonesPort, bad)
		_, err := NewAgones(slog.New(slog.DiscardHandler), nil)
		assert.EqualError(t, err, fmt.Sprintf("AGONES_SDK_HTTP_PORT = %q: must be a port, 1…65535", bad))
	}
}

// TestLoopWaitsForNoSidecar: with real sockets, a sidecar that takes calls and does not answer
// keeps no round waiting. The stream of another one tells an allocation at once.
func TestLoopWaitsForNoSidecar(t *testing.T) {
	sidecar, stuck := agonestest.New(), make(chan struct{})
	var silent http.HandlerFunc = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-stuck:
		case <-r.Context().Done():
		}
	}
	for _, h := range []http.Handler{silent, sidecar} {
		s := httptest.NewServer(h)
		_, port, err := net.SplitHostPort(s.Listener.Addr().String())
		require.NoError(t, err)
		t.Setenv(AgonesPort, port)
		t.Setenv("HTTP_PROXY", "http://192.0.2.1:9")
		var told []map[string]string
		a, err := NewAgones(slog.New(slog.DiscardHandler), func(is map[string]string) { told = append(told, is) })
		require.NoError(t, err)
		a.Ready()
		now := netcore.Time(0)
		round := func() {
			a.Round(now, func() (int, int) { return 0, 1 })
			now += 32 * time.Millisecond
		}
		for range 1000 {
			round()
		}
		if h == sidecar {
			limit := testenv.Limit(t)
			until := func(met func() bool) {
				t.Helper()
				for ; !met(); testenv.Pause() {
					require.False(t, testenv.Expired(limit))
					round()
				}
			}
			until(func() bool { return sidecar.State() == "Ready" && sidecar.Count("GET /watch/gameserver") > 0 })
			sidecar.Allocate("1", map[string]string{"a": "b"})
			until(func() bool { return len(told) == 1 })
			assert.Equal(t, 1, sidecar.Count("GET /watch/gameserver"), "one stream")
		} else {
			close(stuck)
		}
		a.Stopping()
		s.Close()
	}
	assert.Equal(t, "Shutdown", sidecar.State())
}
