package netcore

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/netcoretest"
)

// This test fixes the wire format bit by bit. A change here requires a new ProtocolVersion.
func TestDataHeaderOnTheWire(t *testing.T) {
	packets := netcoretest.Vectors(t, "packets", ProtocolVersion)
	for _, tt := range []struct {
		name    string
		n, base Seq
		ack     Seq
		lost    []Seq
		delay   uint64
		bits    int
		hex     string
	}{
		{"nothing heard yet", 1, 0, 0, nil, 0, 15, "0000"},
		{"five bits", 2, 100, 131, nil, 0, 15, "0600"},
		{"ten bits", 3, 100, 132, nil, 0, 21, "110200"},
		{"forty-eight bits", 5, 0, 1024, nil, 0, 59, "0310000000000000"},
		{"ack delay", 8, 0, 3, nil, 77, 15, "8626"},
		{"newest lost", 9, 0, 3, []Seq{3}, 0, 18, "c60100"},
		{"one lost", 10, 0, 3, []Seq{2}, 0, 20, "460500"},
		{"two runs", 11, 0, 9, []Seq{8, 7, 5}, 0, 27, "52a90200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := dataHeader{acks: ackBlock{ack: tt.ack}, delay: tt.delay}
			for _, n := range tt.lost {
				h.acks.mark(n)
			}
			w := bitstream.NewWriter(make([]byte, 200))
			h.serialize(&w.Codec, tt.base)
			require.NoError(t, w.Err())
			assert.Equal(t, tt.bits, w.Pos())
			assert.Equal(t, tt.hex, hex.EncodeToString(w.Bytes()))
			packets.Bytes("data-header/"+strings.ReplaceAll(tt.name, " ", "-"), w.Bytes())

			var got dataHeader
			r := bitstream.NewReader(w.Bytes())
			got.serialize(&r.Codec, tt.base)
			require.NoError(t, r.Err())
			assert.Equal(t, tt.bits, r.Pos())
			assert.Equal(t, h, got)

			for cut := range len(w.Bytes()) {
				r := bitstream.NewReader(w.Bytes()[:cut])
				new(dataHeader).serialize(&r.Codec, tt.base)
				assert.Error(t, r.Err(), "cut to %d bytes", cut)
			}
		})
	}
}

func TestControlHeaderOnTheWire(t *testing.T) {
	packets := netcoretest.Vectors(t, "packets", ProtocolVersion)
	for _, tt := range []struct {
		h    controlHeader
		bits int
		hex  string
	}{
		{controlHeader{kind: controlPing, acks: ackBlock{ack: 5}, delay: 3, newest: 9}, 108, "2800000000003090000000000000"},
		{controlHeader{kind: controlPong, acks: ackBlock{ack: 5}, echo: 3, waited: 5}, 82, "2900000000000030001400"},
		{controlHeader{kind: controlAck, acks: ackBlock{ack: 5}}, 60, "2a00000000000000"},
		{controlHeader{kind: controlClose, acks: ackBlock{ack: 5}}, 60, "2b00000000000000"},
		{controlHeader{kind: controlPath, acks: ackBlock{ack: 5}, challenge: 1}, 124, "2c000000000000100000000000000000"},
		{controlHeader{kind: controlPathAnswer, acks: ackBlock{ack: 5}, challenge: 3}, 124, "2d000000000000300000000000000000"},
	} {
		w := bitstream.NewWriter(make([]byte, 200))
		tt.h.serialize(&w.Codec)
		assert.Equal(t, tt.bits, w.Pos())
		assert.Equal(t, tt.hex, hex.EncodeToString(w.Bytes()))
		packets.Bytes(fmt.Sprintf("control-header/%d", tt.h.kind), w.Bytes())
		var got controlHeader
		r := bitstream.NewReader(w.Bytes())
		got.serialize(&r.Codec)
		require.NoError(t, r.Err())
		assert.Equal(t, tt.h, got)
	}
}

func TestAnyGaps(t *testing.T) {
	widest := 0
	for seed := uint64(0); seed < 2000; seed++ {
		r := rand.New(rand.NewPCG(seed, 5))
		h := dataHeader{acks: ackBlock{ack: 1 + Seq(r.IntN(100000))}}
		p := []float64{.01, .1, .5, .9, 1}[r.IntN(5)]
		for i := Seq(0); i < min(Window, h.acks.ack); i++ {
			if r.Float64() < p || seed == 0 && i%2 == 1 {
				h.acks.mark(h.acks.ack - i)
			}
		}
		w := bitstream.NewWriter(make([]byte, 400))
		h.serialize(&w.Codec, h.acks.ack)
		require.NoError(t, w.Err())
		widest = max(widest, w.Pos())
		var got dataHeader
		rd := bitstream.NewReader(w.Bytes())
		got.serialize(&rd.Codec, h.acks.ack)
		require.NoError(t, rd.Err())
		require.Equal(t, h, got, "seed %d", seed)
	}
	assert.LessOrEqual(t, widest, 15+2560, "PROTOCOL.md promises it")
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		last uint64
		low  uint16
		want uint64
		ok   bool
	}{
		{0, 1, 1, true}, {0, 0, 0, false}, {5, 5, 0, false}, {5, 4, 0, false}, {5, 6, 6, true},
		{5, 5 + 8192, 5 + 8192, true}, {5, 6 + 8192, 0, false},
		{16383, 0, 16384, true}, {16380, 100, 16484, true}, {1<<40 + 16383, 16383, 0, false}, {1<<40 + 16383, 3, 1<<40 + 16387, true},
	} {
		got, ok := expand(tt.last, tt.low)
		assert.Equal(t, tt.ok, ok, "%d after %d", tt.low, tt.last)
		assert.Equal(t, tt.want, got, "%d after %d", tt.low, tt.last)
	}
}

func TestRateOnTheWire(t *testing.T) {
	for _, tt := range []struct{ in, out Rate }{
		{Rate{31.25, 1200}, Rate{31.25, 1200}},
		{Rate{1, 100}, Rate{1, 100}},
		{Rate{125, 1200}, Rate{125, 1200}},
		{Rate{10.1, 200}, Rate{10.125, 200}},
		{Rate{1e9, 9999}, Rate{Auto, 1400}},
		{Rate{5000, 1200}, Rate{5000, 1200}},
		{Rate{5001, 1200}, Rate{5000, 1200}},
		{Rate{0, 0}, Rate{1, 100}},
	} {
		w := bitstream.NewWriter(make([]byte, 8))
		tt.in.Serialize(&w.Codec)
		require.NoError(t, w.Err())
		assert.Equal(t, 27, w.Pos())
		var got Rate
		r := bitstream.NewReader(w.Bytes())
		got.Serialize(&r.Codec)
		require.NoError(t, r.Err())
		assert.Equal(t, tt.out, got)
	}
}

func TestAddr(t *testing.T) {
	v4 := UDPAddr(netip.MustParseAddrPort("192.0.2.7:28000"))
	v6 := UDPAddr(netip.MustParseAddrPort("[2001:db8:1:2:3:4:5:6]:28000"))
	mapped := UDPAddr(netip.MustParseAddrPort("[::ffff:192.0.2.7]:28000"))
	assert.Equal(t, v4, mapped, "one peer, one Addr")
	assert.Equal(t, "192.0.2.7:28000", v4.String())
	assert.Equal(t, "[2001:db8:1:2:3:4:5:6]:28000", v6.String())
	assert.Equal(t, "local:3", LocalAddr(3).String())
	assert.Equal(t, "sim:4", SimAddr(4).String())
	assert.Equal(t, "nowhere", Addr{}.String())
	assert.Equal(t, Addr{}, UDPAddr(netip.AddrPort{}))
	assert.False(t, SimAddr(1).AddrPort().IsValid())

	assert.Equal(t, UDPAddr(netip.MustParseAddrPort("192.0.2.7:1")).Host(), v4.Host())
	assert.NotEqual(t, UDPAddr(netip.MustParseAddrPort("192.0.2.8:1")).Host(), v4.Host())
	assert.Equal(t, UDPAddr(netip.MustParseAddrPort("[2001:db8:1:2::9]:1")).Host(), v6.Host(), "one /64")
	assert.NotEqual(t, UDPAddr(netip.MustParseAddrPort("[2001:db8:1:3::9]:1")).Host(), v6.Host())
	assert.Equal(t, SimAddr(4), SimAddr(4).Host())

	for _, s := range []string{"127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.9]:1"} {
		assert.True(t, UDPAddr(netip.MustParseAddrPort(s)).Loopback(), s)
	}
	assert.False(t, v4.Loopback())
	assert.True(t, LocalAddr(1).Loopback())
	assert.True(t, SimAddr(1).Loopback())
	assert.False(t, Addr{}.Loopback())
}

// TestWebAddr: a browser has the real address of its machine, so limits and bans by address hold.
// It counts together with the UDP peers of its address, and no UDP socket sends to it.
func TestWebAddr(t *testing.T) {
	for _, ip := range []string{"192.0.2.7", "::ffff:192.0.2.7", "2001:db8:1:2:3:4:5:6"} {
		web, peer := WebAddr(netip.MustParseAddr(ip), 9), UDPAddr(netip.AddrPortFrom(netip.MustParseAddr(ip), 9))
		assert.Equal(t, peer.String(), web.String())
		assert.Equal(t, peer.Host(), web.Host())
		assert.Equal(t, peer.Ranges(), web.Ranges())
		assert.False(t, web.AddrPort().IsValid())
		assert.NotEqual(t, peer.AppendRemote(nil), web.AppendRemote(nil), "a cookie of one is none of the other")
		assert.Equal(t, MaxDatagram, web.Kind.largest())
	}
	assert.Equal(t, Addr{}, WebAddr(netip.Addr{}, 1))
	for _, ip := range []string{"127.0.0.1", "::1", "::ffff:127.0.0.9"} {
		web := WebAddr(netip.MustParseAddr(ip), 1)
		assert.False(t, web.Loopback(), ip)
		assert.False(t, Limits{}.Exempt(web), ip)
		assert.True(t, Limits{LocalWeb: true}.Exempt(web), ip)
		assert.False(t, Limits{LocalWeb: true, Loopback: true}.Exempt(web), ip)
	}
	assert.False(t, Limits{LocalWeb: true}.Exempt(WebAddr(netip.MustParseAddr("192.0.2.7"), 1)))
}

func TestReason(t *testing.T) {
	for _, tt := range []struct {
		r          Reason
		said, told string
	}{
		{Reason{TimedOut, ""}, "timed out", "timed out"},
		{Reason{Closed, "bye"}, "bye", "bye"},
		{Reason{SelfClosed, ""}, "closed", "closed by the peer"},
		{Reason{Kicked, "rude"}, "kicked: rude", "kicked: rude"},
		{Reason{Violation, "ack of 3"}, "protocol violation: ack of 3", "protocol violation: ack of 3"},
		{Reason{ShuttingDown, ""}, "shutting down", "shutting down"},
		{Reason{Refused, "server is full (128)"}, "server is full (128)", "server is full (128)"},
		{Reason{Kicked, "a\x1b[31m\xffb\n"}, "kicked: a\x1b[31m\xffb\n", "kicked: a [31mb "},
		{Reason{200, ""}, "unknown reason", "unknown reason"},
	} {
		assert.Equal(t, tt.said, tt.r.String())
		assert.Equal(t, tt.said, tt.r.Error())
		assert.Equal(t, tt.told, tt.r.forPeer().String())
	}
	for c := NoReason; c < reasonCodes; c++ {
		assert.NotEmpty(t, c.String())
	}
}
