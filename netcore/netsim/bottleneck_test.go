package netsim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

// TestBottleneck sends 128 bytes with headers every 16 ms: 64 kbit/s. A line of half that capacity
// delivers half of it, and its queue is full.
func TestBottleneck(t *testing.T) {
	n, _, y := pair(1, netcore.LinkParams{Delay: 10 * ms}, netcore.LinkParams{})
	line := NewBottleneck(32_000, 100*ms)
	n.Through(a, b, line)
	n.Run(10*time.Second, 16*ms)
	f := line.Flow(a)
	assert.InDelta(t, 10*32_000/8, f.DeliveredBytes, 256)
	assert.InDelta(t, 625, f.Delivered+f.Dropped, 5)
	assert.Equal(t, 128*f.Dropped, f.DroppedBytes)
	assert.InDelta(t, f.Delivered, len(y.heard), 1)
	assert.InDelta(t, float64(100*ms), float64(line.Wait(n.Now())), float64(40*ms))
	assert.Equal(t, 10*ms+16*ms+32*ms, y.at[0], "tick, serialisation, delay")
	assert.False(t, n.Idle())
}

func TestBottleneckChangesItsRate(t *testing.T) {
	n, _, y := pair(1, netcore.LinkParams{}, netcore.LinkParams{})
	line := NewBottleneck(1e6, time.Second)
	line.Rates = []RateChange{{At: 2 * time.Second, Rate: 32_000}, {At: 4 * time.Second, Rate: 1e6}}
	n.Through(a, b, line)
	n.Run(2*time.Second, 16*ms)
	before := len(y.heard)
	assert.InDelta(t, 125, before, 2)
	n.Run(4*time.Second, 16*ms)
	assert.InDelta(t, 62, len(y.heard)-before, 2)
	n.Run(5*time.Second, 16*ms)
	assert.InDelta(t, 312, len(y.heard), 3, "the queue is empty again")
}

// TestTokenBucket: after a pause, a token bucket sends what fits into it at once. Then it sends at
// the rate of the line. Its queue has room for Queue + Burst bytes.
func TestTokenBucket(t *testing.T) {
	n, x, y := pair(1, netcore.LinkParams{}, netcore.LinkParams{})
	x.quiet = true
	line := NewBottleneck(32_000, 100*ms)
	line.Burst = 200
	n.Through(a, b, line)
	n.Run(60*ms, 16*ms)
	require.Empty(t, y.at)
	for range 10 {
		n.Send(a, b, make([]byte, 72)) // 100 bytes with headers take 25 ms
	}
	assert.Equal(t, 4, line.Flow(a).Dropped, "6 × 100 bytes wait")
	n.Run(160*ms, 200*ms)
	require.GreaterOrEqual(t, len(y.at), 5)
	for i, at := range []netcore.Time{0, 0, 25 * ms, 50 * ms, 75 * ms} {
		assert.InDelta(t, float64(60*ms+at), float64(y.at[i]), float64(ms), "datagram %d", i)
	}
}

// TestDelayedAcks: a receiver acknowledges two segments at a time, one after 40 ms, and one behind
// a gap at once.
func TestDelayedAcks(t *testing.T) {
	var r CUBICReceiver
	acks := func(now netcore.Time) (n int) {
		r.Send(now, func(netcore.Addr, []byte) { n++ })
		return n
	}
	get := func(n byte) { r.Receive(0, a, []byte{n, 0, 0, 0}) }
	get(0)
	assert.Equal(t, cubicDelay, r.Due(0))
	assert.Zero(t, acks(cubicDelay-1))
	assert.Equal(t, 1, acks(cubicDelay))
	get(1)
	get(2)
	assert.Equal(t, 1, acks(0))
	get(4)
	assert.Equal(t, 1, acks(0))
	assert.Equal(t, netcore.Never, r.Due(0))
}

func TestDirectionsShareABottleneck(t *testing.T) {
	n, x, y := pair(1, netcore.LinkParams{}, netcore.LinkParams{})
	line := NewBottleneck(32_000, 50*ms)
	n.Through(a, b, line)
	n.Through(b, a, line)
	n.Run(10*time.Second, 16*ms)
	assert.InDelta(t, 312, len(x.heard)+len(y.heard), 5)
}

// wakeful wants to send every 5 ms, whatever the ticks are.
type wakeful struct {
	talker
	next netcore.Time
	sent []netcore.Time
}

func (w *wakeful) Due(netcore.Time) netcore.Time { return w.next }
func (w *wakeful) Send(now netcore.Time, _ func(netcore.Addr, []byte)) {
	if now >= w.next {
		w.sent, w.next = append(w.sent, now), now+5*ms
	}
}

func TestPunctual(t *testing.T) {
	for _, punctual := range []bool{false, true} {
		n, w := New(1), &wakeful{}
		n.Punctual = punctual
		n.Attach(a, w)
		n.Run(160*ms, 32*ms)
		assert.Len(t, w.sent, map[bool]int{false: 5, true: 32}[punctual])
	}
}

// TestCUBIC runs one and two flows over a line of 2 Mbit/s.
func TestCUBIC(t *testing.T) {
	for flows := 1; flows <= 2; flows++ {
		n, line := New(uint64(flows)), NewBottleneck(2e6, 100*ms)
		var sender []netcore.Addr
		for i := range uint16(flows) {
			from, to := netcore.SimAddr(1+i), netcore.SimAddr(10+i)
			n.Attach(from, &CUBIC{To: to, Start: netcore.Time(i) * time.Second})
			n.Attach(to, new(CUBICReceiver))
			n.Link(from, to, netcore.LinkParams{Delay: 25 * ms}, netcore.LinkParams{Delay: 25 * ms, Jitter: 10 * ms})
			n.Through(from, to, line)
			sender = append(sender, from)
		}
		n.Run(60*time.Second, 4*ms)
		used, most, least := 0., 0., 1.
		for _, s := range sender {
			share := float64(line.Flow(s).DeliveredBytes) * 8 / 60 / 2e6
			used, most, least = used+share, max(most, share), min(least, share)
		}
		t.Logf("%d flows use %.3f, the largest is %.2f times the smallest", flows, used, most/least)
		assert.Greater(t, used, .93)
		assert.Less(t, most/least, 2.)
		assert.Positive(t, line.Flow(sender[0]).Dropped)
	}
}
