package modnet

import (
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/sockets"
)

// dialed returns a connection 1 of the Network and its other side.
func dialed(t *testing.T) (*rig, *net.TCPConn) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	r := newRig(t)
	r.Connect(1, sockets.Target{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Allow: loopback})
	peer, err := l.AcceptTCP()
	require.NoError(t, err)
	t.Cleanup(func() { _ = peer.Close() })
	assert.Equal(t, sockets.Event{Kind: sockets.Connected, ID: 1, Address: l.Addr().String()}, r.next(1))
	assert.Zero(t, r.timers.fire(connectTime))
	return r, peer
}

// read reads n bytes of a peer.
func read(t *testing.T, peer net.Conn, n int) string {
	b := make([]byte, n)
	_, err := io.ReadFull(peer, b)
	require.NoError(t, err)
	return string(b)
}

// write writes from a goroutine of its own, because the other side may not read all of it.
func write(peer net.Conn, text string) { go func() { _, _ = io.WriteString(peer, text) }() }

func TestConnection(t *testing.T) {
	r, peer := dialed(t)
	r.Send(1, []byte("hello"))
	assert.Equal(t, "hello", read(t, peer, 5))
	assert.Equal(t, sockets.Event{Kind: sockets.Sent, ID: 1, N: 5}, r.next(1))
	write(peer, "answer")
	assert.Equal(t, "answer", r.text(1, 6))
	require.NoError(t, peer.Close())
	assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: 1}, r.next(1))
	r.Close(1, false)
	r.empty()
	assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: 1}}, r.Events())
}

// TestWindow checks that a connection reads only what the mod has room for.
func TestWindow(t *testing.T) {
	r, peer := dialed(t)
	sent := strings.Repeat("0123456789abcdef", 1<<16)
	write(peer, sent)
	credit := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.conns[1].credit
	}
	got := r.text(1, sockets.Window)
	assert.Zero(t, credit())
	assert.Len(t, got, sockets.Window)
	assert.Empty(t, r.seen)
	r.Credit(1, 100)
	got += r.text(1, 100)
	assert.Zero(t, credit())
	assert.Len(t, got, sockets.Window+100)
	r.Credit(1, len(sent))
	got += r.text(1, len(sent)-len(got))
	assert.Equal(t, sent, got)
}

// TestPeerThatDoesNotRead checks that a peer that reads nothing stops only its own connection.
func TestPeerThatDoesNotRead(t *testing.T) {
	r, _ := dialed(t)
	const most = 64 << 20 // more than the buffers of the system
	r.Send(1, make([]byte, most))
	write := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.conns[1].out == nil // it is being written
	}
	r.wait("nothing is written", write)
	r.Send(1, []byte("more"))
	r.Close(1, false)
	assert.Empty(t, r.Events(), "its socket is open")
	assert.Equal(t, 1, r.timers.fire(lingerTime))
	r.empty()
	assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: 1}}, r.Events())
}

// TestClosedConnectionSendsTheRest checks that everything that is queued arrives before the end.
func TestClosedConnectionSendsTheRest(t *testing.T) {
	r, peer := dialed(t)
	write(peer, strings.Repeat("unread", 1000))
	r.Send(1, make([]byte, sockets.MaxQueued))
	r.Close(1, false)
	all, err := io.ReadAll(peer)
	require.NoError(t, err, "no reset")
	assert.Len(t, all, sockets.MaxQueued)
	require.NoError(t, peer.Close())
	r.empty()
	assert.Zero(t, r.timers.fire(lingerTime))
	events := r.Events()
	require.Equal(t, sockets.Event{Kind: sockets.Closed, ID: 1}, events[len(events)-1])
	for _, e := range events[:len(events)-1] {
		assert.Contains(t, []sockets.Kind{sockets.Received, sockets.Sent}, e.Kind, "only what came before the end: %+v", e)
	}
}

// TestCloseBeforeTheConnectionIsOpen checks that queued text is sent although the mod has closed
// the connection before it was open.
func TestCloseBeforeTheConnectionIsOpen(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	r := newRig(t)
	r.Connect(2, sockets.Target{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, Allow: loopback})
	r.Send(2, []byte("last words"))
	r.Close(2, false)
	peer, err := l.AcceptTCP()
	require.NoError(t, err)
	all, err := io.ReadAll(peer)
	require.NoError(t, err)
	assert.Equal(t, "last words", string(all))
	require.NoError(t, peer.Close())
	r.empty()
}

// TestPeerThatStays checks that a closed connection ends although the peer does not close it.
func TestPeerThatStays(t *testing.T) {
	r, peer := dialed(t)
	r.Close(1, false)
	_, err := io.ReadAll(peer)
	require.NoError(t, err)
	assert.Equal(t, 1, r.timers.fire(lingerTime))
	r.empty()
}

// TestQuestionAndEnd checks that a peer that closes its side first still gets the answer.
func TestQuestionAndEnd(t *testing.T) {
	r, peer := dialed(t)
	write(peer, "question")
	assert.Equal(t, "question", r.text(1, 8))
	require.NoError(t, peer.CloseWrite())
	assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: 1}, r.next(1))
	r.Send(1, []byte("answer"))
	r.Close(1, false)
	all, err := io.ReadAll(peer)
	require.NoError(t, err)
	assert.Equal(t, "answer", string(all))
	r.empty()
}

func TestReset(t *testing.T) {
	r, peer := dialed(t)
	require.NoError(t, peer.SetLinger(0))
	require.NoError(t, peer.Close())
	e := r.next(1)
	assert.Equal(t, sockets.Ended, e.Kind)
	assert.Contains(t, e.Reason, "reset")
	assert.NotContains(t, e.Reason, "127.0.0.1")
	r.Send(1, []byte("x"))
	r.Close(1, false)
	r.empty()
}

// TestConnectionsAreChecked checks the address of a TCP connection, as for HTTP.
func TestConnectionsAreChecked(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	r := newRig(t)
	r.resolve(map[string][][]string{
		"here.test": {{"127.0.0.1"}}, "cloud.test": {{"169.254.169.254"}}, "both.test": {{"169.254.169.254", "127.0.0.1"}},
	})
	port := l.Addr().(*net.TCPAddr).Port
	for i, host := range []string{"here.test", "cloud.test", "127.0.0.1", "::ffff:127.0.0.1", "localhost"} {
		id := sockets.ID(i + 1)
		r.Connect(id, sockets.Target{Host: host, Port: port})
		e := r.next(id)
		assert.Equal(t, sockets.Ended, e.Kind)
		assert.Contains(t, e.Reason, "address: the operator can allow it with mod.networks", host)
	}
	r.Connect(9, sockets.Target{Host: "both.test", Port: port, Allow: loopback})
	assert.Equal(t, sockets.Event{Kind: sockets.Connected, ID: 9, Address: l.Addr().String()}, r.next(9), "the other address is not dialed")
}

// unresolved makes all names wait for their addresses until the test calls resolve. Then they have
// one address, that of this machine.
func (r *rig) unresolved() (resolve func()) {
	r.resolve(map[string][][]string{"here.test": {{"127.0.0.1"}}})
	answer, dial := make(chan struct{}), r.resolver.Dial
	r.resolver.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		<-answer
		return dial(ctx, network, address)
	}
	resolve = sync.OnceFunc(func() { close(answer) })
	r.t.Cleanup(resolve)
	return resolve
}

// TestConnectTime checks that an attempt without an answer ends.
func TestConnectTime(t *testing.T) {
	r := newRig(t)
	r.unresolved()
	r.Connect(1, sockets.Target{Host: "here.test", Port: 80})
	assert.Equal(t, 1, r.timers.fire(connectTime))
	assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: 1, Reason: "no answer in time"}, r.next(1))
	assert.Equal(t, sockets.Closed, r.next(1).Kind)
	r.empty()
	assert.Empty(t, append(r.seen, r.Events()...))
}

// TestClosedAttempt checks that an attempt to connect ends at once when the mod closes the
// connection, or when a reload retires it. A retired connection does not send what waits.
func TestClosedAttempt(t *testing.T) {
	for name, end := range map[string]func(r *rig){
		"closed":  func(r *rig) { r.Close(1, false) },
		"retired": func(r *rig) { r.Send(1, []byte("text")); r.Close(1, true) },
		"both": func(r *rig) {
			r.Send(1, []byte("text"))
			r.Close(1, false)
			assert.Equal(r.t, 1, r.timers.running(connectTime), "the text can still be sent")
			r.Close(1, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.unresolved()
			r.Connect(1, sockets.Target{Host: "here.test", Port: 80, Allow: loopback})
			end(r)
			require.Zero(t, r.timers.running(connectTime), "the attempt goes on")
			assert.Equal(t, sockets.Event{Kind: sockets.Closed, ID: 1}, r.next(1))
			r.empty()
		})
	}
}

// TestEndedWhileItOpens checks a connection that the mod has closed, or that a reload has retired,
// when the attempt to connect has succeeded and the Network does not know it yet: it ends without a
// byte and without a word to the mod.
func TestEndedWhileItOpens(t *testing.T) {
	for name, retired := range map[string]bool{"closed": false, "retired": true} {
		t.Run(name, func(t *testing.T) {
			l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
			require.NoError(t, err)
			defer func() { _ = l.Close() }()
			r := newRig(t)
			resolve := r.unresolved()
			r.Connect(1, sockets.Target{Host: "here.test", Port: l.Addr().(*net.TCPAddr).Port, Allow: loopback})
			if retired {
				r.Send(1, []byte("text"))
			}
			r.mu.Lock()
			resolve()
			peer, err := l.AcceptTCP()
			require.NoError(t, err)
			defer func() { _ = peer.Close() }()
			r.conns[1].finish(retired)
			r.mu.Unlock()
			all, err := io.ReadAll(peer)
			require.NoError(t, err)
			assert.Empty(t, all)
			require.Zero(t, r.timers.running(lingerTime), "it stays open")
			r.empty()
			assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: 1}}, r.Events())
		})
	}
}

// TestRetiredConnectionEndsAtOnce checks that a connection that a reload retires ends although its
// peer reads nothing and a write is under way, and that it sends no more of what waits.
func TestRetiredConnectionEndsAtOnce(t *testing.T) {
	r, peer := dialed(t)
	const most = 64 << 20 // more than the buffers of the system
	r.Send(1, make([]byte, most))
	r.wait("nothing is written", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.conns[1].out == nil
	})
	r.Send(1, []byte("more"))
	r.Close(1, true)
	require.Zero(t, r.timers.running(lingerTime), "it lingers")
	r.empty()
	assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: 1}}, r.Events())
	got, _ := io.Copy(io.Discard, peer)
	assert.Less(t, got, int64(most))
}

// TestShut checks that Shut ends everything and waits for it.
func TestShut(t *testing.T) {
	r, peer := dialed(t)
	r.Listen(2, netip.MustParseAddrPort("127.0.0.1:0"))
	at := r.next(2).Address
	other, err := net.Dial("tcp", at)
	require.NoError(t, err)
	defer func() { _ = other.Close() }()
	r.next(sockets.FirstAccepted)
	r.Send(1, make([]byte, 64<<20))
	r.HTTP(3, sockets.HTTPRequest{Method: "GET", URL: raw(t, "", func(c net.Conn) { _, _ = c.Read(make([]byte, 1)) }), Target: sockets.Target{Allow: loopback}})
	r.Shut()
	_, err = io.Copy(io.Discard, peer)
	_ = err // an end or a reset
	_, err = net.Dial("tcp", at)
	require.Error(t, err)
	r.Listen(4, netip.MustParseAddrPort("127.0.0.1:0"))
	assert.Empty(t, r.listeners[4])
	r.Shut()
}

// TestClosedBeforeItIsOpenEnds checks that a connection that was closed before it was open ends
// although its peer keeps its side open.
func TestClosedBeforeItIsOpenEnds(t *testing.T) {
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	r := newRig(t)
	r.resolve(map[string][][]string{"here.test": {{"127.0.0.1"}}})
	r.Connect(1, sockets.Target{Host: "here.test", Port: l.Addr().(*net.TCPAddr).Port, Allow: loopback})
	r.mu.Lock() // the mod closes it while its name is resolved
	c := r.conns[1]
	require.Nil(t, c.socket)
	c.out = []byte("last words")
	c.finish(false)
	r.mu.Unlock()
	peer, err := l.AcceptTCP()
	require.NoError(t, err)
	defer func() { _ = peer.Close() }()
	all, err := io.ReadAll(peer)
	require.NoError(t, err)
	assert.Equal(t, "last words", string(all))
	require.Equal(t, 1, r.timers.fire(lingerTime), "it does not linger")
	r.empty()
	assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: 1}}, append(r.seen, r.Events()...))
}

// TestNothingAfterClose checks that a mod gets neither data nor an end of a connection that it has
// closed.
func TestNothingAfterClose(t *testing.T) {
	for _, reset := range []bool{false, true} {
		r, peer := dialed(t)
		r.Close(1, false)
		_, err := peer.Write([]byte("late"))
		require.NoError(t, err)
		if reset {
			require.NoError(t, peer.SetLinger(0))
		}
		require.NoError(t, peer.Close())
		r.empty()
		r.Close(1, false)
		r.Send(1, []byte("x"))
		r.Credit(1, 1)
		assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: 1}}, append(r.seen, r.Events()...))
	}
}
