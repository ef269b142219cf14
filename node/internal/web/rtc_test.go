package web

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

// openRTC opens a server with a UDP port on the loopback.
func openRTC(t testing.TB) (*Listener, *udp.Socket) {
	socket, err := udp.Listen("127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	return open(t, Options{Socket: socket}), socket
}

// browser is what a page does with WebRTC.
type browser struct {
	pc      *webrtc.PeerConnection
	channel *webrtc.DataChannel
	opened  chan struct{}
	heard   chan []byte
}

// newBrowser makes a connection that has not called yet.
func newBrowser(t *testing.T) *browser {
	none, no := uint16(0), false
	return newBrowserWith(t, &webrtc.DataChannelInit{Ordered: &no, MaxRetransmits: &none})
}

func newBrowserWith(t *testing.T, o *webrtc.DataChannelInit) *browser {
	e := webrtc.SettingEngine{}
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetIncludeLoopbackCandidate(true)
	e.SetIPFilter(net.IP.IsLoopback) // the first pair of addresses that works is taken
	e.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	// ICE looks for a pair of addresses after the shortest of its times, and never after more than
	// 200 ms. This one only adds to an hour without packets.
	e.SetICETimeouts(time.Hour, time.Millisecond, resend)
	e.SetDTLSRetransmissionInterval(resend / 10)
	e.SetSCTPRTOMax(resend)
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(e)).NewPeerConnection(webrtc.Configuration{})
	require.NoError(t, err)
	b := &browser{pc: pc, opened: make(chan struct{}), heard: make(chan []byte, 1000)}
	t.Cleanup(func() { pc.Close() })
	b.channel, err = pc.CreateDataChannel("torc", o)
	require.NoError(t, err)
	b.channel.OnOpen(func() { close(b.opened) })
	b.channel.OnMessage(func(m webrtc.DataChannelMessage) { b.heard <- m.Data })
	return b
}

// offer returns the offer of the page.
func (b *browser) offer(t *testing.T) string {
	offer, err := b.pc.CreateOffer(nil)
	require.NoError(t, err)
	require.NoError(t, b.pc.SetLocalDescription(offer))
	return offer.SDP
}

// post sends an offer, and returns the status and the answer.
func post(t *testing.T, l *Listener, offer, origin string) (int, string) {
	q, err := http.NewRequest(http.MethodPost, "http://"+l.Addr().String()+rtcPath, strings.NewReader(offer))
	require.NoError(t, err)
	q.Header.Set("Content-Type", sdpType)
	if origin != "" {
		q.Header.Set("Origin", origin)
	}
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	r, err := tr.RoundTrip(q)
	require.NoError(t, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(body)
}

// call connects to the server, and waits for the open channel.
func (b *browser) call(t *testing.T, l *Listener) {
	status, answer := post(t, l, b.offer(t), "http://"+l.Addr().String())
	require.Equal(t, http.StatusOK, status, answer)
	require.NoError(t, b.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}))
	await(t, b.opened)
}

func await(t *testing.T, c <-chan struct{}) {
	select {
	case <-c:
	case <-testenv.Limit(t):
		require.FailNow(t, "it does not happen")
	}
}

// hears returns the next message.
func (b *browser) hears(t *testing.T) []byte {
	select {
	case m := <-b.heard:
		return m
	case <-testenv.Limit(t):
		require.FailNow(t, "nothing arrived")
		return nil
	}
}

// TestRTCDatagrams: messages are datagrams in both directions, over the port of the game.
func TestRTCDatagrams(t *testing.T) {
	t.Parallel()
	l, socket := openRTC(t)
	b := newBrowser(t)
	b.call(t, l)
	for _, size := range []int{1, 200, netcore.MaxDatagram} {
		text := bytes.Repeat([]byte{byte(size)}, size)
		require.NoError(t, b.channel.Send(text))
		p := next(t, l)
		assert.Equal(t, text, p.Bytes())
		assert.Equal(t, netcore.AddrWeb, p.From.Kind)
		assert.Equal(t, netip.MustParseAddr("127.0.0.1").As16(), p.From.IP)
		require.NoError(t, l.Write(p.From, text))
		p.Free()
		assert.Equal(t, text, b.hears(t))
	}
	assert.Empty(t, socket.Packets(), "the game gets none of the datagrams of WebRTC")
	assert.Zero(t, l.Lost())
	assert.Equal(t, 1, l.Open())
	require.NoError(t, b.pc.Close())
	gone(t, l)
}

// gone waits until the server has forgotten all peers.
func gone(t *testing.T, l *Listener) {
	for limit := testenv.Limit(t); l.Open() > 0; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
	l.mu.Lock()
	assert.Empty(t, l.silent)
	assert.Empty(t, l.counts)
	l.mu.Unlock()
	for limit := testenv.Limit(t); l.rtc.port.size() > 0; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
	}
}

// size returns the number of peers and addresses.
func (p *rtcPort) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.byName) + len(p.byAddr)
}

// TestRTCJoins: 20 browsers connect, one after the other; 8 in the short form.
func TestRTCJoins(t *testing.T) {
	t.Parallel()
	l, _ := openRTC(t)
	var in []netcore.Addr
	browsers := testenv.Length(8, 20)
	for range browsers {
		b := newBrowser(t)
		b.call(t, l)
		require.NoError(t, b.channel.Send([]byte("x")))
		p := next(t, l)
		in = append(in, p.From)
		p.Free()
		l.Sweep(slices.Values(in))
	}
	assert.Equal(t, browsers, l.Open())
	assert.Empty(t, l.silent)
}

// TestBadRTCMessages: a message that is no datagram, or another channel, ends the line and reaches
// nobody.
func TestBadRTCMessages(t *testing.T) {
	t.Parallel()
	l, _ := openRTC(t)
	for name, send := range map[string]func(b *browser){
		"text":  func(b *browser) { _ = b.channel.SendText("x") },
		"empty": func(b *browser) { _ = b.channel.Send(nil) },
		"other channel": func(b *browser) {
			_, err := b.pc.CreateDataChannel("more", nil)
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser(t)
			b.call(t, l)
			send(b)
			gone(t, l)
		})
	}
	assert.Empty(t, l.Packets())
}

// TestUnreliableRTC: the channel to the browser repeats nothing, so a browser must ask for such a
// channel.
func TestUnreliableRTC(t *testing.T) {
	t.Parallel()
	l, _ := openRTC(t)
	b := newBrowser(t)
	b.call(t, l)
	require.NoError(t, b.channel.Send([]byte("x")))
	line := l.peerAt(next(t, l).From).line.(*rtcLine)
	assert.False(t, line.channel.Ordered())
	assert.EqualValues(t, 0, *line.channel.MaxRetransmits())

	no, one := false, uint16(1)
	for _, reliable := range []*webrtc.DataChannelInit{{}, {Ordered: &no}, {Ordered: &no, MaxRetransmits: &one}, {Ordered: &no, MaxPacketLifeTime: &one}} {
		b := newBrowserWith(t, reliable)
		status, answer := post(t, l, b.offer(t), "http://"+l.Addr().String())
		require.Equal(t, http.StatusOK, status)
		require.NoError(t, b.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}))
		for limit := testenv.Limit(t); l.Open() > 1; testenv.Pause() {
			require.False(t, testenv.Expired(limit))
		}
	}
	assert.Empty(t, l.Packets())
}

// TestLargeRTCMessage: a browser that ignores the largest size of a message gets no further than
// others.
func TestLargeRTCMessage(t *testing.T) {
	t.Parallel()
	l, _ := openRTC(t)
	b := newBrowser(t)
	status, answer := post(t, l, b.offer(t), "http://"+l.Addr().String())
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, answer, "a=max-message-size:1400\r\n")
	answer = strings.Replace(answer, "a=max-message-size:1400\r\n", "a=max-message-size:65536\r\n", 1)
	require.NoError(t, b.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}))
	await(t, b.opened)
	require.NoError(t, b.channel.Send(make([]byte, netcore.MaxDatagram+1)))
	gone(t, l)
	assert.Empty(t, l.Packets())
}

// TestBadOffers: an offer that is not of a data channel is refused, and costs nothing afterwards.
func TestBadOffers(t *testing.T) {
	l, _ := openRTC(t)
	own := "http://" + l.Addr().String()
	good := newBrowser(t).offer(t)
	for name, row := range map[string]struct {
		offer, origin string
		want          int
	}{
		"other site":  {good, "https://evil.example", http.StatusForbidden},
		"no site":     {good, "", http.StatusForbidden},
		"empty":       {"", own, http.StatusBadRequest},
		"no channel":  {strings.Replace(good, "m=application", "m=video", 1), own, http.StatusBadRequest},
		"two":         {good + "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n", own, http.StatusBadRequest},
		"long":        {good + strings.Repeat("a=x\r\n", maxOffer/5), own, http.StatusBadRequest},
		"no ufrag":    {strings.ReplaceAll(good, "a=ice-ufrag", "a=x"), own, http.StatusBadRequest},
		"fingerprint": {strings.ReplaceAll(good, "a=fingerprint", "a=x"), own, http.StatusBadRequest},
		"bare CR":     {strings.Replace(good, "m=application", "m=application 9 x\rm=application", 1), own, http.StatusBadRequest},
		"noise":       {"\nm=application " + rand.Text(), own, http.StatusBadRequest},
	} {
		status, body := post(t, l, row.offer, row.origin)
		assert.Equal(t, row.want, status, "%s: %s", name, body)
	}
	gone(t, l)
	r, _ := get(t, http.MethodGet, own+rtcPath, http.Header{"Origin": {own}})
	assert.Equal(t, http.StatusMethodNotAllowed, r.StatusCode)
	status, _ := post(t, open(t, Options{}), good, own)
	assert.Equal(t, http.StatusForbidden, status)
	without := open(t, Options{})
	status, _ = post(t, without, good, "http://"+without.Addr().String())
	assert.Equal(t, http.StatusNoContent, status)
}

// TestCandidatesOfBrowsers: the server leaves out where the browser says that it is.
func TestCandidatesOfBrowsers(t *testing.T) {
	offer, err := readOffer(strings.NewReader("v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\na=mid:0\r\n"))
	require.NoError(t, err)
	assert.Equal(t, "v=0\r\nm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:0\r\n", offer)
}

// TestHalfOpenRTC: an address has 8 offers under way. They end after 10 sweeps, and 256 in all
// replace the oldest.
func TestHalfOpenRTC(t *testing.T) {
	t.Parallel()
	l, _ := openRTC(t)
	own := "http://" + l.Addr().String()
	offer := newBrowser(t).offer(t)
	for range silentPerAddress {
		status, _ := post(t, l, offer, own)
		require.Equal(t, http.StatusOK, status)
	}
	status, _ := post(t, l, offer, own)
	assert.Equal(t, http.StatusTooManyRequests, status)
	for range maxOpening {
		l.Sweep(slices.Values([]netcore.Addr(nil)))
	}
	assert.Equal(t, silentPerAddress, l.Open())
	l.Sweep(slices.Values([]netcore.Addr(nil)))
	gone(t, l)
	l.mu.Lock()
	l.rtc.offers = newOffers() // some seconds later
	l.mu.Unlock()
	newBrowser(t).call(t, l)
}

// TestOffersOfAllAddresses: a flood of offers costs a bounded part of a core.
func TestOffersOfAllAddresses(t *testing.T) {
	l, _ := openRTC(t)
	now := time.Now()
	ip := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{192, 0, byte(i >> 8), byte(i)}) }
	for i := range offerBurst {
		p, ok := l.reserveRTC(now, ip(i), false)
		require.True(t, ok)
		l.release(p)
	}
	_, ok := l.reserveRTC(now, ip(offerBurst), false)
	assert.False(t, ok)
}

// TestFullRTCLine: a browser that acknowledges nothing costs bounded memory. Its packets are lost
// and counted. When the line is free again, new messages arrive.
func TestFullRTCLine(t *testing.T) {
	t.Parallel()
	l, socket := openRTC(t)
	l.rtc.settings.SetSCTPRTOMax(resend)
	b := newBrowser(t)
	b.call(t, l)
	require.NoError(t, b.channel.Send([]byte("x")))
	from := next(t, l).From
	none := func(p *udp.Packet) { p.Free() }
	socket.Others(none) // no ack arrives any more
	text := make([]byte, netcore.MaxDatagram)
	for limit := testenv.Limit(t); l.Lost() < 1000; runtime.Gosched() {
		require.False(t, testenv.Expired(limit))
		require.NoError(t, l.Write(from, text))
	}
	line := l.peerAt(from).line.(*rtcLine)
	assert.LessOrEqual(t, line.channel.BufferedAmount(), uint64(window+2*netcore.MaxDatagram))
	socket.Others(l.rtc.port.take)
	for limit := testenv.Limit(t); ; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
		require.NoError(t, l.Write(from, []byte("new")))
		select {
		case m := <-b.heard:
			if string(m) == "new" {
				return
			}
		default:
		}
	}
}

// TestRTCClose: the last packet of a peer leaves, and nothing stays behind. It counts goroutines,
// so no other test runs beside it.
func TestRTCClose(t *testing.T) {
	before := runtime.NumGoroutine()
	l, socket := openRTC(t)
	b := newBrowser(t)
	b.call(t, l)
	require.NoError(t, b.channel.Send([]byte("x")))
	from := next(t, l).From
	half := newBrowser(t)
	status, _ := post(t, l, half.offer(t), "http://"+l.Addr().String())
	require.Equal(t, http.StatusOK, status)
	require.NoError(t, l.Write(from, []byte("bye")))
	require.NoError(t, l.Close())
	assert.Equal(t, "bye", string(b.hears(t)))
	require.NoError(t, b.pc.Close())
	require.NoError(t, half.pc.Close())
	require.NoError(t, socket.Close())
	for limit := testenv.Limit(t); runtime.NumGoroutine() > before; testenv.Pause() {
		require.False(t, testenv.Expired(limit), "goroutines stay behind")
	}
}

// lossy returns the address of a relay to a UDP port that loses 5 % of the datagrams each way.
func lossy(t *testing.T, to netip.AddrPort) netip.AddrPort {
	near, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	require.NoError(t, err)
	far, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(to))
	require.NoError(t, err)
	t.Cleanup(func() { near.Close(); far.Close() })
	var client atomic.Pointer[netip.AddrPort]
	pass := func(random *mathrand.Rand, read func(b []byte) (int, error), write func(b []byte)) {
		for b := make([]byte, 2000); ; {
			n, err := read(b)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil && random.IntN(20) > 0 {
				write(b[:n])
			}
		}
	}
	go pass(mathrand.New(mathrand.NewPCG(1, 2)), func(b []byte) (int, error) {
		n, at, err := near.ReadFromUDPAddrPort(b)
		client.Store(&at)
		return n, err
	}, func(b []byte) { _, _ = far.Write(b) })
	go pass(mathrand.New(mathrand.NewPCG(3, 4)), far.Read, func(b []byte) { _, _ = near.WriteToUDPAddrPort(b, *client.Load()) })
	return netip.MustParseAddrPort(near.LocalAddr().String())
}

// TestLossOverWebRTC: on a line that loses 5 % each way, the messages of 20 s of ticks, or of 8 s,
// have at most 3 gaps of 4 ticks or more. A message that is lost stays lost, so nothing waits for
// it.
func TestLossOverWebRTC(t *testing.T) {
	t.Parallel()
	const gapTicks = 4
	ticks := testenv.Length[uint16](250, 625)
	l, socket := openRTC(t)
	l.rtc.settings.SetDTLSRetransmissionInterval(resend / 10) // the handshakes lose packets, too
	l.rtc.settings.SetSCTPRTOMax(resend)
	relay := lossy(t, socket.Addr())
	b := newBrowser(t)
	status, answer := post(t, l, b.offer(t), "http://"+l.Addr().String())
	require.Equal(t, http.StatusOK, status)
	answer = strings.Replace(answer, fmt.Sprintf(" %d typ host", socket.Addr().Port()), fmt.Sprintf(" %d typ host", relay.Port()), 1)
	require.NoError(t, b.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}))
	await(t, b.opened)
	for limit := testenv.Limit(t); len(l.Packets()) == 0; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
		require.NoError(t, b.channel.Send([]byte("x"))) // the first one can be lost
	}
	to := next(t, l).From
	out := &l.peerAt(to).out
	arrived := map[uint16]bool{}
	hear := func(wait time.Duration) {
		for {
			select {
			case m := <-b.heard:
				arrived[binary.BigEndian.Uint16(m)] = true
			case <-time.After(wait):
				return
			}
		}
	}
	for n := range ticks {
		require.NoError(t, l.Write(to, append(binary.BigEndian.AppendUint16(nil, n), make([]byte, 300)...)))
		out.empty()            // a busy machine loses nothing more
		hear(time.Millisecond) // a tick of this test
	}
	end := binary.BigEndian.AppendUint16(nil, ticks)
	for limit := testenv.Limit(t); !arrived[ticks]; hear(time.Millisecond) {
		require.False(t, testenv.Expired(limit))
		require.NoError(t, l.Write(to, end))
	}
	gaps, run := 0, 0
	for n := range ticks {
		if run++; arrived[n] {
			run = 0
		}
		if run == gapTicks-1 {
			gaps++
		}
	}
	assert.LessOrEqual(t, gaps, 3)
	assert.Less(t, len(arrived), int(ticks), "nothing is repeated")
	assert.Greater(t, len(arrived), int(ticks)*85/100)
	t.Log(len(arrived), gaps, l.Lost())
	l.peerAt(to).line.(*rtcLine).fail() // or the server waits for acks that the relay loses
}
