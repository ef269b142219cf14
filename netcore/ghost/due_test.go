package ghost

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDueDoesNotChangePackets checks that Due only answers: a stream that was asked sends the same
// packets as one that was not. A replay of a journal asks nothing.
func TestDueDoesNotChangePackets(t *testing.T) {
	run := func(ask bool) (packets [][]string) {
		l := sized(1, 64)
		weigh := func(objs []uint32, weights []uint8) {
			for i, o := range objs {
				if weights[i] = 10; o > 20 { // a ghost of the second batch is as urgent as one that waits 2.5 times as long
					weights[i] = 25
				}
			}
		}
		r := newGhostRig(t, Config{Weigh: weigh}, l)
		r.size = 60
		r.scopeAll(l, 20)
		packets = append(packets, bodiesOf(r.pack()))
		for range 3 { // the rate allows no packet
			r.begin()
			if ask {
				r.from.Due(r.now)
			}
		}
		r.scopeAll(l, 20)
		for range 6 {
			r.begin()
			packets = append(packets, bodiesOf(r.pack()))
		}
		return packets
	}
	require.Equal(t, run(true), run(false))
}

// TestDueDoesNotChangePacketsOfAnyWorld does the same with random worlds. One connection has no
// packet for 150 ticks at a time.
func TestDueDoesNotChangePacketsOfAnyWorld(t *testing.T) {
	const ends, ticks = 12, 500
	quiet, asked := newForkTest(ends), newForkTest(ends)
	for tick := range ticks {
		for _, f := range []*forkTest{quiet, asked} {
			f.owner()
			for i, e := range f.ends {
				if f == asked {
					e.g.Due(0)
				}
				every := 1 + i%5
				if i == ends-1 {
					every = 150
				}
				if (tick+i)%every == 0 {
					e.pack(0)
				}
			}
		}
		require.Equal(t, quiet.hashes(), asked.hashes(), "tick %d", tick)
	}
}
