package web

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

func TestMain(m *testing.M) {
	testenv.Parallel(8)
	os.Exit(m.Run())
}

func open(t testing.TB, o Options) *Listener {
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	l, err := Listen(o)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// dial opens a WebSocket as a browser on the page of the server does.
func dial(t *testing.T, l *Listener) (*websocket.Conn, error) {
	url := "ws://" + l.Addr().String() + socketPath
	c, r, err := websocket.Dial(t.Context(), url, &websocket.DialOptions{
		Subprotocols: []string{subprotocol}, HTTPHeader: http.Header{"Origin": {"http://" + l.Addr().String()}},
	})
	if err != nil && r != nil {
		assert.Equal(t, http.StatusTooManyRequests, r.StatusCode)
	}
	return c, err
}

func mustDial(t *testing.T, l *Listener) *websocket.Conn {
	c, err := dial(t, l)
	require.NoError(t, err)
	t.Cleanup(func() { c.CloseNow() })
	return c
}

// next returns the next packet.
func next(t *testing.T, l *Listener) *udp.Packet {
	select {
	case p := <-l.Packets():
		return p
	case <-testenv.Limit(t):
		require.FailNow(t, "nothing arrived")
		return nil
	}
}

// peerAt returns the peer with an address.
func (s *peers) peerAt(at netcore.Addr) *peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byAddr[at]
}

// ended waits until the server has closed a connection, and returns the status.
func ended(t *testing.T, c *websocket.Conn) websocket.StatusCode {
	_, _, err := c.Read(t.Context())
	require.Error(t, err)
	return websocket.CloseStatus(err)
}

// TestDatagrams: messages are datagrams, in both directions.
func TestDatagrams(t *testing.T) {
	l := open(t, Options{})
	c := mustDial(t, l)
	for _, size := range []int{1, 200, netcore.MaxDatagram} {
		text := bytes.Repeat([]byte{byte(size)}, size)
		before := time.Now()
		require.NoError(t, c.Write(t.Context(), websocket.MessageBinary, text))
		p := next(t, l)
		assert.Equal(t, text, p.Bytes())
		assert.Equal(t, netip.MustParseAddr("127.0.0.1").As16(), p.From.IP)
		assert.Equal(t, netcore.AddrWeb, p.From.Kind)
		assert.WithinRange(t, p.At, before, time.Now())
		require.NoError(t, l.Write(p.From, text))
		p.Free()
		kind, back, err := c.Read(t.Context())
		require.NoError(t, err)
		assert.Equal(t, websocket.MessageBinary, kind)
		assert.Equal(t, text, back)
	}
	assert.NoError(t, l.Write(netcore.WebAddr(netip.MustParseAddr("192.0.2.1"), 1), []byte("x")), "a peer that has left loses packets")
}

// TestBadMessages: a message that is no datagram ends its connection, and reaches nobody.
func TestBadMessages(t *testing.T) {
	l := open(t, Options{})
	for _, row := range []struct {
		kind websocket.MessageType
		size int
		want websocket.StatusCode
	}{
		{websocket.MessageText, 10, websocket.StatusUnsupportedData},
		{websocket.MessageBinary, netcore.MaxDatagram + 1, websocket.StatusMessageTooBig},
		{websocket.MessageBinary, 1 << 20, websocket.StatusMessageTooBig},
		{websocket.MessageBinary, 0, websocket.StatusMessageTooBig},
	} {
		c := mustDial(t, l)
		_ = c.Write(t.Context(), row.kind, make([]byte, row.size)) // it fails when the server has closed
		if got := ended(t, c); got != -1 || row.size < 1<<20 {     // a reset can overtake the reason
			assert.Equal(t, row.want, got, "%+v", row)
		}
	}
	assert.Empty(t, l.Packets())
}

// TestEndlessMessage: a message of many frames costs no more than a datagram. A peer that reads the
// reason and does not answer is gone after a second.
func TestEndlessMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pipes{make(chan net.Conn, 1)}
		l := &Listener{peers: newPeers(), sockets: newSockets(p, nil)}
		g, err := newGate(netip.MustParseAddr("127.0.0.1"), false, nil)
		require.NoError(t, err)
		l.gate.Store(g)
		l.listener = l.sockets
		l.serve()
		defer func() { close(p.conns); _ = l.Close() }()
		c := p.connect(netip.MustParseAddr("127.0.0.1"))
		_, err = io.WriteString(c, "GET "+socketPath+" HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: "+subprotocol+"\r\n\r\n")
		require.NoError(t, err)
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusSwitchingProtocols, r.StatusCode)
		go func() { _, _ = io.Copy(io.Discard, c) }()
		began := time.Now()
		frame := make([]byte, 106)
		copy(frame, []byte{2, 0x80 | 100}) // the first of a binary message; the key of its mask is 0
		for n := 0; err == nil; n++ {
			require.Less(t, n, 10_000, "the server reads on")
			_, err = c.Write(frame)
			frame[0] = 0 // it goes on
			testenv.Pause()
		}
		assert.InDelta(t, endTime, time.Since(began), float64(100*time.Millisecond))
		assert.Empty(t, l.Packets())
	})
}

// TestRefusedRequests: a WebSocket of another site, and one without the subprotocol, is refused.
func TestRefusedRequests(t *testing.T) {
	l := open(t, Options{})
	own := "http://" + l.Addr().String()
	for _, row := range []struct {
		protocols []string
		origin    string
		want      int
	}{
		{[]string{subprotocol}, "https://evil.example", http.StatusForbidden},
		{[]string{subprotocol}, "", http.StatusForbidden},
		{[]string{"chat"}, own, http.StatusBadRequest},
		{nil, own, http.StatusBadRequest},
		{[]string{"chat", subprotocol}, own, http.StatusSwitchingProtocols},
	} {
		h := http.Header{}
		if row.origin != "" {
			h.Set("Origin", row.origin)
		}
		c, r, err := websocket.Dial(t.Context(), "ws://"+l.Addr().String()+socketPath, &websocket.DialOptions{Subprotocols: row.protocols, HTTPHeader: h})
		assert.Equal(t, row.want, r.StatusCode, "%+v", row)
		if err == nil {
			c.CloseNow()
		}
	}
	r, err := http.Get(own + socketPath)
	require.NoError(t, err)
	r.Body.Close()
	assert.Equal(t, http.StatusForbidden, r.StatusCode)
}

// get returns the answer to a request, with its body as it was sent.
func get(t *testing.T, method, url string, header http.Header) (*http.Response, string) {
	q, err := http.NewRequest(method, url, nil)
	require.NoError(t, err)
	q.Header = header
	q.Host = header.Get("Host")
	tr := &http.Transport{DisableCompression: true}
	defer tr.CloseIdleConnections()
	r, err := tr.RoundTrip(q)
	require.NoError(t, err)
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r, string(b)
}

// TestPageAnswers: what the server answers before and after the client is there.
func TestPageAnswers(t *testing.T) {
	l := open(t, Options{})
	own := "http://" + l.Addr().String()
	none := http.Header{}
	r, body := get(t, "GET", own+"/", none)
	assert.Equal(t, http.StatusServiceUnavailable, r.StatusCode)
	assert.Equal(t, "2", r.Header.Get("Refresh"))
	assert.Contains(t, body, "preparing the client")
	l.Missing("install <Go>")
	r, body = get(t, "GET", own+"/watch", none)
	assert.Empty(t, r.Header.Get("Refresh"))
	assert.Contains(t, body, "install &lt;Go&gt;")

	require.NoError(t, l.Publish(folder(site), folder(map[string]string{"vendor/three.js": threeJS, "vendor/three.js.br": "br"})))
	for _, at := range []string{"/", "/watch"} {
		r, _ = get(t, "GET", own+at, none)
		assert.Equal(t, http.StatusOK, r.StatusCode)
		assert.Equal(t, "no-cache", r.Header.Get("Cache-Control"))
		for name, value := range headers {
			assert.Equal(t, value, r.Header.Get(name))
		}
		assert.NotContains(t, r.Header.Get("Content-Security-Policy"), "unsafe-inline")
	}
	at := paths(t, l.state.Load().pages)["/assets/vendor/three.js"]
	for _, row := range []struct{ accept, form string }{{"gzip, deflate, br", "br"}, {"gzip", "gzip"}, {"", ""}} {
		r, body = get(t, "GET", own+at, http.Header{"Accept-Encoding": {row.accept}})
		assert.Equal(t, http.StatusOK, r.StatusCode)
		assert.Equal(t, row.form, r.Header.Get("Content-Encoding"))
		assert.Equal(t, "public, max-age=31536000, immutable", r.Header.Get("Cache-Control"))
		assert.Equal(t, "text/javascript; charset=utf-8", r.Header.Get("Content-Type"))
		assert.Equal(t, "Accept-Encoding", r.Header.Get("Vary"))
		assert.Equal(t, row.form == "", body == site["vendor/three.js"])
	}
	r, body = get(t, "HEAD", own+at, none)
	assert.Equal(t, http.StatusOK, r.StatusCode)
	assert.Empty(t, body)
	for _, row := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/assets/main.js", 404}, {"GET", "/main.js", 404}, {"GET", "/assets/", 404}, {"GET", "/assets/../www.go", 404},
		{"GET", "//", 404}, {"GET", "/vendor/LICENSE", 404}, {"POST", "/", 405}, {"PUT", at, 405},
	} {
		r, _ = get(t, row.method, own+row.path, none)
		assert.Equal(t, row.want, r.StatusCode, "%+v", row)
		assert.Equal(t, policy, r.Header.Get("Content-Security-Policy"))
	}
	require.NoError(t, l.Publish(folder(map[string]string{"index.html": "x", "c.wasm.gz": "gz"})))
	r, _ = get(t, "GET", own+paths(t, l.state.Load().pages)["/assets/c.wasm"], none)
	assert.Equal(t, http.StatusNotAcceptable, r.StatusCode)
}

// TestOnlyThePageOfAGameWithVoiceHasTheMicrophone checks the header of each page, while there is
// voice and while there is none, also when the browser has the page in its cache.
func TestOnlyThePageOfAGameWithVoiceHasTheMicrophone(t *testing.T) {
	l := open(t, Options{})
	require.NoError(t, l.Publish(folder(site)))
	own := "http://" + l.Addr().String()
	for _, on := range []bool{false, true, false} {
		l.SetVoice(on)
		for _, path := range []string{"/", "/watch", "/net", "/none", paths(t, l.state.Load().pages)["/assets/main.js"]} {
			want := "camera=(), geolocation=(), payment=(), usb=(), microphone=()"
			if on && path == "/" {
				want = "camera=(), geolocation=(), payment=(), usb=(), microphone=(self)"
			}
			r, _ := get(t, "GET", own+path, http.Header{})
			assert.Equal(t, []string{want}, r.Header["Permissions-Policy"], path)
			known, _ := get(t, "GET", own+path, http.Header{"If-None-Match": {r.Header.Get("ETag")}})
			assert.Equal(t, []string{want}, known.Header["Permissions-Policy"], path)
		}
	}
}

// TestDownloadsResume: a browser gets the rest of a file whose beginning it has, in the same form.
// It gets the whole file if its beginning is of another file or form.
func TestDownloadsResume(t *testing.T) {
	l := open(t, Options{})
	text := strings.Repeat("0123456789 and more, ", 1000)
	require.NoError(t, l.Publish(folder(map[string]string{"index.html": "x", "c.wasm": text})))
	at := "http://" + l.Addr().String() + paths(t, l.state.Load().pages)["/assets/c.wasm"]
	for _, form := range []string{"identity", "gzip"} {
		whole, all := get(t, "GET", at, http.Header{"Accept-Encoding": {form}})
		tag := whole.Header.Get("ETag")
		assert.Regexp(t, `^"[0-9a-f]{16}-`+strconv.Itoa(len(all)), tag)
		assert.Equal(t, "bytes", whole.Header.Get("Accept-Ranges"))
		assert.EqualValues(t, len(all), whole.ContentLength)

		rest, b := get(t, "GET", at, http.Header{"Accept-Encoding": {form}, "Range": {"bytes=40-"}, "If-Range": {tag}})
		assert.Equal(t, http.StatusPartialContent, rest.StatusCode)
		assert.Equal(t, whole.Header.Get("Content-Encoding"), rest.Header.Get("Content-Encoding"))
		assert.EqualValues(t, len(b), rest.ContentLength)
		assert.Equal(t, all[40:], b)

		other, b := get(t, "GET", at, http.Header{"Accept-Encoding": {form}, "Range": {"bytes=40-"}, "If-Range": {`"other"`}})
		assert.Equal(t, http.StatusOK, other.StatusCode)
		assert.Equal(t, all, b)
		known, _ := get(t, "GET", at, http.Header{"Accept-Encoding": {form}, "If-None-Match": {tag}})
		assert.Equal(t, http.StatusNotModified, known.StatusCode)
		beyond, _ := get(t, "GET", at, http.Header{"Accept-Encoding": {form}, "Range": {"bytes=9999999-"}})
		assert.Equal(t, http.StatusRequestedRangeNotSatisfiable, beyond.StatusCode)
	}
}

// TestLargeHeaders: a request of endless headers is refused.
func TestLargeHeaders(t *testing.T) {
	l := open(t, Options{})
	c, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+l.Addr().String()+"\r\nX: "+strings.Repeat("x", maxHeader+8<<10)+"\r\n\r\n")
	answer := make([]byte, 12)
	_, err = io.ReadFull(c, answer)
	require.NoError(t, err)
	assert.Equal(t, "HTTP/1.1 431", string(answer))
}

// TestSilentWebSockets: an address has 8 WebSockets without a game. Those in a game do not count.
func TestSilentWebSockets(t *testing.T) {
	l := open(t, Options{})
	var all []*websocket.Conn
	for range silentPerAddress {
		all = append(all, mustDial(t, l))
	}
	_, err := dial(t, l)
	require.Error(t, err)
	require.NoError(t, all[0].Write(t.Context(), websocket.MessageBinary, []byte("x")))
	in := next(t, l).From
	live := func() { l.Sweep(slices.Values([]netcore.Addr{in})) }
	live()
	mustDial(t, l)
	_, err = dial(t, l)
	require.Error(t, err)

	// Without a game they are closed. A peer in the game stays, and becomes silent when the game
	// ends.
	for range maxSweeps {
		live()
	}
	for _, c := range all[1:] {
		assert.EqualValues(t, -1, ended(t, c))
	}
	require.NoError(t, l.Write(in, []byte("y")))
	_, b, err := all[0].Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "y", string(b))
	for range maxSweeps + 1 {
		l.Sweep(slices.Values([]netcore.Addr(nil)))
	}
	ended(t, all[0])
	assert.Empty(t, l.byAddr)
	assert.Empty(t, l.silent)
	assert.Empty(t, l.counts)
}

// TestSilentReplaceTheOldest: silent WebSockets of many addresses without progress for 5 s make
// room.
func TestSilentReplaceTheOldest(t *testing.T) {
	s := newPeers()
	ip := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}) }
	var first *peer
	for i := range 2 * maxSilent {
		if i == maxSilent {
			_, ok := s.reserve(ip(i), false)
			require.False(t, ok, "all are new")
			for range maxStill {
				s.Sweep(nobody)
			}
		}
		p, ok := s.reserve(ip(i), false)
		require.True(t, ok)
		if i == 0 {
			first = p
		}
		require.LessOrEqual(t, len(s.byAddr), maxSilent)
	}
	assert.NotContains(t, s.byAddr, first.addr)
	s.run(first, &socketLine{conn: nilConn(t)}) // it came too late

	// An IPv6 /64 is one address, a /48 has four times as much.
	s = newPeers()
	n := 0
	for i := range 256 {
		if _, ok := s.reserve(netip.AddrFrom16([16]byte{0x20, 1, 7: byte(i % 64), 15: byte(i)}), false); ok {
			n++
		}
	}
	assert.Equal(t, 4*silentPerAddress, n)
}

// nilConn returns a WebSocket for a peer that was dropped before its handshake ended.
func nilConn(t *testing.T) *websocket.Conn { return mustDial(t, open(t, Options{})) }

// TestSockets: connections that send nothing keep out nobody, and an address has 32.
func TestSockets(t *testing.T) {
	s := newSockets(nil, nil)
	var first net.Conn
	for i := range 2 * maxSockets {
		a, b := net.Pipe()
		if i == 0 {
			first = b
		}
		require.NotNil(t, s.admit(time.Now(), a, netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)})))
		require.LessOrEqual(t, len(s.open), maxSockets)
	}
	_, err := first.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)

	s = newSockets(nil, proxies{netip.MustParsePrefix("10.0.0.0/8")})
	from := netip.MustParseAddr("192.0.2.1")
	a, _ := net.Pipe()
	var all []*socket
	for range socketsPerAddress {
		all = append(all, s.admit(time.Now(), a, from))
	}
	assert.Nil(t, s.admit(time.Now(), a, from))
	assert.NotNil(t, s.admit(time.Now(), a, netip.MustParseAddr("10.0.0.1")))
	all[0].upgraded()
	again := s.admit(time.Now(), a, from)
	require.NotNil(t, again, "a WebSocket does not count here")
	require.NoError(t, again.Close())
	require.NoError(t, all[0].Close())
	assert.NotNil(t, s.admit(time.Now(), a, from))
	assert.Nil(t, s.admit(time.Now(), a, from))
}

// TestSocketsOfOneAddress: the limit holds for real connections.
func TestSocketsOfOneAddress(t *testing.T) {
	l := open(t, Options{})
	var all []net.Conn
	for range socketsPerAddress + 1 {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		all = append(all, c)
	}
	_, err := all[socketsPerAddress].Read(make([]byte, 1))
	assert.Error(t, err, "the last one is closed")
	_, _ = io.WriteString(all[0], "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	_, err = all[0].Read(make([]byte, 1))
	assert.NoError(t, err)
}

// TestFullLine: a peer that does not read costs bounded memory. Its packets are lost and counted.
func TestFullLine(t *testing.T) {
	l := open(t, Options{})
	c := mustDial(t, l)
	require.NoError(t, c.Write(t.Context(), websocket.MessageBinary, []byte("x")))
	from := next(t, l).From
	text := make([]byte, netcore.MaxDatagram)
	for n := 0; l.Lost() < 1000; n++ {
		require.Less(t, n, 1_000_000)
		require.NoError(t, l.Write(from, text))
		runtime.Gosched()
	}
	out := &l.peerAt(from).out
	out.mu.Lock()
	defer out.mu.Unlock()
	assert.LessOrEqual(t, out.n, burst)
}

// TestOutbox: a burst fits. While the line is full, one packet waits and the next ones are lost.
func TestOutbox(t *testing.T) {
	var s peers
	o := outbox{wake: make(chan struct{}, 1), lost: &s.lost}
	at := time.Now()
	put := func(after time.Duration) { o.put(udp.NewPacket(netcore.Addr{}, at.Add(after), []byte("x"))) }
	for range burst + 2 {
		put(0)
	}
	assert.EqualValues(t, 2, s.Lost())
	for range burst {
		p, more := o.take()
		require.NotNil(t, p)
		assert.True(t, more)
	}
	put(0)
	put(standTime)
	assert.EqualValues(t, 2, s.Lost())
	put(standTime + 1)
	assert.EqualValues(t, 3, s.Lost())
	o.take()
	put(standTime + 1)
	o.close()
	put(standTime + 1)
	assert.EqualValues(t, 4, s.Lost(), "a closed one takes nothing")
	for range 2 {
		p, _ := o.take()
		assert.NotNil(t, p, "what was in it leaves")
	}
	p, more := o.take()
	assert.Nil(t, p)
	assert.False(t, more)
}

// empty waits until all packets are taken, or the outbox is closed. It uses no timer.
func (o *outbox) empty() {
	for waiting := true; waiting; runtime.Gosched() {
		o.mu.Lock()
		waiting = o.n > 0 && !o.closed
		o.mu.Unlock()
	}
}

// TestPace: a peer is read at 250 messages per second.
func TestPace(t *testing.T) {
	p := pace{limit: rate.Limit{PerSecond: messageRate, Burst: messageBurst}}
	at := time.Now()
	for range messageBurst {
		assert.Zero(t, p.next(at))
	}
	wait := p.next(at)
	assert.Equal(t, time.Second/messageRate, wait)
	assert.Equal(t, time.Second/messageRate, p.next(at.Add(wait)))
	for range messageBurst {
		assert.Zero(t, p.next(at.Add(time.Hour)))
	}
	assert.NotZero(t, p.next(at.Add(time.Hour)))
}

// TestPaceOfPeers: messages, pings and pongs take their turn.
func TestPaceOfPeers(t *testing.T) {
	l := open(t, Options{})
	c := mustDial(t, l)
	require.NoError(t, c.Write(t.Context(), websocket.MessageBinary, []byte("x")))
	p := l.peerAt(next(t, l).From)
	assert.False(t, p.pace.bucket.Has(0, p.pace.limit, messageBurst))
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _, _ = c.Read(context.Background()) // it gets the pongs, and answers the pings
	}()
	at := p.pace.at
	require.NoError(t, c.Ping(t.Context()))
	pinged := p.pace.at
	assert.True(t, pinged.After(at))
	require.NoError(t, p.line.(*socketLine).conn.Ping(t.Context()))
	assert.True(t, p.pace.at.After(pinged))
	c.CloseNow()
	<-read
}

// TestSteadyStateAllocatesNothing covers a packet in each direction.
func TestSteadyStateAllocatesNothing(t *testing.T) {
	l := open(t, Options{})
	c := mustDial(t, l)
	text := make([]byte, 200)
	require.NoError(t, c.Write(t.Context(), websocket.MessageBinary, text))
	from := next(t, l).From
	server := l.peerAt(from)
	assert.Less(t, testing.AllocsPerRun(200, func() {
		_ = l.Write(from, text)
		server.out.empty()
	}), 1.0)
}

// TestClose: the last packet of a peer leaves, and nothing stays behind.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	l := open(t, Options{})
	c := mustDial(t, l)
	idle, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer idle.Close()
	require.NoError(t, c.Write(t.Context(), websocket.MessageBinary, []byte("x")))
	from := next(t, l).From
	require.NoError(t, l.Write(from, []byte("bye")))
	require.NoError(t, l.Close())
	_, b, err := c.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "bye", string(b))
	ended(t, c)
	_, err = idle.Read(make([]byte, 1))
	assert.Error(t, err)
	_, err = net.Dial("tcp", l.Addr().String())
	assert.Error(t, err)
	for limit := testenv.Limit(t); runtime.NumGoroutine() > before; testenv.Pause() {
		select {
		case <-limit:
			require.FailNow(t, "goroutines stay behind")
		default:
		}
	}
	_, ok := l.reserve(netip.MustParseAddr("192.0.2.1"), false)
	assert.False(t, ok)
}

// writeCertificate writes a certificate for 127.0.0.1, and returns the files.
func writeCertificate(t *testing.T, folder string, serial int64, at time.Time) (cert, key string) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalECPrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}), 0o600))
	require.NoError(t, os.Chtimes(cert, at, at))
	return cert, key
}

// TestTLS: a page and a WebSocket over TLS, and a renewed certificate without a restart.
func TestTLS(t *testing.T) {
	folder := t.TempDir()
	at := time.Now().Add(-time.Hour)
	cert, key := writeCertificate(t, folder, 1, at)
	l := open(t, Options{Cert: cert, Key: key})
	assert.Equal(t, "https", l.Scheme())
	serial := func() int64 {
		c, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{InsecureSkipVerify: true})
		require.NoError(t, err)
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	assert.EqualValues(t, 1, serial())
	require.NoError(t, os.WriteFile(cert, []byte("half a file"), 0o600))
	assert.EqualValues(t, 1, serial(), "an invalid file changes nothing")
	writeCertificate(t, folder, 2, at.Add(time.Minute))
	assert.EqualValues(t, 2, serial())

	tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer tr.CloseIdleConnections()
	c, _, err := websocket.Dial(t.Context(), "wss://"+l.Addr().String()+socketPath, &websocket.DialOptions{
		Subprotocols: []string{subprotocol}, HTTPClient: &http.Client{Transport: tr}, HTTPHeader: http.Header{"Origin": {"https://" + l.Addr().String()}},
	})
	require.NoError(t, err)
	defer c.CloseNow()
	require.NoError(t, c.Write(context.Background(), websocket.MessageBinary, []byte("x")))
	next(t, l).Free()
	_, err = Listen(Options{Address: "127.0.0.1:0", Cert: filepath.Join(folder, "none.pem"), Key: key})
	assert.ErrorContains(t, err, "none.pem")
}

// TestBadOptions: each error names what is wrong.
func TestBadOptions(t *testing.T) {
	taken := open(t, Options{}).Addr().String()
	for want, o := range map[string]Options{
		"proxy.example": {Address: "127.0.0.1:0", Proxies: []string{"proxy.example"}},
		"example.org":   {Address: "127.0.0.1:0", Origins: []string{"example.org"}},
		taken:           {Address: taken},
	} {
		_, err := Listen(o)
		assert.ErrorContains(t, err, want)
	}
}
