package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTailLossTimer(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.rtt.smooth = 400 * ms
	first := a.packets(t, 0, 1)
	assert.Empty(t, a.send(799*ms), "twice the round trip")
	a.packets(t, 799*ms, 1)
	assert.Empty(t, a.send(1490*ms), "a packet sent later may reveal the loss")
	b.take(900*ms, first...)
	b.Tick(932 * ms)
	a.take(1500*ms, b.send(932*ms)...)
	assert.Equal(t, "+1", a.read())
	a.rtt.smooth = 400 * ms
	assert.Empty(t, a.send(2200*ms), "news of any packet restarts the wait")
	assert.Equal(t, 2300*ms, a.Due(2200*ms))
	assert.Len(t, a.send(2300*ms), 1)
}

func TestSmoothing(t *testing.T) {
	var e rttEstimate
	e.sample(0, 100*ms)
	assert.Equal(t, 100*ms, e.smooth, "the first counts whole")
	e.sample(ms, 180*ms)
	assert.Equal(t, 110*ms, e.smooth, "the others an eighth")
	e.sample(2*ms, -ms)
	assert.Less(t, e.smooth, 110*ms)
	e = rttEstimate{}
	e.sample(0, 0)
	assert.Equal(t, Time(1), e.smooth, "not mistaken for no sample")
}

func TestRoundTripSamples(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	bareAck := func(now Time) {
		b.take(now, a.packets(t, now, 1)...)
		b.Tick(now + 32*ms)
		a.take(now+80*ms, b.send(now+32*ms)...)
	}
	bareAck(0)
	assert.Equal(t, 48*ms, a.RTT(), "a bare ack says how long it waited")
	assert.Empty(t, a.send(80*ms))

	b.take(500*ms, a.packets(t, 500*ms, 1)...)
	a.take(900*ms, b.packets(t, 500*ms+delayUnknown*ms, 1)...)
	assert.Equal(t, 48*ms, a.RTT(), "a delay too long for its field measures nothing")
	assert.Equal(t, [3]Time{48 * ms, 48 * ms, 12 * ms}, [3]Time{a.RTT(), a.LeastRTT(), a.RTTVariation()})
}

func TestPongCountsOnce(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	require.Len(t, a.send(quietServerKeepAlive), 1)
	pong := func(number uint64, echo uint64) []byte {
		return b.forgeControl(number, controlHeader{kind: controlPong, echo: echo})
	}
	a.take(quietServerKeepAlive+10*ms, pong(1, 77))
	assert.Zero(t, a.RTT(), "it answers nothing we asked")
	a.take(quietServerKeepAlive+40*ms, pong(2, 1))
	a.take(quietServerKeepAlive+900*ms, pong(3, 1))
	assert.Equal(t, 40*ms, a.RTT())
}

// TestPongsSayHowLongTheyWaited: a busy peer does not raise the round-trip time of an idle
// connection.
func TestPongsSayHowLongTheyWaited(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	const asks = quietServerKeepAlive
	b.take(asks+20*ms, a.send(asks)...)
	b.ping.sampledAt = asks
	a.take(asks+90*ms, b.send(asks+70*ms)...)
	assert.Equal(t, 40*ms, a.RTT())
}

// TestAnswersPause: a peer that asks all the time gets few answers. They are outside of any rate.
func TestAnswersPause(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	answers := 0
	for n := range uint64(200) {
		now := Time(n) * 5 * ms
		b.take(now, a.forgeControl(2*n+1, controlHeader{kind: controlPing}), a.forgeControl(2*n+2, controlHeader{kind: controlSize, size: 64}))
		answers += len(b.send(now))
		assert.Greater(t, b.Due(now), now)
	}
	assert.InDelta(t, 2*20, answers, 2)
}

// TestChallengesAreAnsweredByClients checks that a client answers a flood of challenges at a
// limited rate, and a server not at all.
func TestChallengesAreAnsweredByClients(t *testing.T) {
	for id, want := range map[uint64]int{0: 0, 5: 20} {
		a, b := newTestConns(ConnConfig{Route: Route{ID: id}})
		answers := 0
		for n := range uint64(200) {
			now := Time(n) * 5 * ms
			b.take(now, a.forgeControl(n+1, controlHeader{kind: controlPath, challenge: n}))
			answers += len(b.send(now))
			assert.Greater(t, b.Due(now), now)
		}
		assert.InDelta(t, want, answers, 2)
	}
}

// TestBudgetAfterIdling: after an idle time the budget has tokens for more than its rate.
// Connections that are held back in the same period keep at least an equal share.
func TestBudgetAfterIdling(t *testing.T) {
	const bandwidth = 100_000.
	a, b := &Conn{}, &Conn{}
	budget := budget{rate: bandwidth}
	a.rate.grant.used = bandwidth // far more than a period's
	b.rate.grant.held = true
	conns := []*Conn{a, b}
	for _, c := range conns {
		require.True(t, budget.counts(c))
	}
	budget.endPeriod(budgetPeriod, conns)
	assert.InDelta(t, bandwidth/2, b.rate.grant.share, 1)
}

func TestAcksSpendTokens(t *testing.T) {
	a, b := newTestConns(ConnConfig{PeerRate: Rate{Packets: 1}})
	b.take(0, a.packets(t, 0, 1)...)
	b.Tick(0)
	require.Len(t, b.send(0), 1)
	b.take(1*ms, a.packets(t, 1*ms, 1)...)
	b.Tick(1 * ms)
	b.stream.want = 1
	assert.Empty(t, b.send(999*ms))
	assert.Len(t, b.send(1000*ms), 1)
}

func TestRateChangeAddsNoTokens(t *testing.T) {
	var s sendRate
	s.start(0, Addr{}, Rate{100, 1200}, Rate{125, 1200})
	assert.Equal(t, 8., s.tokens)
	s.limit(0, Rate{4, 1200})
	assert.Equal(t, 1., s.tokens, "a slow line gets no burst saved up at a fast one")
	s.spend(0, 0)
	s.limit(time.Second/8, Rate{100, 1200})
	assert.Equal(t, .5, s.tokens, "time that has passed counts at the old rate")
	assert.InDelta(t, float64(130*ms), float64(s.due()), 10)
}

func TestLongGapListInSmallPackets(t *testing.T) {
	_, b := newTestConns(ConnConfig{PeerRate: Rate{Size: MinSize}})
	for n := Seq(1); n <= Window; n++ {
		b.in.close(n%2 == 0)
	}
	b.packets(t, 0, 1)
	assert.Greater(t, len(b.sent[0]), MinSize, "the sections have room all the same")
	assert.LessOrEqual(t, len(b.sent[0]), MinSize+250)
}

func TestLinkKeepsOrder(t *testing.T) {
	l := NewLink(1, LinkParams{Delay: 10 * ms})
	for i := range byte(5) {
		l.Push(0, []byte{i})
	}
	assert.Equal(t, 10*ms, l.Due())
	var got []byte
	l.Pop(10*ms, func(d []byte) { got = append(got, d...) })
	assert.Equal(t, []byte{0, 1, 2, 3, 4}, got)
	assert.Equal(t, Never, l.Due())
}

// TestShortTimeouts: a timeout below the usual time between pings ends no idle connection, also
// when it is set later.
func TestShortTimeouts(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	a.SetTimeout(time.Second)
	exchange := func(from, to Time) {
		for now := from; now < to; now += 32 * ms {
			a.Tick(now)
			b.Tick(now)
			b.take(now, a.send(now)...)
			a.take(now, b.send(now)...)
		}
	}
	exchange(0, 20*time.Second)
	_, over := a.Closed()
	assert.False(t, over)
	a.Tick(21200 * ms)
	r, over := a.Closed()
	assert.True(t, over, "but silence does")
	assert.Equal(t, "timed out: no packet received for 1s", r.String())
	b.SetTimeout(0)
	assert.Equal(t, defaultTimeout, b.cfg.Timeout)
}

// TestPingOfAReceiver: towards a peer that only receives, the round-trip time is right after a
// second, and follows the line.
func TestPingOfAReceiver(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	type onTheWay struct {
		to *testConn
		b  []byte
		at Time
	}
	var line []onTheWay
	delay := 20 * ms
	run := func(from, to Time) {
		for now := from; now < to; now += 4 * ms {
			waiting := line
			line = nil
			for _, p := range waiting {
				if p.at > now {
					line = append(line, p)
				} else {
					p.to.take(now, p.b)
				}
			}
			if now%(32*ms) == 0 {
				a.Tick(now)
				a.stream.want = 1
			}
			if now%(32*ms) == 16*ms {
				b.Tick(now) // the tick of the peer comes when it likes
			}
			b.stream.want = 0
			for _, d := range a.send(now) {
				line = append(line, onTheWay{b, d, now + delay})
			}
			for _, d := range b.send(now) {
				line = append(line, onTheWay{a, d, now + delay})
			}
		}
	}
	run(0, 1024*ms)
	assert.InDelta(t, 40*ms, a.RTT(), float64(5*ms))
	delay = 100 * ms
	run(1024*ms, 21024*ms)
	assert.InDelta(t, 200*ms, a.RTT(), float64(20*ms))
}

// TestRareSamplesCountMore: a connection that is nearly silent learns of a longer route with its
// next few pings.
func TestRareSamplesCountMore(t *testing.T) {
	for _, tt := range []struct{ every, most, least Time }{
		{rareSample / 10, 130 * time.Millisecond, 50 * time.Millisecond},
		{rareSample, 250 * time.Millisecond, 220 * time.Millisecond},
	} {
		var e rttEstimate
		now := Time(0)
		for range 20 {
			now += tt.every
			e.sample(now, 50*time.Millisecond)
		}
		for range 3 {
			now += tt.every
			e.sample(now, 250*time.Millisecond)
		}
		assert.LessOrEqual(t, e.smooth, tt.most, "every %v", tt.every)
		assert.GreaterOrEqual(t, e.smooth, tt.least, "every %v", tt.every)
	}
}

// TestProgressEndsTheBackoff: pings in vain wait longer and longer. After an outage the next lost
// tail is asked for as early as the first.
func TestProgressEndsTheBackoff(t *testing.T) {
	const rtt = 50 * time.Millisecond
	p := pinger{least: time.Hour, dataAt: time.Hour}
	p.start(0)
	first := p.due(true, rtt)
	now := first
	for i := range uint64(5) {
		p.sent(now, i+1, true, rtt)
		now = p.due(true, rtt)
	}
	assert.Greater(t, now-p.progressAt, 2*first)
	p.progress(now)
	assert.Equal(t, now+first, p.due(true, rtt))
}
