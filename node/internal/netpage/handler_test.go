package netpage

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// fakeSource is a Timeline that counts its snapshots.
type fakeSource struct {
	taken  atomic.Int32
	wanted chan Want
	sought chan Steering
	moves  bool // a seek goes on
}

func (f *fakeSource) Take(ctx context.Context, w Want, s *Snapshot) error {
	f.taken.Add(1)
	select {
	case f.wanted <- w:
	default:
	}
	*s = Snapshot{Tick: uint64(f.taken.Load()), Course: &Course{Newest: w.After + 5}}
	if f.moves && w.After > 0 {
		s.Course.Goal = 1
	}
	return ctx.Err()
}

func (f *fakeSource) Steer(_ context.Context, s Steering) error {
	f.sought <- s
	return nil
}

// liveOnly is a Source without a past.
type liveOnly struct{ f *fakeSource }

func (l liveOnly) Take(ctx context.Context, w Want, s *Snapshot) error { return l.f.Take(ctx, w, s) }

// pageRig is a Handler behind an HTTP server.
type pageRig struct {
	t       *testing.T
	source  *fakeSource
	handler *Handler
	server  *httptest.Server
	allows  atomic.Int32
	local   atomic.Bool
	notes   chan string
	due     chan time.Time // one in it is one more snapshot of a page
}

func newPageRig(t *testing.T) *pageRig {
	r := &pageRig{t: t, source: &fakeSource{wanted: make(chan Want, 64), sought: make(chan Steering, 8)}, notes: make(chan string, 64), due: make(chan time.Time)}
	r.allows.Store(WithKeyOrLocal)
	r.handler = &Handler{
		Source: r.source, Access: new(Access), Allows: func() int { return int(r.allows.Load()) },
		Local: func(*http.Request) bool { return r.local.Load() },
		From:  func(*http.Request) (netip.Addr, error) { return somebody, nil },
		Note:  func(from netip.Addr, did string) { r.notes <- from.String() + " " + did },
		Now:   func() time.Duration { return time.Hour },
		due:   func() (<-chan time.Time, func()) { return r.due, func() {} },
	}
	r.handler.Access.SetKey(NewKey())
	r.server = httptest.NewServer(r.handler)
	t.Cleanup(r.server.Close)
	return r
}

// ask sends a request; without keys, without the header. Its end closes the page.
func (r *pageRig) ask(method, query string, keys ...string) *http.Response {
	r.t.Helper()
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.server.URL+"/?"+query, nil)
	require.NoError(r.t, err)
	for _, key := range keys {
		request.Header.Add(keyHeader, key)
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(r.t, err)
	r.t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// readFrame reads a frame.
func readFrame(t *testing.T, from io.Reader) (s Snapshot, rows []byte) {
	t.Helper()
	var sizes [8]byte
	_, err := io.ReadFull(from, sizes[:])
	require.NoError(t, err)
	text := make([]byte, binary.LittleEndian.Uint32(sizes[:]))
	rows = make([]byte, binary.LittleEndian.Uint32(sizes[4:]))
	_, err = io.ReadFull(from, text)
	require.NoError(t, err)
	_, err = io.ReadFull(from, rows)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s, rows
}

func TestWhoGetsSnapshots(t *testing.T) {
	r := newPageRig(t)
	key := r.handler.Access.Key()
	for _, row := range []struct {
		name   string
		allows int32
		local  bool
		method string
		query  string
		keys   []string
		status int
	}{
		{"the key", WithKeyOrLocal, false, "GET", "", []string{key}, 200},
		{"the key, with a client", WithKey, false, "GET", "client=4294967295", []string{key}, 200},
		{"the same machine", WithKeyOrLocal, true, "GET", "", []string{""}, 200},
		{"the same machine with an old key", WithKeyOrLocal, true, "GET", "", []string{"old"}, 200},
		{"the same machine without the header, as other sites send it", WithKeyOrLocal, true, "GET", "", nil, 403},
		{"the key in the address", WithKeyOrLocal, false, "GET", "key=" + key, []string{""}, 401},
		{"two keys", WithKeyOrLocal, false, "GET", "", []string{"wrong", key}, 403},
		{"a wrong key", WithKeyOrLocal, false, "GET", "", []string{"wrong"}, 403},
		{"no key", WithKeyOrLocal, false, "GET", "", []string{""}, 401},
		{"the same machine where only the key counts", WithKey, true, "GET", "", []string{""}, 401},
		{"the key of a page that is off", Nobody, true, "GET", "", []string{key}, 403},
		{"another method", WithKeyOrLocal, true, "POST", "", []string{key}, 405},
		{"no client", WithKeyOrLocal, true, "GET", "client=x", []string{key}, 400},
		{"no tick", WithKeyOrLocal, true, "GET", "at=-1", []string{key}, 400},
		{"no speed", WithKeyOrLocal, true, "GET", "speed=-1", []string{key}, 400},
		{"no number", WithKeyOrLocal, true, "GET", "speed=NaN", []string{key}, 400},
		{"a speed without an end", WithKeyOrLocal, true, "GET", "speed=Inf", []string{key}, 400},
	} {
		r.allows.Store(row.allows)
		r.local.Store(row.local)
		before := r.source.taken.Load()
		answer := r.ask(row.method, row.query, row.keys...)
		assert.Equal(t, row.status, answer.StatusCode, row.name)
		assert.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
		if row.status == 200 {
			readFrame(t, answer.Body)
			answer.Body.Close()
			r.closed(0)
			continue
		}
		assert.Equal(t, before, r.source.taken.Load(), "%s: nothing is taken", row.name)
	}
}

// closed waits until at most n pages are open. Those that wait for their next snapshot get it.
func (r *pageRig) closed(n int) {
	r.t.Helper()
	for limit := testenv.Limit(r.t); r.handler.open.count() > n; testenv.Pause() {
		require.False(r.t, testenv.Expired(limit), "the page stays open")
		select {
		case r.due <- time.Time{}:
		default:
		}
	}
}

func TestWrongKeysAreNotedAndPause(t *testing.T) {
	r := newPageRig(t)
	for range maxWrong {
		assert.Equal(t, 403, r.ask("GET", "", "wrong").StatusCode)
	}
	assert.Equal(t, "203.0.113.9 sent a wrong key to the net page", <-r.notes)
	assert.Equal(t, 429, r.ask("GET", "", r.handler.Access.Key()).StatusCode)
	assert.Empty(t, r.notes, "one note for all")
}

// TestNotesAreLimited checks that neither many wrong keys nor a page that opens streams again and
// again fill the audit log.
func TestNotesAreLimited(t *testing.T) {
	var n notes
	other := netip.MustParseAddr("203.0.113.10")
	assert.True(t, n.isNew(somebody, 0))
	assert.False(t, n.isNew(somebody, openPause-1))
	assert.True(t, n.isNew(other, openPause-1))
	assert.True(t, n.isNew(somebody, openPause))
	assert.True(t, n.isNew(somebody, 2*openPause))
	assert.True(t, n.mayWarn(0))
	assert.False(t, n.mayWarn(wrongPause-1))
	assert.True(t, n.mayWarn(wrongPause))
}

// TestNothingIsTakenWhileNobodyLooks checks that the source rests before the first page and after
// the last.
func TestNothingIsTakenWhileNobodyLooks(t *testing.T) {
	r := newPageRig(t)
	assert.Zero(t, r.source.taken.Load())
	answer := r.ask("GET", "", r.handler.Access.Key())
	for tick := range uint64(detailsEvery + 1) {
		s, _ := readFrame(t, answer.Body)
		assert.Equal(t, tick+1, s.Tick)
		assert.Equal(t, tick%detailsEvery == 0, (<-r.source.wanted).Details)
		assert.Equal(t, int32(tick+1), r.source.taken.Load(), "none before its time")
		r.due <- time.Time{}
	}
	answer.Body.Close()
	r.closed(0)
	select {
	case r.due <- time.Time{}:
		assert.Fail(t, "somebody still waits for the next snapshot")
	default:
	}
}

// TestOpenPagesAreBounded checks the limit, that a closed page makes room, and that a page ends
// with its key.
func TestOpenPagesAreBounded(t *testing.T) {
	r := newPageRig(t)
	key := r.handler.Access.Key()
	var pages []*http.Response
	for range maxPages {
		p := r.ask("GET", "", key)
		require.Equal(t, 200, p.StatusCode)
		pages = append(pages, p)
	}
	assert.Equal(t, 503, r.ask("GET", "", key).StatusCode)
	pages[0].Body.Close()
	r.closed(maxPages - 1)
	require.Equal(t, 200, r.ask("GET", "", key).StatusCode)
	r.handler.Access.SetKey(NewKey())
	r.closed(0)
}

// stuckPage is a page that takes a frame when it is told.
type stuckPage struct {
	*httptest.ResponseRecorder
	wrote, reads chan struct{}
}

func (s *stuckPage) Write(b []byte) (int, error) {
	s.wrote <- struct{}{}
	<-s.reads
	return len(b), nil
}

// TestSlowPagesLoseSnapshots checks that the next snapshot of a page waits until it has the one
// before, however many are due meanwhile.
func TestSlowPagesLoseSnapshots(t *testing.T) {
	r := newPageRig(t)
	r.local.Store(true)
	r.due = make(chan time.Time, 64)
	for range cap(r.due) {
		r.due <- time.Time{}
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/net/stream", nil)
	request.Header.Set(keyHeader, "")
	page := &stuckPage{httptest.NewRecorder(), make(chan struct{}), make(chan struct{})}
	ended := make(chan struct{})
	go func() {
		r.handler.ServeHTTP(page, request)
		close(ended)
	}()
	for n := range int32(20) {
		<-page.wrote
		assert.Equal(t, n+1, r.source.taken.Load())
		if n == 19 {
			r.allows.Store(Nobody)
		}
		page.reads <- struct{}{}
	}
	<-ended
}

// TestTimeline checks that a page of a source with a past steers it, and gets each sample once.
// After a seek, the slow parts come at once.
func TestTimeline(t *testing.T) {
	r := newPageRig(t)
	key := r.handler.Access.Key()
	r.source.moves = true
	page := r.ask("GET", "client=7&at=12345", key)
	readFrame(t, page.Body)
	r.due <- time.Time{}
	r.due <- time.Time{}
	assert.Equal(t, Steering{Seeks: true, Tick: 12345}, <-r.source.sought)
	for _, want := range []Want{{Client: 7, Details: true}, {Client: 7, After: 5}, {Client: 7, After: 10, Details: true}} {
		assert.Equal(t, want, <-r.source.wanted)
	}
	page.Body.Close()
	r.closed(0)
	readFrame(t, r.ask("GET", "speed=0.5", key).Body)
	assert.Equal(t, Steering{Paces: true, Speed: 0.5}, <-r.source.sought)
	readFrame(t, r.ask("GET", "", key).Body)
	assert.Empty(t, r.source.sought, "without parameters, all goes on")

	r = newPageRig(t) // the pages above still use the source
	r.handler.Source = liveOnly{r.source}
	readFrame(t, r.ask("GET", "at=5", r.handler.Access.Key()).Body)
	assert.Empty(t, r.source.sought)
}

// TestThePageNamesTheHeader checks that page and handler agree on the header, the words of a row,
// and the wait after too many wrong keys.
func TestThePageNamesTheHeader(t *testing.T) {
	var text []byte
	scripts, err := fs.Glob(files, "page/*.js")
	require.NoError(t, err)
	for _, name := range scripts {
		one, err := files.ReadFile(name)
		require.NoError(t, err)
		text = append(text, one...)
	}
	assert.Contains(t, string(text), `"`+keyHeader+`"`)
	assert.Contains(t, string(text), "const words = 13;")
	assert.Equal(t, 13, rowWords)
	assert.NotRegexp(t, `https?://(?:[^w]|w[^w])`, strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", ""), "the page loads nothing from elsewhere")
}

// TestPagesOfTheMachineEnd checks that a page without a key ends when the operator asks for the
// key, and that a page with it goes on.
func TestPagesOfTheMachineEnd(t *testing.T) {
	r := newPageRig(t)
	withKey := r.ask("GET", "", r.handler.Access.Key())
	require.Equal(t, http.StatusOK, withKey.StatusCode)
	r.local.Store(true)
	local := r.ask("GET", "", "")
	require.Equal(t, http.StatusOK, local.StatusCode)
	readFrame(t, local.Body)
	r.allows.Store(WithKey)
	r.closed(1)
	_, err := io.Copy(io.Discard, local.Body)
	require.NoError(t, err)
	r.due <- time.Time{} // to the page that is left
	readFrame(t, withKey.Body)
	readFrame(t, withKey.Body)
}
