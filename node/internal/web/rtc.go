package web

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/interceptor"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v4"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

const (
	rtcPath  = "/rtc"
	sdpType  = "application/sdp"
	maxOffer = 16 << 10 // bytes of an offer

	handshakeTime = 8 * time.Second  // of DTLS
	quietTime     = 10 * time.Second // without a packet, until ICE says so
	failTime      = 20 * time.Second // after that, until the line ends
	rtoMost       = time.Second      // between two looks of SCTP at a silent line
	window        = 64 << 10         // bytes that SCTP sends without an ack, at least
)

// rtc carries the datagrams of browsers over WebRTC.
type rtc struct {
	port     *rtcPort
	settings webrtc.SettingEngine
	config   webrtc.Configuration
	offers   offers // guarded by peers.mu
}

// newRTC makes the part of a Listener that uses the UDP port of the game.
func newRTC(socket *udp.Socket) (*rtc, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := webrtc.GenerateCertificate(key)
	if err != nil {
		return nil, err
	}
	r := &rtc{
		port: newRTCPort(socket), offers: newOffers(),
		config: webrtc.Configuration{Certificates: []webrtc.Certificate{*certificate}},
	}
	e := &r.settings
	e.LoggerFactory = &logging.DefaultLoggerFactory{Writer: io.Discard}
	e.SetLite(true)
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4, webrtc.NetworkTypeUDP6})
	e.SetICETimeouts(quietTime, failTime, 0)
	e.SetDTLSConnectContextMaker(func() (context.Context, func()) {
		return context.WithTimeout(context.Background(), handshakeTime)
	})
	e.DetachDataChannels()
	e.SetSCTPMaxMessageSize(netcore.MaxDatagram)
	e.SetSCTPMaxReceiveBufferSize(window)
	e.SetSCTPMinCwnd(window)
	e.SetSCTPRTOMax(rtoMost)
	return r, nil
}

// Strays returns the number of datagrams on the UDP port that belonged to no browser, or were too
// many of one.
func (l *Listener) Strays() uint64 {
	if l.rtc == nil {
		return 0
	}
	return l.rtc.port.dropped.Load()
}

// signal answers an offer of a browser.
func (l *Listener) signal(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "only POST", http.StatusMethodNotAllowed)
		return
	}
	if l.rtc == nil {
		w.WriteHeader(http.StatusNoContent) // no error: a browser would report it
		return
	}
	ip, err := l.proxies.client(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	offer, err := readOffer(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p, ok := l.reserveRTC(time.Now(), ip, l.isSecure(r))
	if !ok {
		w.Header().Set("Retry-After", "30")
		http.Error(w, "too many browsers connect from your address, or from all: the operator can raise sv.addressLimit", http.StatusTooManyRequests)
		return
	}
	answer, err := l.accept(p, offer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", sdpType)
	_, _ = io.WriteString(w, answer+candidates(l.candidates(r), l.rtc.port.socket.Addr().Port()))
}

// reserveRTC is reserve, with a bound on the offers of an address and of all. An offer that its
// address cannot have takes none of the others' offers.
func (l *Listener) reserveRTC(now time.Time, ip netip.Addr, secure bool) (*peer, bool) {
	l.mu.Lock()
	at := netcore.WebAddr(ip, 0)
	allowed := !l.full(at) && l.rtc.offers.allow(now, at, l.limits)
	l.mu.Unlock()
	if !allowed {
		return nil, false
	}
	p, ok := l.reserve(ip, secure)
	if ok {
		l.mu.Lock()
		p.joined = func(now time.Time) { l.rtc.offers.joined(now, at) }
		l.mu.Unlock()
	}
	return p, ok
}

var errOffer = errors.New("the offer must be SDP with one data channel, at most 16 KiB")

// readOffer reads an offer. It leaves out the candidates of the browser: the server contacts
// nobody, and learns an address when a packet comes from there.
func readOffer(from io.Reader) (string, error) {
	b, err := io.ReadAll(io.LimitReader(from, maxOffer+1))
	if err != nil || len(b) > maxOffer || bytes.ContainsRune(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), '\r') {
		return "", errOffer // to the reader of SDP, a CR alone ends a line too
	}
	var offer strings.Builder
	media := 0
	for line := range strings.Lines(string(b)) {
		if strings.HasPrefix(line, "m=") {
			media++
		}
		if !strings.HasPrefix(line, "a=candidate:") {
			offer.WriteString(line)
		}
	}
	if media != 1 || !strings.Contains(offer.String(), "\nm=application ") {
		return "", errOffer
	}
	return offer.String(), nil
}

// accept begins to connect a peer, and returns the answer without candidates. If it fails, it gives
// the peer back.
func (l *Listener) accept(p *peer, offer string) (string, error) {
	line, err := l.rtc.newLine()
	if err != nil {
		l.release(p)
		return "", err
	}
	line.lost = &l.lost
	line.opened = func(ip netip.Addr) bool {
		if !l.move(p, ip) {
			return false
		}
		l.opened(p)
		return true
	}
	answer, err := line.answer(offer)
	if err != nil {
		line.close()
		l.release(p)
		return "", err
	}
	go func() {
		defer l.release(p)
		l.run(p, line)
	}()
	return answer, nil
}

// newLine makes a line that waits for its browser.
func (r *rtc) newLine() (*rtcLine, error) {
	name, password := rand.Text(), rand.Text()
	share := r.port.open(name)
	settings := r.settings
	settings.SetICEUDPMux(share)
	settings.SetICECredentials(name, password)
	api := webrtc.NewAPI(webrtc.WithSettingEngine(settings), webrtc.WithMediaEngine(&webrtc.MediaEngine{}), webrtc.WithInterceptorRegistry(&interceptor.Registry{}))
	pc, err := api.NewPeerConnection(r.config)
	if err != nil {
		share.close()
		return nil, err
	}
	return newRTCLine(pc, share), nil
}

// candidates returns the lines of an answer that say where the server is.
func candidates(at []netip.Addr, port uint16) string {
	var lines strings.Builder
	for i, ip := range at {
		// the first address has the highest priority; the constants are those of RFC 8445, 5.1.2
		fmt.Fprintf(&lines, "a=candidate:%d 1 udp %d %s %d typ host\r\n", i+1, 126<<24|(65535-i)<<8|255, ip, port)
	}
	return lines.String() + "a=end-of-candidates\r\n"
}
