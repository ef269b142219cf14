//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"
	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
)

// webLine carries the datagrams of a client as a browser does.
type webLine struct {
	send  func(b []byte) error
	close func()
}

// dialer opens a line to the page of a server. udp is where the browser reaches the UDP port.
type dialer func(site string, udp netip.AddrPort, heard func(b []byte)) (webLine, error)

// dialSocket opens a WebSocket.
func dialSocket(site string, _ netip.AddrPort, heard func(b []byte)) (webLine, error) {
	c, _, err := websocket.Dial(context.Background(), strings.Replace(site, "http", "ws", 1)+"/ws", &websocket.DialOptions{
		Subprotocols: []string{"torc"}, HTTPHeader: http.Header{"Origin": {site}},
	})
	if err != nil {
		return webLine{}, err
	}
	go func() {
		for {
			_, b, err := c.Read(context.Background())
			if err != nil {
				return
			}
			heard(b)
		}
	}()
	return webLine{
		send:  func(b []byte) error { return c.Write(context.Background(), websocket.MessageBinary, b) },
		close: func() { _ = c.CloseNow() },
	}, nil
}

// dialNative passes datagrams on as they are, for comparison.
func dialNative(_ string, udp netip.AddrPort, heard func(b []byte)) (webLine, error) {
	c, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(udp))
	if err != nil {
		return webLine{}, err
	}
	go func() {
		b := make([]byte, netcore.MaxDatagram)
		for {
			n, err := c.Read(b)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			heard(b[:n])
		}
	}()
	return webLine{send: func(b []byte) error { _, _ = c.Write(b); return nil }, close: func() { _ = c.Close() }}, nil
}

// dialRTC opens a data channel.
func dialRTC(site string, udp netip.AddrPort, heard func(b []byte)) (webLine, error) {
	e := webrtc.SettingEngine{LoggerFactory: &logging.DefaultLoggerFactory{Writer: io.Discard}}
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetIncludeLoopbackCandidate(true)
	e.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(e)).NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return webLine{}, err
	}
	l := webLine{close: func() { _ = pc.Close() }}
	ctx, fails := context.WithCancel(context.Background())
	defer fails()
	pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed {
			fails()
		}
	})
	none, no := uint16(0), false
	d, err := pc.CreateDataChannel("torc", &webrtc.DataChannelInit{Ordered: &no, MaxRetransmits: &none})
	if err == nil {
		opened := make(chan struct{})
		d.OnOpen(func() { close(opened) })
		d.OnMessage(func(m webrtc.DataChannelMessage) { heard(m.Data) })
		l.send = d.Send
		err = call(ctx, pc, site, udp, opened)
	}
	if err != nil {
		l.close()
	}
	return l, err
}

// call sends the offer of a connection, and waits until its channel is open, or the connection has
// failed and ended ctx.
func call(ctx context.Context, pc *webrtc.PeerConnection, site string, udp netip.AddrPort, opened <-chan struct{}) error {
	offer, err := pc.CreateOffer(nil)
	if err == nil {
		err = pc.SetLocalDescription(offer)
	}
	if err != nil {
		return err
	}
	q, err := http.NewRequest(http.MethodPost, site+"/rtc", bytes.NewBufferString(offer.SDP))
	if err != nil {
		return err
	}
	q.Header.Set("Origin", site)
	r, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	answer, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return errors.Join(err, fmt.Errorf("the offer: %s", r.Status))
	}
	if err := pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: through(string(answer), udp)}); err != nil {
		return err
	}
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return errors.New("the data channel does not open")
	}
}

// through returns an answer with another address of the server.
func through(answer string, udp netip.AddrPort) string {
	var lines strings.Builder
	for line := range strings.Lines(answer) {
		if strings.HasPrefix(line, "a=candidate:") {
			line = fmt.Sprintf("a=candidate:1 1 udp 2130706431 %s %d typ host\r\n", udp.Addr(), udp.Port())
		}
		lines.WriteString(line)
	}
	return lines.String()
}

// webPath is a UDP address for a client whose datagrams go through a line.
type webPath struct {
	webLine
	near  *net.UDPConn
	heard func() // called for each datagram of the server; can be nil
	at    atomic.Pointer[netip.AddrPort]
	ended sync.WaitGroup
}

// openPath opens a line and its address.
func openPath(dial dialer, site string, udp netip.AddrPort, heard func()) (*webPath, error) {
	near, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	p := &webPath{near: near, heard: heard}
	if p.webLine, err = dial(site, udp, p.down); err != nil {
		return nil, errors.Join(err, near.Close())
	}
	p.ended.Go(p.up)
	return p, nil
}

// down passes a datagram to the client.
func (p *webPath) down(b []byte) {
	if p.heard != nil {
		p.heard()
	}
	if at := p.at.Load(); at != nil {
		_, _ = p.near.WriteToUDPAddrPort(b, *at) // a client that has ended loses packets
	}
}

// up passes the datagrams of the client on.
func (p *webPath) up() {
	b := make([]byte, netcore.MaxDatagram)
	for {
		n, at, err := p.near.ReadFromUDPAddrPort(b)
		if err != nil {
			return
		}
		p.at.Store(&at)
		if p.send(b[:n]) != nil {
			return
		}
	}
}

func (p *webPath) end() {
	_ = p.near.Close()
	p.close()
	p.ended.Wait()
}

// TestThrough: a line goes to the address of a relay.
func TestThrough(t *testing.T) {
	assert.Equal(t, "a=mid:0\r\na=candidate:1 1 udp 2130706431 127.0.0.1 7 typ host\r\n",
		through("a=mid:0\r\na=candidate:9 1 udp 5 192.0.2.1 28000 typ host\r\n", netip.MustParseAddrPort("127.0.0.1:7")))
}
