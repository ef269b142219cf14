package web

import (
	"fmt"
	"iter"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pion/dtls/v3/pkg/crypto/selfsign"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

// nobody is a game without connections.
var nobody iter.Seq[netcore.Addr] = slices.Values([]netcore.Addr(nil))

// TestMovedPeersCountOnce: an offer comes from one address, and the packets of the browser from
// another one. From then on the peer counts there only, in and out of the game.
func TestMovedPeersCountOnce(t *testing.T) {
	s := newPeers()
	office, phone := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1")
	fill := func(ip netip.Addr) (all []*peer) {
		for p, ok := s.reserve(ip, false); ok; p, ok = s.reserve(ip, false) {
			all = append(all, p)
		}
		return all
	}
	p, ok := s.reserve(office, false)
	require.True(t, ok)
	before := p.addr
	require.True(t, s.move(p, phone))
	assert.Equal(t, phone, netip.AddrFrom16(p.addr.IP).Unmap())
	assert.NotContains(t, s.byAddr, before)
	assert.Same(t, p, s.byAddr[p.addr])
	others := fill(office)
	assert.Len(t, others, silentPerAddress, "the office has all its places")
	more := fill(phone)
	assert.Len(t, more, silentPerAddress-1)
	assert.False(t, s.move(others[0], phone), "the phone has as many as it can have")
	stays := others[0].addr
	assert.True(t, s.move(others[0], office))
	assert.Equal(t, stays, others[0].addr)
	assert.Empty(t, fill(office), "it still counts at the office")

	s.Sweep(slices.Values([]netcore.Addr{p.addr}))
	inGame := fill(phone)
	assert.Len(t, inGame, 1, "a player does not count")
	s.drop(inGame[0])
	s.Sweep(nobody)
	assert.Empty(t, fill(phone), "without a game the peer counts again")
	s.drop(p)
	assert.False(t, s.move(p, office), "it was dropped")
	for _, other := range append(others, more...) {
		s.drop(other)
	}
	assert.Empty(t, s.byAddr)
	assert.Empty(t, s.silent)
	assert.Empty(t, s.counts)
}

// quiet is a line on which nothing arrives.
type quiet struct {
	over         chan struct{}
	ends, closes atomic.Int32
}

func newQuiet() *quiet { return &quiet{over: make(chan struct{})} }

func (q *quiet) read() (*udp.Packet, error) { <-q.over; return nil, errFailed }
func (q *quiet) write([]byte) error         { return nil }
func (q *quiet) close()                     { q.closes.Add(1) }
func (q *quiet) end() {
	if q.ends.Add(1) == 1 {
		close(q.over)
	}
}

// TestDroppedWhileOpening: a peer that is dropped before it has its line closes the line and reads
// nothing of it. One that is dropped later ends its line, once.
func TestDroppedWhileOpening(t *testing.T) {
	s := newPeers()
	early, ok := s.reserve(netip.MustParseAddr("192.0.2.1"), false)
	require.True(t, ok)
	for range maxOpening + 1 {
		s.Sweep(nobody)
	}
	require.Empty(t, s.byAddr)
	line := newQuiet()
	s.run(early, line)
	assert.EqualValues(t, 1, line.closes.Load())
	s.release(early)

	late, ok := s.reserve(netip.MustParseAddr("192.0.2.1"), false)
	require.True(t, ok)
	line = newQuiet()
	require.True(t, s.attach(late, line))
	s.opened(late)
	for range maxSweeps {
		s.Sweep(nobody)
	}
	assert.Zero(t, line.ends.Load(), "an open line has time to join")
	s.Sweep(nobody)
	assert.EqualValues(t, 1, line.ends.Load())
	s.run(late, line)
	s.release(late)
	s.close()
	assert.EqualValues(t, 1, line.ends.Load())
	assert.EqualValues(t, 1, line.closes.Load())
}

// TestBothLinesOfABrowser: a browser that gives up WebRTC opens a WebSocket. The end of the first
// line leaves the second one alone.
func TestBothLinesOfABrowser(t *testing.T) {
	l, _ := openRTC(t)
	half := newBrowser(t)
	status, _ := post(t, l, half.offer(t), "http://"+l.Addr().String())
	require.Equal(t, http.StatusOK, status)
	c := mustDial(t, l)
	require.Equal(t, 2, l.Open())
	require.NoError(t, c.Write(t.Context(), 2, []byte("x")))
	from := next(t, l).From
	for range maxOpening + 1 {
		l.Sweep(slices.Values([]netcore.Addr{from}))
	}
	for limit := testenv.Limit(t); l.rtc.port.size() > 0; testenv.Pause() {
		require.False(t, testenv.Expired(limit), "the line that never opened stays")
	}
	assert.Equal(t, 1, l.Open())
	assert.Empty(t, l.silent)
	require.NoError(t, l.Write(from, []byte("y")))
	_, b, err := c.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "y", string(b))
}

// TestOpenRTCLineHasTime: a browser with an open line has 30 sweeps to join, not 10.
func TestOpenRTCLineHasTime(t *testing.T) {
	t.Parallel() // at its end the browser acknowledges after 200 ms
	l, _ := openRTC(t)
	b := newBrowser(t)
	b.call(t, l)
	require.NoError(t, b.channel.Send([]byte("x"))) // the server can notice later that the line is open
	next(t, l).Free()
	for range maxSweeps {
		l.Sweep(nobody)
	}
	assert.Equal(t, 1, l.Open())
	l.Sweep(nobody)
	gone(t, l)
}

// TestBrowserChangesItsAddress: a browser whose address changes again and again in a game keeps its
// line, its place and its address in the game. Packets reach its newest address.
func TestBrowserChangesItsAddress(t *testing.T) {
	l, _ := openRTC(t)
	certificate, err := selfsign.GenerateSelfSigned()
	require.NoError(t, err)
	a := associate(t, l, &certificate)
	l.mu.Lock()
	in := slices.Collect(func(yield func(netcore.Addr) bool) {
		for at := range l.byAddr {
			yield(at)
		}
	})
	l.mu.Unlock()
	require.Len(t, in, 1)
	heard := make(chan string, 100)
	go func() {
		for b := make([]byte, 2000); ; {
			n, err := a.channel.Read(b)
			if err != nil {
				return
			}
			heard <- string(b[:n])
		}
	}()
	for n := range maxPaths + 2 {
		l.Sweep(slices.Values(in))
		a.roams(t)
		a.says(t, l, fmt.Sprint("here ", n))
		require.NoError(t, l.Write(in[0], fmt.Append(nil, "there ", n)))
		select {
		case text := <-heard:
			assert.Equal(t, fmt.Sprint("there ", n), text)
		case <-testenv.Limit(t):
			require.FailNow(t, "nothing arrives at the new address")
		}
	}
	assert.Equal(t, 1, l.Open())
	assert.Empty(t, l.silent)
	a.close()
	gone(t, l)
}
