package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// forge encrypts any text as the peer would. Only a dishonest peer sends such packets.
func (w *testConn) forge(kind byte, number uint64, write func(s *bitstream.Writer)) []byte {
	bw := bitstream.NewWriter(make([]byte, MaxPlain))
	write(bw)
	clear := []byte{kind | byte(number<<2), byte(number >> 6)}
	return w.cfg.Keys.Seal(clear, clear, bw.Bytes(), kind, number)
}

func (w *testConn) forgeData(n, ack Seq, lost ...Seq) []byte {
	return w.forge(kindData, uint64(n), func(s *bitstream.Writer) {
		h := dataHeader{acks: ackBlock{ack: ack}}
		for _, l := range lost {
			h.acks.mark(l)
		}
		h.serialize(&s.Codec, 0)
		s.WriteBits(0, 2)
	})
}

func (w *testConn) forgeControl(number uint64, h controlHeader) []byte {
	return w.forge(kindControl, number, func(s *bitstream.Writer) { h.serialize(&s.Codec) })
}

func TestViolations(t *testing.T) {
	for _, tt := range []struct {
		name string
		lie  func(a *testConn) []byte
		want Reason
	}{
		{"ack of unsent", func(a *testConn) []byte { return a.forgeData(1, 3) }, Reason{Violation, "ack of packet 3: the newest sent packet is 2"}},
		{"far ack of unsent", func(a *testConn) []byte { return a.forgeData(1, 1<<40) }, Reason{Violation, "ack of packet 1099511627776: the newest sent packet is 2"}},
		{"ack of unsent in a control packet", func(a *testConn) []byte {
			return a.forgeControl(1, controlHeader{kind: controlAck, acks: ackBlock{ack: 9}})
		}, Reason{Violation, "ack of packet 9: the newest sent packet is 2"}},
		{"data beyond the window", func(a *testConn) []byte { return a.forgeData(Window+1, 0) }, Reason{Violation, "packet 1025 is beyond the end of the window (1024)"}},
		{"ping beyond the window", func(a *testConn) []byte {
			return a.forgeControl(1, controlHeader{kind: controlPing, newest: Window + 1})
		}, Reason{Violation, "ping for packet 1025 is beyond the end of the window (1024)"}},
		{"empty data packet", func(a *testConn) []byte { return a.forge(kindData, 1, func(*bitstream.Writer) {}) }, Reason{BadPacket, "header: " + bitstream.ErrShort.Error()}},
		{"empty control packet", func(a *testConn) []byte { return a.forge(kindControl, 1, func(*bitstream.Writer) {}) }, Reason{BadPacket, "malformed control packet"}},
		{"sections missing", func(a *testConn) []byte {
			return a.forge(kindData, 1, func(s *bitstream.Writer) { s.WriteBits(0, 15); s.WriteBits(2, 2) })
		}, Reason{BadPacket, "section scribe: " + bitstream.ErrShort.Error()}},
		{"something behind the sections", func(a *testConn) []byte {
			return a.forge(kindData, 1, func(s *bitstream.Writer) { s.WriteBits(0, 40) })
		}, Reason{BadPacket, "23 bits left after the last section"}},
		{"the gaps in the acks exceed the window", func(a *testConn) []byte {
			return a.forge(kindData, 1, func(s *bitstream.Writer) {
				s.WriteBits(0, 6)
				one, wide := uint64(1), uint64(Window+1)
				s.WriteBits(1, 1)
				s.Gamma(&one)
				s.Gamma(&wide)
				s.WriteBits(0, 40)
			})
		}, Reason{BadPacket, "header: " + errGaps.Error()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := newTestConns(ConnConfig{})
			b.packets(t, 0, 2)
			b.take(0, tt.lie(a))
			got, over := b.Closed()
			require.True(t, over)
			assert.Equal(t, tt.want, got)
			assert.Contains(t, b.read(), "-1 -2 closed ended:")
			require.Len(t, b.send(0), 1)
			a.take(0, b.sent...)
			got, _ = a.Closed()
			assert.Equal(t, tt.want, got, "the peer is told")
		})
	}
}

func TestAckAtTheEdges(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.packets(t, 0, 2)
	b.take(0, a.forgeData(1, 2, 1))
	assert.Equal(t, "-1 +2", b.read())
	b.take(0, a.forgeData(1+Window, 2))
	_, over := b.Closed()
	assert.False(t, over, "the last of the window is legal")
}

// Now and then a number is skipped. A peer that acknowledges it is cheating.
func TestSkippedNumber(t *testing.T) {
	for _, lie := range []bool{false, true} {
		a, b := newTestConns(ConnConfig{})
		b.packets(t, 0, 1)
		b.out.untilSkip = 0
		b.packets(t, 0, 1)
		require.Equal(t, Seq(3), b.out.newest)
		if lie {
			b.take(0, a.forgeData(1, 3))
			assert.Equal(t, "+1 -3 closed ended: protocol violation: ack of packet 2, which was never sent", b.read())
			continue
		}
		b.take(0, a.forgeData(1, 3, 2))
		assert.Equal(t, "+1 +3", b.read(), "it has no fate")
		assert.GreaterOrEqual(t, b.out.untilSkip, minSkip-1)
	}
}

func TestNumbersAreSkipped(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	for i := Seq(0); i < 2*maxSkip; i++ {
		b.take(0, a.packets(t, 0, 1)...)
		b.Tick(0)
		a.take(0, b.packets(t, 0, 1)...)
		a.Tick(0)
	}
	assert.Greater(t, a.out.newest, Seq(2*maxSkip+1))
	assert.Zero(t, a.Stats().Dropped)
}

func TestCheckNamesTheSection(t *testing.T) {
	a, b := newTestConns(ConnConfig{Check: true})
	b.take(0, a.packets(t, 0, 2)...)
	assert.Equal(t, "1 2", b.read())
	b.streams[0] = &shortReader{b.stream}
	b.take(0, a.packets(t, 0, 1)...)
	got, _ := b.Closed()
	assert.Equal(t, "bad packet: section asymmetric: written up to bit 33, read up to bit 30", got.String())
}

// shortReader reads three bits less than its peer wrote.
type shortReader struct{ *recordingStream }

func (shortReader) Name() string { return "asymmetric" }
func (shortReader) Unpack(r *bitstream.Reader, _ Incoming) error {
	r.ReadBits(14)
	return nil
}

func TestAnnouncedRate(t *testing.T) {
	a, b := newTestConns(ConnConfig{MaxSend: Rate{Packets: 20, Size: 1200}})
	assert.Equal(t, Rate{20, 1200}, a.SendRate())
	b.SetReceiveRate(Rate{Packets: 10.125, Size: 200})
	lost := b.send(0)
	require.Len(t, lost, 1, "a rate change is worth a packet")
	assert.Empty(t, b.send(40*ms), "but only one")

	// The next packet reveals the loss; then the announcement is repeated.
	a.take(0, b.packets(t, 0, 1)...)
	a.Tick(1 * ms)
	b.take(0, a.packets(t, 1*ms, 1)...)
	again := b.send(2 * ms)
	require.Len(t, again, 1)
	a.take(3*ms, again...)
	assert.Equal(t, Rate{10.125, 200}, a.SendRate())

	a.SetMaxSend(Rate{Packets: 5, Size: 150})
	assert.Equal(t, Rate{5, 150}, a.SendRate(), "the smaller of both")
	a.SetMaxSend(Rate{Packets: 50, Size: 1000})
	a.Boost(true)
	assert.Equal(t, Rate{50, 1000}, a.SendRate(), "loading uses the own cap")
	a.Boost(false)
	assert.Equal(t, Rate{10.125, 200}, a.SendRate())
}

func TestDeliveredAnnouncementIsNotRepeated(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.SetReceiveRate(Rate{Packets: 10})
	a.take(0, b.send(0)...)
	b.SetReceiveRate(Rate{Packets: 11})
	second := b.send(40 * ms)
	a.take(40*ms, second...)
	assert.Equal(t, 11., a.SendRate().Packets)
	b.take(40*ms, a.packets(t, 40*ms, 1)...)
	b.SetReceiveRate(Rate{Packets: 11})
	assert.Empty(t, b.send(100*ms))
}

func TestPacketsPerSecond(t *testing.T) {
	for _, tt := range []struct {
		rate  Rate
		first int // packets at time 0
	}{
		{Rate{10, 200}, 2}, {Rate{31.25, 1200}, 7}, {Rate{1, 100}, 1}, {Rate{125, 1200}, 8},
	} {
		a, _ := newTestConns(ConnConfig{PeerRate: tt.rate})
		a.stream.want = 1 << 20
		assert.Len(t, a.send(0), tt.first, "burst at %v", tt.rate)
		sent := 0
		for now := Time(0); now <= 20*time.Second && a.out.room(); now += ms {
			for _, d := range a.send(now) {
				if d[0]&3 == kindData {
					sent++
				}
			}
			a.out.abandon(func(Seq) {})
			a.rate.line.Start(now) // the congestion control must not limit it
		}
		assert.InDelta(t, 20*tt.rate.Packets, float64(sent), 1.5, "%v", tt.rate)
		assert.GreaterOrEqual(t, a.Due(20*time.Second), 20*time.Second)
	}
}

// fullStream fills its section to the last bit.
type fullStream struct{ recordingStream }

func (g *fullStream) Pack(w *bitstream.Writer, p Outgoing) bool {
	w.WriteFlag(g.want > 0)
	for g.want > 0 && w.Left() > 0 {
		w.WriteBits(1, 1)
	}
	g.want = max(g.want-1, 0)
	return true
}

func TestPacketSize(t *testing.T) {
	for _, size := range []int{100, 200, 450, 1200} {
		for _, check := range []bool{false, true} {
			a, _ := newTestConns(ConnConfig{PeerRate: Rate{Size: size}, Check: check})
			a.streams = []Stream{&fullStream{recordingStream{want: 1, log: &a.record}}, a.stream}
			a.stream.want = 0
			a.Send(0, func(_ Addr, d []byte) { a.sent = append(a.sent, d) })
			require.NotEmpty(t, a.sent)
			assert.Len(t, a.sent[0], size, "the later stream had room to say nothing")
		}
	}
}

func TestRTTWithAckDelay(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	b.take(0, a.packets(t, 0, 7)...)
	for now := Time(0); now < 3*time.Second; now += 100 * ms {
		b.take(now+30*ms, a.packets(t, now, 1)...)
		a.take(now+30*ms+20*ms+30*ms, b.packets(t, now+30*ms+20*ms, 1)...)
	}
	assert.Equal(t, 60*ms, a.RTT(), "the 20 ms b waited are not the line's")
}

func TestLogPacket(t *testing.T) {
	var lines []string
	log := &Log{Level: LogPackets, Print: func(s string) { lines = append(lines, s) }}
	a, b := newTestConns(ConnConfig{Log: log})
	b.take(0, a.packets(t, 0, 1)...)
	assert.Equal(t, []string{
		"sim:2 open", "sim:1 open",
		"sim:2 <- data 1 ack 0: header 31, rate 1, scribe 17 bits, 23 bytes",
		"sim:1 -> data 1 ack 0: header 31, rate 1, scribe 17 bits, 23 bytes",
	}, lines)
	log.Level = LogOff
	a.Close(Reason{})
	assert.Len(t, lines, 4)
}

func TestSetLink(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.SetLink(LinkParams{Delay: 100 * ms})
	a.stream.want = 1
	assert.Empty(t, a.send(0))
	assert.Equal(t, 100*ms, a.Due(0))
	sent := a.send(100 * ms)
	require.Len(t, sent, 1)
	b.take(100*ms, sent...)
	a.take(100*ms, b.packets(t, 100*ms, 1)...)
	assert.Empty(t, a.read())
	a.Tick(200 * ms)
	assert.Equal(t, "+1 1", a.read())
	a.SetLink(LinkParams{})
	b.take(200*ms, a.packets(t, 200*ms, 1)...)
	b.Tick(200 * ms)
	assert.Equal(t, "1 +1 2", b.read())
}
