package attack

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v4"

	"github.com/torc-engine/torc/netcore"
)

// playRTC sends offers of WebRTC from 16 addresses that nobody follows up, offers that are none,
// and some of another web site. Meanwhile STUN and garbage of DTLS from strangers reach the UDP
// port, and a browser with an open channel sends noise.
func playRTC(r *round) error {
	strangers, err := startFlood(r.target, r.from, r.rate(20_000), notTorc)
	if err != nil {
		return err
	}
	noisy, err := openRTC(r.target)
	if err != nil {
		strangers.end()
		return err
	}
	own := "http://" + r.target.String()
	answers, foreign, tried := map[int]int{}, 0, 0
	err = r.during(func() error {
		n, origin, offer := tried, own, noisy.offer
		switch tried++; n % 8 {
		case 6:
			offer = string(junk(nil))
		case 7:
			origin = "https://evil.example"
		}
		status, _, err := postOffer(r.target, r.from(n%16), origin, offer)
		if err != nil {
			return nil // the server closes connections above the limit
		}
		answers[status]++
		if origin != own && status == http.StatusOK {
			foreign++
		}
		noisy.sendNoise()
		return nil
	})
	_ = noisy.pc.Close()
	r.note("%d packets of STUN and DTLS, %d offers: %d accepted, %d above the limit, %d invalid, %d of another site got in; %d honest joins, %d of them refused",
		strangers.end(), tried, answers[http.StatusOK], answers[http.StatusTooManyRequests], answers[http.StatusBadRequest], foreign, len(r.joins), r.refusals())
	r.fail(foreign > 0, "a page of another site connected over WebRTC")
	r.fail(answers[http.StatusOK] == 0, "no offer was accepted")
	r.fail(answers[http.StatusTooManyRequests] == 0, "an address made as many offers as it liked")
	return err
}

// notTorc is a datagram of STUN for nobody, or of DTLS without a connection.
func notTorc(b []byte) []byte {
	if rand.IntN(2) == 0 {
		b = append(b, byte(20+rand.IntN(44)))
		return junk(b)
	}
	b = binary.BigEndian.AppendUint32(append(b, 0, 1, 0, 20), 0x2112A442)
	b = binary.LittleEndian.AppendUint64(b, rand.Uint64())
	b = binary.LittleEndian.AppendUint32(b, rand.Uint32())
	return append(b, 0, 6, 0, 16, 'A', 'A', 'A', 'A', 'A', 'A', 'A', 'A', ':', 'x', 'x', 'x', 'x', 'x', 'x', 'x')
}

// rtcBrowser is a browser with a data channel.
type rtcBrowser struct {
	pc      *webrtc.PeerConnection
	channel *webrtc.DataChannel
	offer   string
}

// openRTC connects to a server over WebRTC.
func openRTC(to netip.AddrPort) (*rtcBrowser, error) {
	e := webrtc.SettingEngine{LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard}}
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetIncludeLoopbackCandidate(true)
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(e)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, err
	}
	b := &rtcBrowser{pc: pc}
	if err := b.open(to); err != nil {
		return nil, errors.Join(err, pc.Close())
	}
	return b, nil
}

func (b *rtcBrowser) open(to netip.AddrPort) (err error) {
	none, no := uint16(0), false
	if b.channel, err = b.pc.CreateDataChannel("torc", &webrtc.DataChannelInit{Ordered: &no, MaxRetransmits: &none}); err != nil {
		return err
	}
	opened := make(chan struct{})
	b.channel.OnOpen(func() { close(opened) })
	offer, err := b.pc.CreateOffer(nil)
	if err != nil {
		return err
	}
	if err := b.pc.SetLocalDescription(offer); err != nil {
		return err
	}
	b.offer = offer.SDP
	status, answer, err := postOffer(to, netip.AddrFrom4([4]byte{127, 0, 0, 1}), "http://"+to.String(), b.offer)
	if err != nil || status != http.StatusOK {
		return errors.Join(err, fmt.Errorf("the offer: status %d, %s", status, answer))
	}
	if err := b.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		return err
	}
	select {
	case <-opened:
		return nil
	case <-time.After(answerMost):
		return errors.New("no data channel over WebRTC")
	}
}

// sendNoise sends a message of random bytes.
func (b *rtcBrowser) sendNoise() {
	text := make([]byte, 1+rand.IntN(netcore.MaxDatagram))
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	_ = b.channel.Send(text) // the server can end it
}

// postOffer sends an offer from an address, for a page of an origin. It returns the status and the
// body.
func postOffer(to netip.AddrPort, from netip.Addr, origin, offer string) (int, string, error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(netip.AddrPortFrom(from, 0))}
	t := &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}
	ctx, cancel := context.WithTimeout(context.Background(), dialMost)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+to.String()+"/rtc", bytes.NewBufferString(offer))
	if err != nil {
		return 0, "", err
	}
	q.Header.Set("Origin", origin)
	a, err := t.RoundTrip(q)
	if err != nil {
		return 0, "", err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	return a.StatusCode, string(body), err
}
