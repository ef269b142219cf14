//go:build !js

package replay_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/internal/netpage"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// A filmed match is a journal, and what its server was at some ticks.
type filmed struct {
	journal []byte
	truth   map[uint64]netpage.Snapshot
	length  uint64 // ticks
}

// sharedFilm is the match that film plays once.
var sharedFilm struct {
	once sync.Once
	filmed
}

// film plays a match of ctf with two clients in virtual time, and looks at the server at the ticks
// 30, 100, 101, 144 and 180. All tests have the same match: they must not change it.
func film(t *testing.T) filmed {
	t.Helper()
	sharedFilm.once.Do(func() { sharedFilm.filmed = newFilm(t, 30, 100, 101, 144, 180) })
	require.NotEmpty(t, sharedFilm.journal, "the match has failed in another test")
	return sharedFilm.filmed
}

func newFilm(t *testing.T, ticks ...uint64) filmed {
	t.Helper()
	var text bytes.Buffer
	seed := uint64(7)
	v := nodetest.NewVirtual(t, node.Config{
		Common: node.Common{Name: "filmed", Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "2"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Journal: &node.Journal{Writer: &text}},
	}, 2)
	f := filmed{truth: map[uint64]netpage.Snapshot{}}
	for last := uint64(0); f.length < slices.Max(ticks)+40; last = f.length {
		v.GoOn(t, time.Millisecond)
		if f.length = v.Server.Host().TickNumber(); f.length != last && slices.Contains(ticks, f.length) {
			f.truth[f.length] = truthOf(v)
		}
	}
	require.NoError(t, v.Server.Close())
	f.journal = text.Bytes()
	return f
}

// truthOf returns what the net page of a live server would show of the second client.
func truthOf(v *nodetest.Virtual) (s netpage.Snapshot) {
	host, now := v.Server.Host(), func() time.Duration { return v.Now - time.Millisecond }
	taker := netpage.Taker{
		Host: host, Scripts: v.Server.Scripts(), Pulse: new(pulse.Pulse), Phases: &pulse.Phases{Now: now}, Version: "0.0.0", Now: now, Clock: now,
	}
	var second sim.ID
	for _, c := range host.Connections() {
		if !c.Bot() {
			second = c.ID()
		}
	}
	taker.Take(netpage.Want{Client: second, Details: true}, &s)
	return s
}

// shown is a page over a journal.
type shown struct {
	t    *testing.T
	site string
	key  string
}

// show runs a Playback of a match until the test ends.
func (f *filmed) show(t *testing.T, change ...func(*replay.PageConfig)) *shown {
	t.Helper()
	seen, err := replay.Scan(bytes.NewReader(f.journal))
	require.NoError(t, err)
	cfg := replay.PageConfig{Journal: seen, Version: "0.0.0"}
	for _, c := range change {
		c(&cfg)
	}
	p, err := replay.NewPage(bytes.NewReader(f.journal), int64(len(f.journal)), cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
		assert.NoError(t, p.Close())
	})
	site, key, _ := strings.Cut(p.Link(), "/net#")
	return &shown{t, site, key}
}

// ask sends a request from this machine.
func (s *shown) ask(path string) *http.Response {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.site+path, nil)
	require.NoError(s.t, err)
	r.Header.Set("Torc-Net-Key", "")
	r.Header.Set("Origin", s.site)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// at seeks a tick, and returns the first snapshot there.
func (s *shown) at(tick uint64, client uint32) (got netpage.Snapshot, rows []byte) {
	s.t.Helper()
	answer := s.ask("/net/stream?speed=0&at=" + fmt.Sprint(tick) + "&client=" + strconv.Itoa(int(client)))
	defer answer.Body.Close()
	require.Equal(s.t, http.StatusOK, answer.StatusCode)
	var past []netpage.Sample
	for {
		got = netpage.Snapshot{}
		rows = nodetest.ReadFrame(s.t, answer.Body, &got)
		past = append(past, got.Course.Past...)
		if got.Course.Goal == got.Course.Tick {
			got.Course.Past = past
			return got, rows
		}
	}
}

// TestPlaybackIsTheServer records a match, and seeks its ticks forth and back: each shows the same
// clients, the same map and the same costs as the live server at that tick.
func TestPlaybackIsTheServer(t *testing.T) {
	f := film(t)
	page := f.show(t)
	for _, tick := range []uint64{100, 180, 30, 101, 101, 180} {
		want := f.truth[tick]
		got, rows := page.at(tick, want.Map.Client)
		assert.Equal(t, tick, got.Course.Tick)
		assert.Empty(t, got.Course.Why)
		assert.Equal(t, f.length, got.Course.Last)
		assert.Equal(t, []any{want.Tick, want.Time, want.Server.Objects, want.Clients, want.Map}, []any{got.Tick, got.Time, got.Server.Objects, got.Clients, got.Map}, "tick %d", tick)
		var words bytes.Buffer
		require.NoError(t, binary.Write(&words, binary.LittleEndian, want.Rows))
		assert.Equal(t, words.Bytes(), rows, "the map of tick %d", tick)
		assert.NotEmpty(t, want.Details.Classes)
		assert.Equal(t, want.Details.Classes, got.Details.Classes)
		require.Len(t, got.Details.Mods, len(want.Details.Mods))
		calls := func(d *netpage.Details) map[string]int64 {
			of := map[string]int64{}
			for _, m := range d.Mods {
				of[m.Name] = m.Calls<<32 + m.Instructions
			}
			return of
		}
		assert.Equal(t, calls(want.Details), calls(got.Details))
		assert.Positive(t, got.Details.Mods[0].Us, "scripts are measured on this machine")
		assert.Equal(t, tick, got.Loop.Ticks)
		assert.Positive(t, got.Loop.BusyUs)
		assert.Zero(t, got.Loop.Late)
	}
}

// TestPlaybackPastAndPlay checks that a page gets the samples of the time before the tick, also
// after a way back, and that a match plays on to its last tick when somebody looks.
func TestPlaybackPastAndPlay(t *testing.T) {
	f := film(t)
	page := f.show(t, func(c *replay.PageConfig) { c.From, c.Until, c.Speed = 144, 160, 1000 })
	want := f.truth[144]
	answer := page.ask("/net/stream?client=" + strconv.Itoa(int(want.Map.Client)))
	var got netpage.Snapshot
	for got.Course == nil || got.Course.Tick < 160 {
		got = netpage.Snapshot{}
		nodetest.ReadFrame(t, answer.Body, &got)
	}
	assert.Equal(t, uint64(160), got.Course.Last, "Until is the last tick")
	for _, tick := range []uint64{144, 20, 144} {
		got, _ := page.at(tick, want.Map.Client)
		require.Len(t, got.Course.Past, int(tick/16), "a sample each 16 ticks")
		newest := got.Course.Past[len(got.Course.Past)-1]
		assert.Len(t, newest.Loop.PhaseUs, len(got.Loop.Phases))
		if tick == 144 {
			assert.Equal(t, want.Time, newest.Time)
			require.NotNil(t, newest.Client)
			assert.Equal(t, want.Clients.List[1], *newest.Client)
			assert.LessOrEqual(t, newest.Loop.Ticks, newest.Loop.Looked+16, "at the latest from the first sample on, each tick is measured")
		}
	}
}

// TestPlaybackNamesAnotherBuild checks that a page has the first difference, and beside it the
// build that wrote the journal.
func TestPlaybackNamesAnotherBuild(t *testing.T) {
	f := film(t)
	ticks := 0
	f.journal = rewriteAll(t, f.journal, func(h *journal.Header) { h.Program = "1.2.3" }, func(_ int, e *journal.Entry) bool {
		if e.Kind == journal.Tick {
			if ticks++; ticks == 20 {
				e.Data = []byte("else")
			}
		}
		return true
	})
	page := f.show(t)
	got, _ := page.at(10, 0)
	assert.Empty(t, got.Course.Why)
	got, _ = page.at(30, 0)
	assert.Regexp(t, `^the replay differs from the recorded server: tick \d+: .+; torc 1\.2\.3 \(go.+ another build can have differences of its own$`, got.Course.Why)
}

// TestPlaybackHasNoGame checks that a Playback serves the net page and no game, to this machine or
// with the key.
func TestPlaybackHasNoGame(t *testing.T) {
	f := film(t)
	noted := make(chan string, 64)
	page := f.show(t, func(c *replay.PageConfig) { c.Note = func(did string) { noted <- did } })
	for path, status := range map[string]int{"/": 200, "/net": 200, "/watch": 404, "/ws": 404, "/rtc": 404, "/metrics": 404, "/net/stream?at=x": 400} {
		assert.Equal(t, status, page.ask(path).StatusCode, path)
	}
	for key, status := range map[string]int{"": 401, "wrong": 403, page.key: 200} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page.site+"/net/stream", nil)
		require.NoError(t, err)
		r.Header.Set("Torc-Net-Key", key)
		r.Header.Set("X-Forwarded-For", "203.0.113.9") // it comes from elsewhere
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		answer.Body.Close()
		assert.Equal(t, status, answer.StatusCode, key)
	}
	told := []string{<-noted, <-noted}
	assert.Contains(t, told, "127.0.0.1 sent a wrong key to the net page")
	assert.Contains(t, told, "127.0.0.1 opened the net page")

	_, err := replay.NewPage(bytes.NewReader(f.journal), int64(len(f.journal)), replay.PageConfig{Listen: "nowhere"})
	assert.Error(t, err)
	p, err := replay.NewPage(strings.NewReader("torc-journal\n\x02"), 14, replay.PageConfig{})
	require.NoError(t, err)
	assert.ErrorContains(t, p.Run(t.Context()), "cannot be read")
	require.NoError(t, p.Close())
}
