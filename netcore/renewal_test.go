package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// meet passes the packets of both ends to each other for d, every 32 ms. lost drops packets of a.
func meet(t *testing.T, a, b *testConn, now *Time, d Time, lost func() bool) {
	t.Helper()
	for end := *now + d; *now < end; *now += 32 * ms {
		a.Tick(*now)
		b.Tick(*now)
		a.stream.want, b.stream.want = 1, 1
		for _, packet := range a.send(*now) {
			if !lost() {
				b.take(*now, packet)
			}
		}
		for _, packet := range b.send(*now) {
			a.take(*now, packet)
		}
	}
	for _, c := range []*testConn{a, b} {
		r, over := c.Closed()
		require.False(t, over, r)
		require.Zero(t, c.Stats().Forged)
	}
}

// TestKeysAreRenewedByTime: both sides renew their keys every two minutes. No packet is lost, also
// if the announcement is.
func TestKeysAreRenewedByTime(t *testing.T) {
	for _, drop := range []int{0, 3} {
		a, b := newTestConns(ConnConfig{})
		now := Time(0)
		first := [2][]byte{a.forge(kindDrop, 1, func(*bitstream.Writer) {}), b.forge(kindDrop, 1, func(*bitstream.Writer) {})}
		losing := 0
		lost := func() bool {
			if !a.rates.keys.announced() && losing == 0 {
				return false
			}
			losing++
			return losing <= drop
		}
		meet(t, a, b, &now, keyLife-100*ms, lost)
		assert.Zero(t, a.rates.keys.began)
		meet(t, a, b, &now, 2*time.Second, lost)
		assert.Greater(t, a.rates.keys.began, Time(0))
		assert.Greater(t, b.rates.keys.began, Time(0))
		assert.True(t, a.cfg.Keys.Overlaps())
		meet(t, a, b, &now, keyOverlap+time.Second, lost)
		assert.False(t, a.cfg.Keys.Overlaps(), "the old key is gone")
		assert.False(t, b.cfg.Keys.Overlaps())
		for i, c := range []*testConn{b, a} {
			c.Receive(now, first[i])
			assert.EqualValues(t, 1, c.Stats().Forged, "sealed under the old key")
			c.stats.Forged = 0
		}
		before := a.rates.keys.began
		meet(t, a, b, &now, 3*keyLife, lost)
		assert.GreaterOrEqual(t, a.rates.keys.began, before+2*keyLife)
	}
}

// TestKeysAreRenewedByCount: many packets make a key old, too.
func TestKeysAreRenewedByCount(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	now := Time(0)
	a.stats.Sent = keyPackets - 10
	meet(t, a, b, &now, time.Second, func() bool { return false })
	assert.Greater(t, a.rates.keys.began, Time(0))
	assert.Zero(t, b.rates.keys.began)
}

// TestOvertakenPacketsUnderTheOldKey: a packet that arrives after the first one under the new key
// is read all the same.
func TestOvertakenPacketsUnderTheOldKey(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	now := Time(0)
	meet(t, a, b, &now, keyLife-time.Second, func() bool { return false })
	for a.rates.keys.began == 0 {
		require.Less(t, now, keyLife+time.Second)
		a.Tick(now)
		a.stream.want = 1
		sent := a.send(now)
		overtaken := len(sent) > 0 && a.rates.keys.carrier != 0
		b.take(now, sent...)
		b.Tick(now)
		b.stream.want = 1
		back := b.send(now)
		if overtaken { // one more packet under the old key, before a learns of the delivery
			a.stream.want = 1
			late := a.send(now + 1*ms)
			require.NotEmpty(t, late)
			a.take(now+1*ms, back...)
			require.NotZero(t, a.rates.keys.began)
			a.stream.want = 1
			fresh := a.send(now + 2*ms)
			require.NotEmpty(t, fresh)
			b.take(now+2*ms, fresh...)
			assert.True(t, b.cfg.Keys.Overlaps())
			received := b.Stats().Received
			b.take(now+2*ms, late...)
			assert.Greater(t, b.Stats().Received, received)
			assert.Zero(t, b.Stats().Forged)
			break
		}
		a.take(now, back...)
		now += 32 * ms
	}
}

// TestTwoNewKeysAtOnce: a peer that announces a new key before it has used the last one breaks a
// rule.
func TestTwoNewKeysAtOnce(t *testing.T) {
	a, b := newTestConns(ConnConfig{})
	announce := func(s *bitstream.Writer) {
		s.WriteBits(0, 15)
		s.WriteFlag(true)
		s.WriteBits(newKeyCode, packetsBits)
		s.WriteBits(0, 1)
	}
	b.take(0, a.forge(kindData, 1, announce))
	_, over := b.Closed()
	require.False(t, over)
	b.take(0, a.forge(kindData, 2, announce))
	r, over := b.Closed()
	assert.True(t, over)
	assert.Equal(t, Reason{Violation, "a new key before the last one was used"}, r)
}
