package netcore

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// closingStream closes its connection at a chosen moment.
type closingStream struct {
	recordingStream
	conn           *Conn
	inPack, inFate bool
}

func (s *closingStream) Pack(w *bitstream.Writer, p Outgoing) bool {
	if s.inPack {
		p.Conn.Close(Reason{Overflow, "too much"})
	}
	return s.recordingStream.Pack(w, p)
}

func (s *closingStream) Notify(seq Seq, delivered bool) {
	s.recordingStream.Notify(seq, delivered)
	if s.inFate {
		s.conn.Close(Reason{Overflow, "too much"})
	}
}

// Every stream gets the fate of every packet before any stream is told of the end.
func TestCloseWithinNotify(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	first := &closingStream{recordingStream: recordingStream{log: &a.record}, conn: a.Conn, inFate: true}
	a.streams = []Stream{first, a.stream}
	b.streams = []Stream{&recordingStream{log: &b.record}, b.stream}
	b.take(0, a.packets(t, 0, 2)...)
	a.packets(t, 0, 1)
	a.take(0, b.packets(t, 0, 1)...)
	assert.Equal(t, "+1 +1 +2 +2 -3 -3 closed closed ended: overflow: too much", a.read())
}

// Send calls no Notify, so several connections can run Send in parallel.
func TestCloseWithinPack(t *testing.T) {
	a, _ := newTestConns(ConnConfig{})
	a.packets(t, 0, 1)
	a.streams[0] = &closingStream{recordingStream: recordingStream{log: &a.record, want: 1}, inPack: true}
	assert.Empty(t, a.send(1*ms), "the packet at hand is abandoned")
	assert.Empty(t, a.read())
	_, over := a.Closed()
	assert.True(t, over)
	assert.False(t, a.Done())
	a.Tick(2 * ms)
	assert.Equal(t, "-1 closed ended: overflow: too much", a.read())
	assert.Len(t, a.send(2*ms), 1)
}

func TestNoSectionIsReadAfterClose(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	p := a.packets(t, 0, 4)
	b.take(0, p[1])
	b.Fail(Reason{Code: Replaced})
	assert.Equal(t, "closed ended: replaced by a newer connection", b.read())
	b.take(0, p[0], p[3])
	b.Tick(100 * ms)
	assert.Empty(t, b.read())
	assert.Empty(t, b.held)
	assert.True(t, b.Done(), "Fail has nothing to say to the peer")
}

func TestReasonsFromThePeer(t *testing.T) {
	for _, tt := range []struct{ said, heard Reason }{
		{Reason{Kicked, "go\x07 away"}, Reason{Kicked, "go  away"}},
		{Reason{TimedOut, "x"}, Reason{TimedOut, "x"}},
		{Reason{ConnectTimeout, "x"}, Reason{Closed, "no answer: x"}},
		{Reason{31, "x"}, Reason{Closed, "unknown reason: x"}},
	} {
		a, b := newTestConns(ConnConfig{})
		b.take(0, a.forge(kindDrop, 1, func(w *bitstream.Writer) { tt.said.serialize(&w.Codec) }))
		got, over := b.Closed()
		assert.True(t, over)
		assert.Equal(t, tt.heard, got)
	}
	a, b := newTestConns(ConnConfig{})
	b.take(0, a.forge(kindDrop, 1, func(*bitstream.Writer) {}))
	got, _ := b.Closed()
	assert.Equal(t, Reason{Code: Closed}, got, "an unreadable farewell is one")
}

func TestLongReason(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.Close(Reason{Kicked, strings.Repeat("ab", 5000)})
	b.take(0, a.send(0)...)
	got, over := b.Closed()
	require.True(t, over)
	assert.Equal(t, Kicked, got.Code)
	assert.Len(t, got.Text, MaxReasonText)
}

func TestPingReleasesFollowingPackets(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.packets(t, 0, 1)
	ping := a.send(200 * ms)
	b.take(200*ms, a.packets(t, 200*ms, 1)...)
	assert.Empty(t, b.read())
	b.take(200*ms, ping...)
	assert.Equal(t, "2", b.read(), "the gap before it is closed")
}
