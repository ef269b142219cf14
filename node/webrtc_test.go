package node_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/webrtc/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// dialRTC opens a data channel as a page does. hangUp ends it.
func dialRTC(t *testing.T, s *node.Server, heard func(b []byte)) (channel *webrtc.DataChannel, hangUp func() error) {
	t.Helper()
	e := webrtc.SettingEngine{}
	e.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	e.SetIncludeLoopbackCandidate(true)
	e.SetIPFilter(net.IP.IsLoopback) // the first pair of addresses that works is taken
	e.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	// ICE looks for a pair of addresses after the shortest of its times, and never after more than
	// 200 ms. This one only adds to an hour without packets.
	e.SetICETimeouts(time.Hour, time.Millisecond, 100*time.Millisecond)
	pc, err := webrtc.NewAPI(webrtc.WithSettingEngine(e)).NewPeerConnection(webrtc.Configuration{})
	require.NoError(t, err)
	t.Cleanup(func() { pc.Close() })
	none, no := uint16(0), false
	channel, err = pc.CreateDataChannel("torc", &webrtc.DataChannelInit{Ordered: &no, MaxRetransmits: &none})
	require.NoError(t, err)
	opened := make(chan struct{})
	channel.OnOpen(func() { close(opened) })
	channel.OnMessage(func(m webrtc.DataChannelMessage) { heard(m.Data) })
	offer, err := pc.CreateOffer(nil)
	require.NoError(t, err)
	require.NoError(t, pc.SetLocalDescription(offer))
	site := "http://" + s.Addresses().Web.String()
	q, err := http.NewRequest(http.MethodPost, site+"/rtc", strings.NewReader(offer.SDP))
	require.NoError(t, err)
	q.Header.Set("Origin", site)
	r, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	answer, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, http.StatusOK, r.StatusCode, string(answer))
	require.NoError(t, pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(answer)}))
	select {
	case <-opened:
	case <-time.After(20 * time.Second): // the server gives a handshake 8 s, and this machine can be busy for as long
		_ = pc.Close()
		return dialRTC(t, s, heard)
	case <-testenv.Limit(t):
		require.FailNow(t, "the channel does not open")
	}
	return channel, pc.Close
}

// overRTC returns an address for a client whose datagrams go through a data channel.
func overRTC(t *testing.T, s *node.Server) (address string, hangUp func() error) {
	t.Helper()
	heard := make(chan []byte, 1000)
	channel, hangUp := dialRTC(t, s, func(b []byte) { heard <- b })
	return over(t, s, heard, channel.Send), hangUp
}

// TestJoinsOverWebRTC: 20 of 20 browsers join over WebRTC, beside a client that uses the same port
// without it.
func TestJoinsOverWebRTC(t *testing.T) {
	t.Parallel()
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: webConfig()}})
	nodetest.Runs(s.Run)
	onConsole(t, s, "sv.addressAllow 127.0.0.0/8") // others offer twice per second
	bob := nodetest.NewClient(t, node.Config{Common: node.Common{Name: "Bob"}, Client: node.ClientConfig{Address: s.Address()}})
	nodetest.Runs(bob.Run)
	nodetest.Eventually(t, bob.Do, "Bob is in the game", bob.Ready)
	for i := range testenv.Length(3, 20) {
		address, hangUp := overRTC(t, s)
		ann := nodetest.NewClient(t, node.Config{Common: node.Common{Name: fmt.Sprint("Ann ", i)}, Client: node.ClientConfig{Address: address, Wander: true}})
		nodetest.Runs(ann.Run)
		nodetest.Eventually(t, ann.Do, "the browser is in the game", ann.Ready)
		require.NoError(t, s.Do(func() {
			all := s.Host().Connections()
			require.Len(t, all, 2)
			assert.Equal(t, netcore.AddrWeb, all[1].Net().Addr().Kind)
			assert.Regexp(t, `^127\.0\.0\.1:\d+$`, all[1].Address())
		}))
		require.NoError(t, ann.Close())
		nodetest.Eventually(t, s.Do, "the browser has left", func() bool { return len(s.Host().Connections()) == 1 })
		require.NoError(t, hangUp())
	}
	warnsOfNothing(t, s)
}

// TestWithoutWebRTC: the operator can turn it off.
func TestWithoutWebRTC(t *testing.T) {
	web := webConfig()
	web.NoRTC = true
	s := nodetest.StartServer(t, node.Config{Server: node.ServerConfig{Web: web}})
	nodetest.Runs(s.Run)
	q, err := http.NewRequest(http.MethodPost, "http://"+s.Addresses().Web.String()+"/rtc", strings.NewReader("v=0"))
	require.NoError(t, err)
	q.Header.Set("Origin", "http://"+s.Addresses().Web.String())
	r, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	assert.Equal(t, http.StatusNoContent, r.StatusCode)
}
