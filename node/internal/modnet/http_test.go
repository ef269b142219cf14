package modnet

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/sockets"
)

// serve starts an HTTP server on loopback.
func serve(t *testing.T, handle http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(handle)
	t.Cleanup(s.Close)
	return s
}

// raw starts a server that sends bytes to every connection, and then end.
func raw(t *testing.T, send string, end func(net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = c.Close() }()
				_, _ = c.Read(make([]byte, 4096)) // the request
				if _, err := io.WriteString(c, send); err == nil && end != nil {
					end(c)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestHTTP(t *testing.T) {
	var got *http.Request
	var body []byte
	s := serve(t, func(w http.ResponseWriter, q *http.Request) {
		got = q
		body, _ = io.ReadAll(q.Body)
		w.Header()["Date"] = nil
		w.Header().Add("X-Many", "1")
		w.Header().Add("X-Many", "2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "hello")
	})
	r := newRig(t)
	e := r.ask(sockets.HTTPRequest{Method: "POST", URL: s.URL + "/a?b=c", Body: []byte("body"), Header: []sockets.Field{{Name: "X-A", Value: "b"}}})
	assert.Equal(t, sockets.Event{
		Kind: sockets.Responded, ID: 1, Status: 418, Data: []byte("hello"),
		Header: []sockets.Field{{Name: "content-length", Value: "5"}, {Name: "content-type", Value: "text/plain; charset=utf-8"}, {Name: "x-many", Value: "1, 2"}},
	}, e)
	assert.Equal(t, "POST /a?b=c body", got.Method+" "+got.URL.String()+" "+string(body))
	assert.Equal(t, http.Header{"User-Agent": {"torc"}, "Content-Type": {"text/plain; charset=utf-8"}, "Content-Length": {"4"}, "X-A": {"b"}, "Connection": {"close"}}, got.Header)
	r.empty()
}

// TestCertificates checks that only a certificate that the machine trusts will do.
func TestCertificates(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	r := newRig(t)
	e := r.get(s.URL)
	assert.Equal(t, sockets.Ended, e.Kind)
	assert.Contains(t, e.Reason, "certificate")
	r.trust(s.Certificate())
	assert.Equal(t, 200, r.get(s.URL).Status)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	r.resolve(map[string][][]string{"other.test": {{"127.0.0.1"}}})
	assert.Contains(t, r.get("https://other.test:"+port).Reason, "certificate is valid for", "it is not the certificate of this name")
}

// TestAddressesAreChecked checks that a name that resolves to an address of this machine or of a
// private network is refused when it is dialed, also if another question had a public answer.
func TestAddressesAreChecked(t *testing.T) {
	asked := atomic.Int32{}
	s := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	r := newRig(t)
	names := map[string][][]string{"none.test": {{}}, "rebind.test": {{"127.0.0.1"}, {"169.254.169.254"}}}
	for i, address := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "fe80::1"} {
		names[fmt.Sprintf("n%d.test", i)] = [][]string{{address}}
	}
	r.resolve(names)
	for _, name := range append(slices.Sorted(maps.Keys(names)), "rebind.test") {
		q := sockets.HTTPRequest{Method: "GET", URL: "http://" + name + ":" + port, Target: sockets.Target{Host: name}}
		q.Allow = []netip.Prefix{}
		e := r.ask(q)
		assert.Equal(t, sockets.Ended, e.Kind, name)
		if name == "none.test" {
			assert.Equal(t, "no address found for none.test", e.Reason)
			continue
		}
		assert.Regexp(t, "^"+name+" is .*, an? .* address: the operator can allow it with mod.networks$", e.Reason)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "[::]"} {
		q := sockets.HTTPRequest{Method: "GET", URL: "http://" + host + ":" + port, Target: sockets.Target{Host: host}}
		q.Allow = []netip.Prefix{}
		assert.Contains(t, r.ask(q).Reason, "address: the operator can allow it", host)
	}
	assert.Zero(t, asked.Load())
	assert.Equal(t, 200, r.ask(sockets.HTTPRequest{Method: "GET", URL: "http://n0.test:" + port}).Status, "the operator has listed loopback")
	assert.Equal(t, int32(1), asked.Load())
}

// TestRedirects checks that a redirect stays on its host, and that there are at most five.
func TestRedirects(t *testing.T) {
	other := atomic.Int32{}
	trap := serve(t, func(http.ResponseWriter, *http.Request) { other.Add(1) })
	hops := 0
	s := serve(t, func(w http.ResponseWriter, q *http.Request) {
		if to := q.URL.Query().Get("to"); to != "" {
			http.Redirect(w, q, to, http.StatusTemporaryRedirect)
			return
		}
		if n, _ := strconv.Atoi(q.URL.Query().Get("n")); n > 0 {
			hops++
			http.Redirect(w, q, fmt.Sprintf("/?n=%d", n-1), http.StatusFound)
		}
	})
	r := newRig(t)
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	r.resolve(map[string][][]string{"public.test": {{"127.0.0.1"}}})
	assert.Equal(t, 200, r.get(s.URL+"/?n=5").Status)
	hops = 0
	assert.Equal(t, "the server redirects more than 5 times", r.get(s.URL+"/?n=1000").Reason)
	assert.Equal(t, 6, hops)
	for _, to := range []string{trap.URL, "http://localhost:" + port, "https://127.0.0.1:" + port, "http://127.0.0.1:1/", "//public.test/", "ftp://127.0.0.1/", "file:///etc/passwd", "http://169.254.169.254/latest"} {
		e := r.get(s.URL + "/?to=" + url.QueryEscape(to))
		assert.Equal(t, sockets.Ended, e.Kind, to)
		assert.Contains(t, e.Reason, "the server redirects to ", to)
	}
	e := r.get("http://public.test:" + port + "/?to=" + url.QueryEscape(trap.URL))
	assert.Contains(t, e.Reason, "the server redirects to http://127.0.0.1", "from a name to the address of this machine")
	assert.Zero(t, other.Load())
	assert.Equal(t, 200, r.get(s.URL+"/?to="+url.QueryEscape(s.URL+"/x")).Status)
}

// TestBodies checks the bound of a body, whatever its length is said to be.
func TestBodies(t *testing.T) {
	forever := func(c net.Conn) {
		for chunk := strings.Repeat("x", 4096); ; {
			if _, err := io.WriteString(c, chunk); err != nil {
				return
			}
		}
	}
	chunks := func(c net.Conn) {
		for chunk := "1000\r\n" + strings.Repeat("x", 4096) + "\r\n"; ; {
			if _, err := io.WriteString(c, chunk); err != nil {
				return
			}
		}
	}
	const head = "HTTP/1.1 200 OK\r\n"
	for _, c := range []struct {
		name, send string
		end        func(net.Conn)
		want       string
	}{
		{"as long as allowed", head + "\r\n" + strings.Repeat("x", sockets.MaxBody), nil, ""},
		{"one byte more", head + "\r\n" + strings.Repeat("x", sockets.MaxBody+1), nil, "the response is longer than 1048576 bytes"},
		{"endless", head + "\r\n", forever, "the response is longer than 1048576 bytes"},
		{"endless in chunks", head + "Transfer-Encoding: chunked\r\n\r\n", chunks, "the response is longer than 1048576 bytes"},
		{"more than announced", head + "Content-Length: 2\r\n\r\nab", forever, ""},
		{"announced as too long", head + "Content-Length: 99999999999\r\n\r\n", forever, "the response is longer than 1048576 bytes"},
		{"less than announced", head + "Content-Length: 20\r\n\r\nab", nil, "unexpected EOF"},
		{"two lengths", head + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc", nil, "Content-Length"},
		{"endless header", head + "X-A: ", forever, "server response headers exceeded"},
		{"many fields", head + strings.Repeat("X-A: b\r\n", 20_000) + "\r\n", nil, "server response headers exceeded"},
		{"endless early responses", strings.Repeat("HTTP/1.1 103 Early Hints\r\nX-A: "+strings.Repeat("b", 4000)+"\r\n\r\n", 100), nil, "server response headers exceeded"},
		{"no HTTP", "SSH-2.0-server\r\n", nil, "malformed HTTP response"},
		{"nothing", "", nil, "EOF"},
		{"a new protocol", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n", forever, "the response is longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			e := r.get(raw(t, c.send, c.end))
			if c.want == "" {
				assert.Equal(t, sockets.Responded, e.Kind, e.Reason)
				return
			}
			assert.Equal(t, sockets.Ended, e.Kind)
			assert.Contains(t, e.Reason, c.want)
			assert.Less(t, len(e.Reason), 400)
			r.empty()
		})
	}
}

// TestCompressedBody checks that nothing is unpacked, so a small response stays small.
func TestCompressedBody(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 8<<20))
	require.NoError(t, z.Close())
	encodings := ""
	s := serve(t, func(w http.ResponseWriter, q *http.Request) {
		encodings = q.Header.Get("Accept-Encoding")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(packed.Bytes())
	})
	r := newRig(t)
	assert.Equal(t, packed.Bytes(), r.get(s.URL).Data)
	assert.Empty(t, encodings)
}

// TestRequestTime checks that a server that does not answer, or not to the end, costs a request its
// time and nothing more.
func TestRequestTime(t *testing.T) {
	for _, send := range []string{"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"} {
		there := make(chan struct{})
		r := newRig(t)
		at := raw(t, send, func(c net.Conn) {
			close(there)
			_, _ = c.Read(make([]byte, 1)) // until the other side ends
		})
		r.HTTP(1, sockets.HTTPRequest{Method: "GET", URL: at + "/?token=secret", Most: 100, Target: sockets.Target{Allow: loopback}})
		<-there
		assert.Equal(t, 1, r.timers.fire(requestTime))
		assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: 1, Reason: "no answer in time"}, r.next(1))
		r.empty()
	}
}

// TestCancelledRequest checks that a cancelled request ends at once and tells nobody.
func TestCancelledRequest(t *testing.T) {
	there, gone := make(chan struct{}), make(chan struct{})
	r := newRig(t)
	at := raw(t, "", func(c net.Conn) {
		close(there)
		_, _ = c.Read(make([]byte, 1))
		close(gone)
	})
	r.HTTP(1, sockets.HTTPRequest{Method: "GET", URL: at, Most: 100, Target: sockets.Target{Allow: loopback}})
	<-there
	r.Close(1, true)
	<-gone
	r.empty()
	assert.Empty(t, r.Events())
	assert.Zero(t, r.timers.fire(requestTime))
}

// TestNoProxy checks that the environment cannot send requests elsewhere.
func TestNoProxy(t *testing.T) {
	trapped := atomic.Int32{}
	trap := serve(t, func(http.ResponseWriter, *http.Request) { trapped.Add(1) })
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, trap.URL)
	}
	r := newRig(t)
	r.resolve(map[string][][]string{"public.test": {{"127.0.0.1"}}})
	assert.Equal(t, 200, r.get("http://public.test:"+port).Status)
	assert.Zero(t, trapped.Load())
}

// TestReasons checks that the reason of a failure holds nothing of the URL.
func TestReasons(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at := closed.Addr().String()
	require.NoError(t, closed.Close())
	r := newRig(t)
	r.resolve(nil)
	for _, host := range []string{at, "nobody.test:80"} {
		e := r.get("http://" + host + "/?token=secret")
		assert.Equal(t, sockets.Ended, e.Kind)
		assert.NotEmpty(t, e.Reason)
		assert.NotContains(t, e.Reason, "secret")
	}
}
