package netcore

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/congestion"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/seal"
)

const ms = time.Millisecond

// recordingStream is a stream that sends a number when asked and records what happens: "7" for a
// number read, "+3" for a packet delivered, "-4" for a packet lost.
type recordingStream struct {
	name   string
	want   int
	log    *[]string
	refuse error
	closes *Reason // reason to close when a packet is read
	blocks bool
}

func (s *recordingStream) Blocked() bool { return s.blocks }

func (s *recordingStream) Name() string { return s.name }

func (s *recordingStream) Pack(w *bitstream.Writer, p Outgoing) bool {
	if !w.WriteFlag(s.want > 0) {
		return false
	}
	s.want--
	w.WriteBits(uint64(p.Seq), 16)
	return true
}

func (s *recordingStream) Unpack(r *bitstream.Reader, p Incoming) error {
	if r.ReadFlag() {
		*s.log = append(*s.log, fmt.Sprint(r.ReadBits(16)))
	}
	if s.closes != nil {
		p.Conn.Close(*s.closes)
	}
	return s.refuse
}

func (s *recordingStream) Notify(seq Seq, delivered bool) {
	sign := map[bool]string{true: "+", false: "-"}[delivered]
	*s.log = append(*s.log, fmt.Sprintf("%s%d", sign, seq))
}

func (s *recordingStream) Closed(r Reason) { *s.log = append(*s.log, "closed") }

// testConn is one end of a connection and the packets that it sent.
type testConn struct {
	*Conn
	stream *recordingStream
	record []string
	sent   [][]byte
}

func (w *testConn) send(now Time) [][]byte {
	w.sent = nil
	w.Send(now, func(_ Addr, d []byte) { w.sent = append(w.sent, append([]byte(nil), d...)) })
	return w.sent
}

// packets sends n data packets, each at a different time.
func (w *testConn) packets(t *testing.T, now Time, n int) [][]byte {
	w.rate.tokens, w.rate.at = float64(n)+1, now
	w.rate.boosted = true // not limited by the congestion control
	w.stream.want = n
	sent := w.send(now)
	w.rate.boosted = false
	require.Len(t, sent, n)
	return sent
}

func (w *testConn) take(now Time, datagrams ...[]byte) {
	for _, d := range datagrams {
		w.Receive(now, d)
	}
}

// read returns the record and starts a new one.
func (w *testConn) read() string {
	s := strings.Join(w.record, " ")
	w.record = nil
	return s
}

func newTestConns(cfg ConnConfig) (a, b *testConn) {
	ka, kb := netcoretest.Pairs(1)
	end := func(keys *seal.Session, to Addr) *testConn {
		w := new(testConn)
		w.stream = &recordingStream{name: "scribe", log: &w.record}
		c := cfg
		c.Keys, c.Addr = keys, to
		c.Streams = func(*Conn) []Stream { return []Stream{w.stream} }
		c.Ended = func(_ *Conn, r Reason) { w.record = append(w.record, "ended: "+r.String()) }
		w.Conn = NewConn(0, c)
		return w
	}
	return end(ka, SimAddr(2)), end(kb, SimAddr(1))
}

func TestDelivery(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.take(50*ms, a.packets(t, 0, 3)...)
	assert.Equal(t, "1 2 3", b.read())
	assert.False(t, a.Established())

	a.take(100*ms, b.packets(t, 60*ms, 1)...)
	assert.Equal(t, "+1 +2 +3 1", a.read(), "fates come before the sections")
	assert.True(t, a.Established())
	assert.Zero(t, a.InFlight())
}

func TestNoPacketWithoutData(t *testing.T) {
	a, _ := newTestConns(ConnConfig{})
	for now := Time(0); now < 4*time.Second; now += 32 * ms {
		a.Tick(now)
		assert.Empty(t, a.send(now))
	}
	assert.Equal(t, Seq(1), a.out.next(), "an abandoned packet uses no number")
}

func TestHeldPackets(t *testing.T) {
	for _, tt := range []struct {
		name string
		play func(b *testConn, p [][]byte)
		want string
	}{
		{"in order", func(b *testConn, p [][]byte) { b.take(0, p...) }, "1 2 3 4"},
		{"swapped, the gap fills", func(b *testConn, p [][]byte) { b.take(0, p[1], p[0], p[3], p[2]) }, "1 2 3 4"},
		{"backwards", func(b *testConn, p [][]byte) { b.take(0, p[3], p[2], p[1], p[0]) }, "1 2 3 4"},
		{"twice", func(b *testConn, p [][]byte) { b.take(0, p[0], p[0], p[2], p[2], p[1], p[1], p[2], p[3], p[3]) }, "1 2 3 4"},
		{"a lone packet waits", func(b *testConn, p [][]byte) { b.take(0, p[0], p[2]) }, "1"},
		{"but not past a Tick", func(b *testConn, p [][]byte) { b.take(0, p[0], p[2]); b.Tick(1 * ms) }, "1 3"},
		{"its predecessor is late then", func(b *testConn, p [][]byte) { b.take(0, p[0], p[2]); b.Tick(1 * ms); b.take(1*ms, p[1], p[3]) }, "1 3 4"},
		{"two wait longer", func(b *testConn, p [][]byte) { b.take(0, p[0], p[2], p[3]); b.Tick(7 * ms) }, "1"},
		{"their gap fills in time", func(b *testConn, p [][]byte) { b.take(0, p[0], p[2], p[3]); b.Tick(7 * ms); b.take(7*ms, p[1]) }, "1 2 3 4"},
		{"8 ms", func(b *testConn, p [][]byte) { b.take(0, p[0], p[2], p[3]); b.Tick(8 * ms) }, "1 3 4"},
		{"each its own 8 ms", func(b *testConn, p [][]byte) { b.take(0, p[1]); b.take(5*ms, p[3]); b.Tick(8 * ms) }, "2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := newTestConns(ConnConfig{})
			tt.play(b, a.packets(t, 0, 4))
			assert.Equal(t, tt.want, b.read())
		})
	}
}

func TestHeldPacketsAreFew(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	p := a.packets(t, 0, 40)
	b.take(0, p[1:1+maxHeld]...)
	assert.Empty(t, b.read())
	b.take(0, p[1+maxHeld])
	assert.Equal(t, 1+maxHeld, len(strings.Fields(b.read())), "one too many: the gap is closed and all follow")
	b.take(0, p[0])
	assert.Empty(t, b.read())
}

func TestFatesOfLosses(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	p := a.packets(t, 0, 6)
	b.take(10*ms, p[0], p[2], p[3], p[5])
	b.Tick(20 * ms)
	b.read()
	a.take(30*ms, b.packets(t, 20*ms, 1)...)
	assert.Equal(t, "+1 -2 +3 +4 -5 +6 1", a.read())
	assert.InDelta(t, 2./64, a.Loss(), .01)
}

// TestBlockedStream: a connection with a blocked stream refuses packets. Their verdict is lost, as
// they were never read. Later packets arrive.
func TestBlockedStream(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	p := a.packets(t, 0, 6)
	b.take(0, p[0], p[1])
	b.stream.blocks = true
	b.take(0, p[2], p[4])
	b.Tick(20 * ms)
	b.stream.blocks = false
	b.take(20*ms, p[2], p[4], p[5])
	assert.Equal(t, "1 2 6", b.read())
	assert.EqualValues(t, 2, b.Stats().Refused)
	assert.EqualValues(t, 3, b.Stats().Received)
	a.take(30*ms, b.packets(t, 20*ms, 1)...)
	assert.Equal(t, "+1 +2 -3 -4 -5 +6 1", a.read())
}

// TestFirstPacketsAreAckedAtOnce: four of the first packets of a connection that arrive together
// wait for no Tick, because the ack shows the peer a fast line.
func TestFirstPacketsAreAckedAtOnce(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.take(0, a.packets(t, 0, 3)...)
	assert.Empty(t, b.send(0))
	b.take(ms, a.packets(t, ms, 1)...)
	assert.Len(t, b.send(ms), 1)
	b.take(2*ms, a.packets(t, 2*ms, maxUnacked-5)...)
	b.send(2 * ms)
	b.take(3*ms, a.packets(t, 3*ms, 8)...)
	assert.Empty(t, b.send(3*ms), "later packets wait")
}

func TestBareAck(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.take(0, a.packets(t, 0, 2)...)
	assert.Empty(t, b.send(0), "a data packet may come until the next Tick")
	b.Tick(32 * ms)
	acks := b.send(32 * ms)
	require.Len(t, acks, 1)
	assert.Empty(t, b.send(33*ms), "once is enough")
	a.take(33*ms, acks...)
	assert.Equal(t, "+1 +2", a.read())
	assert.Equal(t, time.Millisecond, a.RTT(), "the ack says how long it waited")

	b.take(40*ms, a.packets(t, 40*ms, maxUnacked)...)
	assert.Len(t, b.send(41*ms), 1, "many packets wait for no Tick")

	b.take(50*ms, a.packets(t, 50*ms, 1)...)
	b.Tick(60 * ms)
	b.packets(t, 60*ms, 1)
	b.Tick(92 * ms)
	assert.Empty(t, b.send(92*ms), "the data packet carried it")

	b.take(100*ms, a.packets(t, 100*ms, 1)...)
	b.Tick(110 * ms)
	b.rate.tokens, b.rate.at = 0, 110*ms
	assert.Empty(t, b.send(110*ms), "an ack keeps to the rate")
	assert.Len(t, b.send(b.Due(110*ms)), 1)
}

func TestTailLoss(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.packets(t, 0, 1) // and lost
	for _, now := range []Time{150 * ms, 450 * ms, 1050 * ms, 2250 * ms, 4250 * ms, 6250 * ms} {
		assert.Empty(t, a.send(now-ms), "before %v", now)
		assert.Equal(t, now, a.Due(now-ms))
		pings := a.send(now)
		require.Len(t, pings, 1, "at %v", now)
		if now == 6250*ms {
			b.take(now+10*ms, pings...)
			a.take(now+20*ms, b.send(now+10*ms)...)
		}
	}
	assert.Equal(t, "-1", a.read())
	assert.Equal(t, 20*ms, a.RTT(), "the answer measures the line")
}

func TestPingProcessesHeldPackets(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	p := a.packets(t, 0, 4)
	b.take(0, p[1], p[3])
	ping := a.send(200 * ms)
	p5 := a.packets(t, 201*ms, 2)
	b.take(200*ms, p5[1])
	b.take(200*ms, ping...)
	assert.Equal(t, "2 4", b.read(), "up to the number the ping names; 6 waits for 5")
	b.take(201*ms, p[0], p[2], p5[0])
	assert.Equal(t, "5 6", b.read())
	a.take(202*ms, b.send(202*ms)...)
	assert.Equal(t, "-1 +2 -3 +4 +5 +6", a.read())
}

func TestPingOnIdleConnection(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	const asks = quietServerKeepAlive
	assert.Empty(t, a.send(asks-ms))
	pings := a.send(asks)
	require.Len(t, pings, 1)
	b.take(asks-ms, pings...)
	answer := b.send(asks - ms)
	require.Len(t, answer, 1)
	a.take(asks+40*ms, answer...)
	assert.Equal(t, 40*ms, a.RTT())
	assert.Empty(t, a.send(2*asks))
	assert.Len(t, a.send(2*asks+40*ms), 1)
	assert.Empty(t, a.send(2*asks+40*ms+serverKeepAlive-ms))
	assert.Len(t, a.send(2*asks+40*ms+serverKeepAlive), 1, "a ping without an answer is repeated earlier")
}

// TestPingsWhileDataFlows: the pauses of a quiet connection begin two seconds after the last data
// packet, and end with the next one.
func TestPingsWhileDataFlows(t *testing.T) {
	for _, tt := range []struct{ dataAt, sampledAt, client, server Time }{
		{0, 0, 500 * ms, quietServerKeepAlive},
		{0, 1499 * ms, 1999 * ms, 1499*ms + quietServerKeepAlive},
		{0, 1500 * ms, 1500*ms + quietClientKeepAlive, 1500*ms + quietServerKeepAlive},
		{8000 * ms, 4000 * ms, 4500 * ms, 9000 * ms},
	} {
		for client, due := range map[bool]Time{true: tt.client, false: tt.server} {
			p := pinger{client: client, least: time.Hour, dataAt: tt.dataAt, sampledAt: tt.sampledAt}
			assert.Equal(t, due, p.due(false, 0), "%+v, client %v", tt, client)
			p.asked = 1
			assert.Equal(t, tt.sampledAt+keepAlive(client), p.due(false, 0), "%+v, client %v, no answer", tt, client)
		}
	}
	a, b := newTestConns(ConnConfig{})
	b.take(400*ms, a.packets(t, 400*ms, 1)...)
	assert.Equal(t, 400*ms, a.ping.dataAt)
	assert.Equal(t, 400*ms, b.ping.dataAt)
}

func TestTimeout(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.packets(t, 0, 2)
	a.Tick(44 * time.Second)
	_, over := a.Closed()
	assert.False(t, over)
	a.Tick(45 * time.Second)
	assert.Equal(t, "-1 -2 closed ended: timed out: no packet received for 45s", a.read())
	assert.Len(t, a.send(45*time.Second), 1, "the peer is told: perhaps it only cannot be heard")

	b.take(30*time.Second, a.sent...)
	a2, b2 := newTestConns(ConnConfig{Timeout: time.Second})
	b2.take(900*ms, a2.packets(t, 0, 1)...)
	b2.Tick(1800 * ms)
	_, over = b2.Closed()
	assert.False(t, over, "what was heard counts from when it came")
}

func TestClose(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.packets(t, 0, 3)
	a.Close(Reason{Kicked, "bad\nwords"})
	assert.Equal(t, "-1 -2 -3 closed ended: kicked: bad\nwords", a.read())
	a.Close(Reason{Code: SelfClosed})
	assert.Empty(t, a.read(), "it ends once")

	first := a.send(0)
	require.Len(t, first, 1)
	assert.Empty(t, a.send(99*ms))
	second := a.send(100 * ms)
	require.Len(t, second, 1, "sent again: the first may be lost")
	assert.False(t, a.Done())

	b.packets(t, 90*ms, 1)
	b.take(110*ms, second...)
	assert.Equal(t, "-1 closed ended: kicked: bad words", b.read())
	assert.False(t, b.Done())
	answer := b.send(110 * ms)
	require.Len(t, answer, 1)
	assert.True(t, b.Done())
	b.take(115*ms, second...)
	assert.True(t, b.Done(), "a replay wants no answer")
	a.take(120*ms, answer...)
	assert.True(t, a.Done())
	assert.Empty(t, a.send(time.Second))
}

func TestCloseGivesUp(t *testing.T) {
	a, _ := newTestConns(ConnConfig{})
	a.Close(Reason{Code: SelfClosed})
	sent := 0
	for now := Time(0); now < 20*time.Second; now += 32 * ms {
		sent += len(a.send(now))
	}
	assert.Equal(t, dropTries, sent)
	assert.True(t, a.Done())
}

func TestCloseInsideCallbacks(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.stream.closes = &Reason{Violation, "nonsense"}
	b.packets(t, 0, 2)
	b.take(0, a.packets(t, 0, 2)...)
	assert.Equal(t, "1 -1 -2 closed ended: protocol violation: nonsense", b.read())
	a.take(0, b.send(0)...)
	assert.Equal(t, "-1 -2 closed ended: protocol violation: nonsense", a.read())
}

func TestBothClose(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.Close(Reason{Code: SelfClosed})
	b.Close(Reason{Code: SelfClosed})
	da, db := a.send(0), b.send(0)
	a.take(0, db...)
	b.take(0, da...)
	a.send(0)
	b.send(0)
	assert.True(t, a.Done())
	assert.True(t, b.Done())
}

func TestUnpackErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want Reason
	}{
		{errors.New("no such event"), Reason{Violation, "section scribe: no such event"}},
		{Reason{Overflow, "too many events"}, Reason{Overflow, "too many events"}},
		{fmt.Errorf("wrapped: %w", Reason{Kicked, ""}), Reason{Kicked, ""}},
	} {
		a, b := newTestConns(ConnConfig{})
		b.stream.refuse = tt.err
		b.take(0, a.packets(t, 0, 1)...)
		got, _ := b.Closed()
		assert.Equal(t, tt.want, got)
	}
}

func TestWindow(t *testing.T) {
	a, _ := newTestConns(ConnConfig{MaxSend: Rate{1e9, BaseDatagram}})
	a.Boost(true)
	a.stream.want = 2 * Window
	sent := 0
	for now := Time(0); now < 100*ms; now += ms {
		sent += len(a.send(now))
	}
	assert.Equal(t, Window-1, sent)
	assert.Equal(t, Window-1, a.InFlight())
}

// TestNoLineInThisProcess: only the link between two ends in one process has no line that can be
// slow. Behind an address of this machine there can be a tunnel.
func TestNoLineInThisProcess(t *testing.T) {
	for address, slows := range map[Addr]bool{
		SimAddr(1):    true,
		remoteAddr(1): true,
		LocalAddr(1):  false,
		UDPAddr(netip.MustParseAddrPort("127.0.0.1:5")): true,
		UDPAddr(netip.MustParseAddrPort("[::1]:5")):     true,
		WebAddr(netip.MustParseAddr("127.0.0.1"), 5):    true,
	} {
		var s sendRate
		s.start(0, address, Rate{Auto, MaxSize}, Rate{MaxRate, MaxSize})
		first := s.line.Rate()
		for now := ms; now < 5*time.Second; now += 32 * ms {
			s.spend(now, MaxSize)
			var told congestion.Ack
			told.Add(true, MaxSize)
			told.Time(now-min(now, 20*ms+now/20), 0)
			s.acked(now, told)
		}
		assert.Equal(t, slows, s.line.Rate() < first, "%v", address)
	}
}
