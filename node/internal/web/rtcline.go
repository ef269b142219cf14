package web

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/datachannel"
	"github.com/pion/webrtc/v4"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

// rtcLine is a data channel of WebRTC: unordered, and without retransmissions. Each binary message
// is a datagram. The browser makes the channel: pion ignores that a channel is unreliable if both
// sides make it.
type rtcLine struct {
	pc     *webrtc.PeerConnection
	share  *share
	opened func(ip netip.Addr) bool // notes the address of the browser, when the channel is open
	lost   *atomic.Uint64

	begun   atomic.Bool   // there is a channel
	ready   chan struct{} // closed when channel and stream are set
	failed  chan struct{} // closed when nothing more can arrive
	failure sync.Once
	closing sync.Once

	channel *webrtc.DataChannel
	stream  datachannel.ReadWriteCloser
	acked   chan struct{} // gets a value when the browser has everything
}

var (
	errFailed = errors.New("the line has ended")
	errText   = errors.New("a message is a text")
)

// newRTCLine makes a line of a connection that waits for its offer.
func newRTCLine(pc *webrtc.PeerConnection, s *share) *rtcLine {
	l := &rtcLine{pc: pc, share: s, ready: make(chan struct{}), failed: make(chan struct{}), acked: make(chan struct{}, 1)}
	pc.OnDataChannel(func(d *webrtc.DataChannel) {
		most := d.MaxRetransmits()
		if d.Ordered() || most == nil || *most != 0 || l.begun.Swap(true) {
			l.fail()
			return
		}
		d.OnOpen(func() { l.open(d) })
	})
	pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		if s == webrtc.PeerConnectionStateFailed || s == webrtc.PeerConnectionStateClosed {
			l.fail()
		}
	})
	return l
}

// answer takes an offer, and returns the answer without candidates.
func (l *rtcLine) answer(offer string) (string, error) {
	if err := l.pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", err
	}
	answer, err := l.pc.CreateAnswer(nil)
	if err != nil {
		return "", err
	}
	return answer.SDP, l.pc.SetLocalDescription(answer)
}

// open begins to carry messages.
func (l *rtcLine) open(d *webrtc.DataChannel) {
	pair, err := l.pc.SCTP().Transport().ICETransport().GetSelectedCandidatePair()
	if err != nil || pair == nil {
		l.fail()
		return
	}
	ip, err := netip.ParseAddr(pair.Remote.Address)
	if err == nil {
		l.channel = d
		l.stream, err = d.Detach()
	}
	if err != nil || !l.opened(ip.Unmap().WithZone("")) {
		l.fail()
		return
	}
	d.OnBufferedAmountLow(func() {
		select {
		case l.acked <- struct{}{}:
		default:
		}
	})
	close(l.ready)
}

// read implements line.
func (l *rtcLine) read() (*udp.Packet, error) {
	select {
	case <-l.ready:
	case <-l.failed:
		return nil, errFailed
	}
	packet, err := udp.FillPacket(l.next)
	if err != nil {
		l.fail()
	}
	return packet, err
}

// next reads a message.
func (l *rtcLine) next(b []byte) (int, error) {
	n, text, err := l.stream.ReadDataChannel(b)
	if err == nil && text {
		err = errText
	}
	return n, err
}

// write implements line. SCTP sends a message at once while its window has room. When a window and
// a packet wait for an ack, the line is full: the message is lost, as on a line without SCTP.
func (l *rtcLine) write(b []byte) error {
	if l.channel.BufferedAmount() > window+netcore.MaxDatagram {
		l.lost.Add(1)
		return nil
	}
	_, err := l.stream.Write(b)
	return err
}

// fail ends the line at once.
func (l *rtcLine) fail() {
	l.failure.Do(func() {
		close(l.failed)
		go l.close() // the callers are callbacks of what it closes
	})
}

// end implements line.
func (l *rtcLine) end() { time.AfterFunc(endTime, l.fail) }

// close implements line. It waits until the browser has everything, for endTime at most.
func (l *rtcLine) close() {
	l.closing.Do(func() {
		select {
		case <-l.ready:
			l.flush()
		default: // nothing was written
		}
		_ = l.pc.Close()
		l.share.close()
	})
}

// flush waits until the browser has everything.
func (l *rtcLine) flush() {
	for limit := time.After(endTime); l.channel.BufferedAmount() > 0; {
		select {
		case <-l.acked:
		case <-l.failed:
			return
		case <-limit:
			return
		}
	}
}
