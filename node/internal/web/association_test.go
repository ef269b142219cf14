package web

import (
	"bytes"
	"context"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"hash/crc32"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/datachannel"
	"github.com/pion/dtls/v3"
	"github.com/pion/dtls/v3/pkg/crypto/fingerprint"
	"github.com/pion/dtls/v3/pkg/crypto/selfsign"
	"github.com/pion/ice/v4"
	"github.com/pion/logging"
	"github.com/pion/sctp"
	"github.com/pion/stun/v4"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/internal/testenv"
)

// association is a browser in pieces: ICE by hand, then DTLS, then SCTP, then a channel. So it can
// send any bytes on each of these floors, as a browser's own library does not.
type association struct {
	net     *roaming
	check   []byte // the request of STUN that nominates the address it comes from
	secret  *dtls.Conn
	tag     atomic.Uint32 // of the server: what packets to it carry
	sctp    *sctp.Association
	channel *datachannel.DataChannel
}

// roaming is a UDP socket that can be replaced by one with another port. It returns no packets of
// STUN.
type roaming struct {
	net.PacketConn // the first socket
	to             net.Addr
	now            atomic.Pointer[net.PacketConn]
	in             chan []byte
	nominated      chan struct{} // gets a value at an answer of STUN
}

func newRoaming(t testing.TB, to net.Addr) *roaming {
	r := &roaming{to: to, in: make(chan []byte, 1000), nominated: make(chan struct{}, 1)}
	r.PacketConn = r.move(t)
	return r
}

// move opens the next socket, and closes the last one.
func (r *roaming) move(t testing.TB) net.PacketConn {
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = socket.Close() })
	if old := r.now.Swap(&socket); old != nil {
		_ = (*old).Close()
	}
	go func() {
		for b := make([]byte, 2000); ; {
			n, _, err := socket.ReadFrom(b)
			switch {
			case err != nil && r.now.Load() == &socket:
				close(r.in)
				return
			case err != nil:
				return
			case !isSTUN(b[:n]):
				r.in <- bytes.Clone(b[:n])
			case len(r.nominated) == 0:
				r.nominated <- struct{}{}
			}
		}
	}()
	return socket
}

func (r *roaming) ReadFrom(b []byte) (int, net.Addr, error) {
	packet, ok := <-r.in
	if !ok {
		return 0, nil, net.ErrClosed
	}
	return copy(b, packet), r.to, nil
}

// WriteTo sends from the newest socket. A packet on a socket that move closes meanwhile is lost: an
// error would end DTLS and SCTP.
func (r *roaming) WriteTo(b []byte, to net.Addr) (int, error) {
	socket := r.now.Load()
	n, err := (*socket).WriteTo(b, to)
	if r.now.Load() != socket {
		return len(b), nil
	}
	return n, err
}

func (r *roaming) Close() error { return (*r.now.Load()).Close() }

// tagged is a connection that notes the tag in the packets that are written.
type tagged struct {
	net.Conn
	tag *atomic.Uint32
}

func (c tagged) Write(b []byte) (int, error) {
	if tag := binary.BigEndian.Uint32(b[4:]); tag != 0 { // INIT has none
		c.tag.Store(tag)
	}
	return c.Conn.Write(b)
}

// value returns the value of an attribute of an SDP.
func value(t testing.TB, sdp, attribute string) string {
	_, after, ok := strings.Cut(sdp, "a="+attribute+":")
	require.True(t, ok, sdp)
	value, _, _ := strings.Cut(after, "\r\n")
	return value
}

// associate connects to a server up to the open channel.
func associate(t testing.TB, l *Listener, certificate *tls.Certificate) *association {
	parsed, err := x509.ParseCertificate(certificate.Certificate[0])
	require.NoError(t, err)
	hash, err := fingerprint.Fingerprint(parsed, crypto.SHA256)
	require.NoError(t, err)
	p, ok := l.reserveRTC(time.Now(), netip.MustParseAddr("127.0.0.1"), false)
	require.True(t, ok)
	answer, err := l.accept(p, strings.Join([]string{
		"v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
		"m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0",
		"a=ice-ufrag:them", "a=ice-pwd:" + strings.Repeat("them", 6), "a=fingerprint:sha-256 " + hash,
		"a=setup:active", "a=mid:0", "a=sctp-port:5000", "a=max-message-size:1400", "",
	}, "\r\n"))
	require.NoError(t, err)

	server := net.UDPAddrFromAddrPort(l.rtc.port.socket.Addr())
	check, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.NewUsername(value(t, answer, "ice-ufrag")+":them"),
		ice.AttrControlling(1), ice.PriorityAttr(1), ice.UseCandidate(), stun.NewShortTermIntegrity(value(t, answer, "ice-pwd")), stun.Fingerprint)
	require.NoError(t, err)
	a := &association{net: newRoaming(t, server), check: check.Raw}
	a.secret, err = dtls.ClientWithOptions(a.net, server, dtls.WithCertificates(*certificate), dtls.WithInsecureSkipVerify(true),
		dtls.WithSRTPProtectionProfiles(dtls.SRTP_AES128_CM_HMAC_SHA1_80))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		for limit := testenv.Limit(t); ; {
			_, _ = a.net.WriteTo(a.check, server) // a busy machine loses datagrams
			select {
			case <-time.After(resend):
			case <-limit:
				return
			case <-ctx.Done():
				return
			}
		}
	}()
	require.NoError(t, a.secret.HandshakeContext(ctx))
	a.sctp, err = sctp.ClientContext(ctx, sctp.WithNetConn(tagged{a.secret, &a.tag}), sctp.WithLoggerFactory(silent))
	require.NoError(t, err)
	stream, err := a.sctp.OpenStream(0, sctp.PayloadTypeWebRTCBinary)
	require.NoError(t, err)
	a.channel, err = datachannel.Client(stream, &datachannel.Config{
		ChannelType: datachannel.ChannelTypePartialReliableRexmitUnordered, Label: "torc", LoggerFactory: silent,
	})
	require.NoError(t, err)
	a.says(t, l, "x")
	return a
}

// roams gives the browser another address, and nominates it until the server answers.
func (a *association) roams(t testing.TB) {
	a.net.move(t)
	select {
	case <-a.net.nominated: // of the last address
	default:
	}
	for limit := testenv.Limit(t); ; {
		_, err := a.net.WriteTo(a.check, a.net.to)
		require.NoError(t, err)
		select {
		case <-a.net.nominated:
			return
		case <-time.After(resend):
		case <-limit:
			require.FailNow(t, "the server does not answer the new address")
		}
	}
}

// silent is a log that nobody reads.
var silent = &logging.DefaultLoggerFactory{Writer: io.Discard}

// resend is the time after which something is sent again, because it can be lost.
const resend = 100 * time.Millisecond

// says sends a message until the server has it.
func (a *association) says(t testing.TB, l *Listener, text string) {
	for limit := testenv.Limit(t); ; {
		_, err := a.channel.Write([]byte(text))
		require.NoError(t, err)
		select {
		case <-time.After(resend):
		case p := <-l.Packets():
			got := string(p.Bytes())
			p.Free()
			if got == text {
				return
			}
		case <-limit:
			require.FailNow(t, "nothing arrived")
		}
	}
}

// packet sends chunks in an SCTP packet with the ports, the tag and the checksum that it needs.
func (a *association) packet(chunks []byte) {
	b := binary.BigEndian.AppendUint32(nil, 5000<<16|5000)
	b = binary.BigEndian.AppendUint32(b, a.tag.Load())
	b = append(append(b, 0, 0, 0, 0), chunks...)
	binary.LittleEndian.PutUint32(b[8:], crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
	_, _ = a.secret.Write(b) // the server can have ended the line
}

// close ends the association at once.
func (a *association) close() {
	_ = a.secret.Close()
	_ = a.sctp.Close()
}

// rtcPackets reads the input of a fuzz test: packets that begin with a byte. Its low seven bits are
// the length in words of 32 bits, the length of a padded chunk. With the high bit, the bytes are
// sent as they are, without a header.
func rtcPackets(in []byte, each func(raw bool, b []byte)) {
	const most = 8 // packets
	for range most {
		if len(in) == 0 {
			return
		}
		size := min(int(in[0]&127)*4, len(in)-1)
		each(in[0] >= 128, in[1:1+size])
		in = in[1+size:]
	}
}

// FuzzAssociation: whatever a peer sends within its own encryption, to SCTP, to the protocol of
// channels or instead of them, its neighbour goes on, and nothing stays when it leaves.
func FuzzAssociation(f *testing.F) {
	l, _ := openRTC(f)
	l.rtc.offers.own, l.rtc.offers.all = rate.Limit{PerSecond: 1e9, Burst: 1e9}, rate.Limit{PerSecond: 1e9, Burst: 1e9}
	certificate, err := selfsign.GenerateSelfSigned()
	require.NoError(f, err)
	neighbour := associate(f, l, &certificate)
	f.Cleanup(neighbour.close) // or the server waits for its acks
	for _, seed := range [][]byte{
		{},
		{4, 0, 3, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 50, 'h', 'i', 0, 0}, // DATA
		{4, 3, 0, 0, 16, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0},          // SACK of everything
		{2, 6, 0, 0, 4, 0, 0, 0, 0},                                           // ABORT
		{5, 130, 0, 0, 20, 0, 13, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},  // RECONFIG
		{3, 192, 0, 0, 12, 255, 255, 255, 255, 0, 0, 0, 0},                    // FORWARD TSN
		{5, 1, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},      // INIT
		{2, 4, 0, 0, 8, 0, 1, 0, 4, 2, 7, 0, 0, 8, 0, 0, 0, 0},                // HEARTBEAT, SHUTDOWN
		{129, 1, 2, 3, 4, 128},                                                // not SCTP, and an empty record
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		a := associate(t, l, &certificate)
		rtcPackets(in, func(raw bool, b []byte) {
			if raw {
				_, _ = a.secret.Write(b)
			} else {
				a.packet(b)
			}
		})
		neighbour.says(t, l, "still here")
		a.close()
		for limit := testenv.Limit(t); l.Open() > 1; testenv.Pause() {
			require.False(t, testenv.Expired(limit), "the peer stays")
		}
	})
}

// TestAbortedAssociation: a packet made by hand arrives in the server's SCTP, so the fuzz test
// reaches it.
func TestAbortedAssociation(t *testing.T) {
	l, _ := openRTC(t)
	certificate, err := selfsign.GenerateSelfSigned()
	require.NoError(t, err)
	a := associate(t, l, &certificate)
	a.packet([]byte{6, 0, 0, 4})
	gone(t, l)
	a.close()
}
