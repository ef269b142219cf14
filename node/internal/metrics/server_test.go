package metrics

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// open starts a server that answers with text until the test ends.
func open(t *testing.T, text string) *Listener {
	s, err := Listen("127.0.0.1:0", "")
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case r := <-s.Requests():
				r.Answer(text)
				r.Answer("again")
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() { close(done); assert.NoError(t, s.Close()) })
	return s
}

func ask(t *testing.T, s *Listener, method, path string) (status int, body string) {
	r, err := http.NewRequest(method, "http://"+s.Addr().String()+path, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

func TestScrapesRunOnOwner(t *testing.T) {
	s := open(t, "torc_ticks_total 3\n")
	for range 3 {
		status, body := ask(t, s, "GET", "/metrics")
		assert.Equal(t, 200, status)
		assert.True(t, strings.HasPrefix(body, "torc_ticks_total 3\n"))
		assert.Contains(t, body, "\ngo_goroutines ")
		assert.Contains(t, body, "\ngo_memstats_heap_inuse_bytes ")
		assert.Contains(t, body, "\ngo_gc_pauses_seconds_bucket")
		if runtime.GOOS == "linux" {
			assert.Contains(t, body, "\nprocess_resident_memory_bytes ")
			assert.Contains(t, body, "\nprocess_open_fds ")
		}
	}
	status, body := ask(t, s, "GET", "/healthz")
	assert.Equal(t, 200, status)
	assert.Equal(t, "ok\n", body)
	_, body = ask(t, open(t, draining), "GET", "/healthz")
	assert.Equal(t, "draining\n", body)
	for path, want := range map[string]int{"/": 404, "/debug/pprof/": 404, "/metrics/x": 404} {
		status, _ := ask(t, s, "GET", path)
		assert.Equal(t, want, status, path)
	}
	status, _ = ask(t, s, "POST", "/metrics")
	assert.Equal(t, 405, status)
}

// TestForeignHosts: a page of another site, whose name was made to point here, gets no metrics. The
// operator's own name counts.
func TestForeignHosts(t *testing.T) {
	for at, want := range map[string]map[string]int{
		"127.0.0.1:0": {"127.0.0.1": 200, "localhost:9100": 200, "evil.example": 403, "192.0.2.1": 403},
		"localhost:0": {"localhost": 200, "LOCALHOST": 200, "evil.example": 403},
	} {
		s, err := Listen(at, "")
		require.NoError(t, err)
		for host, status := range want {
			for _, path := range []string{"/metrics", "/healthz", "/other"} {
				q := httptest.NewRequest(http.MethodGet, path, nil)
				q.Host = host
				q = q.WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, s.Addr()))
				w := httptest.NewRecorder()
				s.ours(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, q)
				assert.Equal(t, status, w.Code, "%s at %s", host, at)
			}
		}
		require.NoError(t, s.Close())
	}
}

// TestScrapeTimeout checks that the number of waiting requests is limited when the owner does not
// answer. Closing the server ends them.
func TestScrapeTimeout(t *testing.T) {
	s, err := Listen("127.0.0.1:0", "")
	require.NoError(t, err)
	answers := make(chan int, waiting+8)
	for range waiting + 8 {
		go func() {
			r, err := http.Get("http://" + s.Addr().String() + "/healthz")
			if err != nil {
				answers <- 0
				return
			}
			r.Body.Close()
			answers <- r.StatusCode
		}()
	}
	for range 8 {
		assert.Equal(t, 503, <-answers)
	}
	require.NoError(t, s.Close())
	for range waiting {
		assert.Contains(t, []int{0, 200, 503}, <-answers) // 503: the machine was busy for five seconds
	}
}

func TestAddress(t *testing.T) {
	for typed, want := range map[string]string{
		":9100": "127.0.0.1:9100", "0.0.0.0:9100": "0.0.0.0:9100", "localhost:0": "localhost:0", "[::1]:9": "[::1]:9", "[::]:9": "[::]:9",
	} {
		got, err := Address(typed)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, typed := range []string{"", "9100", "here", "a:b:c"} {
		_, err := Address(typed)
		assert.EqualError(t, err, "must be HOST:PORT, for example 127.0.0.1:9100", typed)
	}
}

func TestLabelsKeepTheFormat(t *testing.T) {
	assert.Equal(t, `a\"b\\c\nd�`, label("a\"b\\c\nd\xff"))
}

// TestIPv4Wildcard checks that an operator who names 0.0.0.0 opens no port of IPv6.
func TestIPv4Wildcard(t *testing.T) {
	s, err := Listen("0.0.0.0:0", "")
	require.NoError(t, err)
	assert.Contains(t, s.Addr().String(), "0.0.0.0:", "and not [::]")
	require.NoError(t, s.Close())
}
