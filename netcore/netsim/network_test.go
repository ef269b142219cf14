package netsim

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
)

const ms = time.Millisecond

var a, b = netcore.SimAddr(1), netcore.SimAddr(2)

// talker sends a numbered datagram to a peer at each of its ticks.
type talker struct {
	to     netcore.Addr
	ready  bool
	count  int
	quiet  bool
	heard  []byte         // first byte of each datagram
	at     []netcore.Time // when it came
	broken int            // datagrams whose two bytes disagree
}

func (t *talker) Tick(netcore.Time) { t.ready = true }
func (t *talker) Receive(now netcore.Time, from netcore.Addr, d []byte) {
	t.heard, t.at = append(t.heard, d[0]), append(t.at, now)
	for _, x := range d {
		if x != d[0] {
			t.broken++
			break
		}
	}
}

func (t *talker) Send(now netcore.Time, out func(netcore.Addr, []byte)) {
	if t.ready && !t.quiet {
		t.count++
		d := make([]byte, 100)
		for i := range d {
			d[i] = byte(t.count)
		}
		out(t.to, d)
	}
	t.ready = false
}

func pair(seed uint64, up, down netcore.LinkParams) (*Network, *talker, *talker) {
	n := New(seed)
	x, y := &talker{to: b}, &talker{to: a}
	n.Attach(a, x)
	n.Attach(b, y)
	n.Link(a, b, up, down)
	return n, x, y
}

func TestPerfectLineDeliversInOrder(t *testing.T) {
	n, x, y := pair(1, netcore.LinkParams{Delay: 30 * ms}, netcore.LinkParams{Delay: 5 * ms})
	n.Run(160*ms, 16*ms)
	assert.Equal(t, []byte{1, 2, 3, 4, 5, 6, 7, 8}, y.heard)
	assert.Equal(t, 46*ms, y.at[0])
	assert.Equal(t, 21*ms, x.at[0], "each direction has its own delay")
	assert.Equal(t, 20, n.Sent())
}

func TestFaults(t *testing.T) {
	// Of 2,000 datagrams one way; the share heard, in percent, and what else shows.
	for _, tt := range []struct {
		name   string
		p      netcore.LinkParams
		lo, hi float64
		faulty func(y *talker) int
	}{
		{"loss", netcore.LinkParams{Loss: .3}, 66, 74, nil},
		{"duplicates", netcore.LinkParams{Duplicate: .2}, 117, 123, nil},
		{"bursts", netcore.LinkParams{Burst: .02, BurstLength: 10}, 75, 90, nil},
		{"corruption", netcore.LinkParams{Corrupt: .5}, 100, 100, func(y *talker) int { return y.broken }},
		{"reordering", netcore.LinkParams{Reorder: .2}, 100, 100, disorder},
		{"jitter", netcore.LinkParams{Jitter: 40 * ms}, 100, 100, disorder},
		{"bandwidth", netcore.LinkParams{Bandwidth: 3125}, 48, 56, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, x, y := pair(7, tt.p, netcore.LinkParams{})
			n.Run(2000*16*ms, 16*ms)
			x.quiet = true
			n.Run(2000*16*ms+2*time.Second, 16*ms)
			share := 100 * float64(len(y.heard)) / 2000
			assert.GreaterOrEqual(t, share, tt.lo)
			assert.LessOrEqual(t, share, tt.hi)
			if tt.faulty != nil {
				assert.Greater(t, tt.faulty(y), 100)
			} else {
				assert.Zero(t, disorder(y))
			}
			assert.Equal(t, y.count-1, len(x.heard), "the other direction is untouched, its last still on its way")
		})
	}
}

func disorder(y *talker) (n int) {
	for i := 1; i < len(y.heard); i++ {
		if int8(y.heard[i]-y.heard[i-1]) < 0 {
			n++
		}
	}
	return n
}

func TestBlackoutAndDropNext(t *testing.T) {
	n, _, y := pair(1, netcore.LinkParams{}, netcore.LinkParams{})
	n.Blackout(32*ms, 80*ms)
	n.Run(112*ms, 16*ms)
	assert.Equal(t, []byte{1, 5, 6}, y.heard)
	n.DropNext(2) // one from each end
	n.Run(160*ms, 16*ms)
	assert.Equal(t, []byte{1, 5, 6, 7, 9}, y.heard)
}

func TestUnlinkedHostReceivesNothing(t *testing.T) {
	n := New(1)
	y := &talker{to: a, quiet: true}
	n.Attach(a, &talker{to: b})
	n.Attach(b, y)
	n.Run(160*ms, 16*ms)
	assert.Empty(t, y.heard)
}

func TestSameSeedSameTrace(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := uint64(0); seed < 50; seed++ {
		run := func() uint64 {
			r := rand.New(rand.NewPCG(seed, 1))
			n, _, _ := pair(seed, RandomLink(r, .5), RandomLink(r, .5))
			n.Run(2*time.Second, 16*ms)
			require.False(t, n.Idle() && n.Sent() == 0)
			return n.Hash()
		}
		h := run()
		require.Equal(t, h, run(), "seed %d", seed)
		seen[h] = true
	}
	assert.Len(t, seen, 50)
}
