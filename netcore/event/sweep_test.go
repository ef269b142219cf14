package event

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// runSweep posts a random mixture over a bad network and checks every guarantee. It returns a
// description of the run, equal for equal seeds.
func runSweep(t *testing.T, seed uint64) string {
	r := newEventRig(t, seed, Config{Server: true, Check: seed%4 == 0}, Config{Check: seed%4 == 0})
	r.loss = float64(seed%6) / 10
	r.delay = netcore.Time(5+r.rng.IntN(60)) * time.Millisecond
	r.every = netcore.Time(1+r.rng.IntN(32)) * time.Millisecond
	r.size = []int{70, 180, 500, 1170}[r.rng.IntN(4)]
	if seed%3 == 0 {
		r.a.sent.max = 3 // numbers are often reassigned to another string
	}
	type origin struct {
		v *note
		p Post
	}
	var posted []*origin
	posts := 20 + r.rng.IntN(120)
	for n := range posts {
		v := &note{n: uint64(n), pad: make([]byte, r.rng.IntN(12))}
		switch r.rng.IntN(24) {
		case 0:
			v.pad = make([]byte, 900)
		case 1:
			v.pad = make([]byte, r.rng.IntN(5000))
		}
		for i := range v.pad {
			v.pad[i] = byte(n + i)
		}
		for range r.rng.IntN(3) {
			v.tags = append(v.tags, TagRef{Text: fmt.Sprintf("tag %d", r.rng.IntN(8))})
		}
		p := Post{
			Guarantee: Guarantee(r.rng.IntN(3)), Priority: uint8(r.rng.IntN(4)),
			Channel: uint8(r.rng.IntN(2)), Lane: uint16(r.rng.IntN(3)),
		}
		if p.Guarantee == Unguaranteed {
			v.pad = v.pad[:min(len(v.pad), 900)]
			p.Life, p.Now = netcore.Time(r.rng.IntN(3))*20*time.Millisecond, r.now
		}
		r.post(r.a, v, p)
		posted = append(posted, &origin{v: v, p: p})
		for range r.rng.IntN(12) {
			r.step(time.Millisecond)
		}
		if r.rng.IntN(40) == 0 {
			r.size = []int{70, 180, 500, 1170}[r.rng.IntN(4)]
		}
	}
	r.runUntilIdle(90 * time.Second)

	seen := make([]int, posts)
	last := map[[2]int]int{}
	for _, v := range r.got[0] {
		o := posted[v.n]
		seen[v.n]++
		require.True(t, bytes.Equal(o.v.pad, v.pad), "event %d changed on the eventWay", v.n)
		for i := range v.tags {
			require.Equal(t, o.v.tags[i].Text, v.tags[i].Text, "tag of event %d", v.n)
		}
		if o.p.Guarantee == Ordered {
			lane := [2]int{int(o.p.Channel), int(o.p.Lane)}
			require.LessOrEqual(t, last[lane], int(v.n), "order within a lane")
			last[lane] = int(v.n)
		}
	}
	for n, o := range posted {
		require.Len(t, o.v.fates, 1, "fate of event %d", n)
		require.Equal(t, seen[n] == 1, o.v.fates[0], "event %d was processed %d times", n, seen[n])
		if o.p.Guarantee != Unguaranteed {
			require.Equal(t, 1, seen[n], "event %d", n)
		}
	}
	require.Zero(t, r.a.inFlight)
	require.Zero(t, r.b.earlyBytes)
	require.Zero(t, r.b.pieces.bytes)
	for i := range r.a.sent.slots {
		require.Zero(t, r.a.sent.slots[i].holds, "string %d is still held", i)
	}
	for i := range r.a.channel {
		for _, l := range r.a.channel[i].fair.lanes {
			require.Zero(t, l.bytes)
			require.Zero(t, l.events)
		}
	}
	return fmt.Sprint(numbers(r.got[0]), r.ab.packets, r.ab.bits, r.now, r.a.stats)
}

func TestSeeds(t *testing.T) {
	for seed := range testenv.Seeds(t, 60, 2000) {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			run := runSweep(t, seed)
			if seed%20 == 0 {
				require.Equal(t, run, runSweep(t, seed), "a seed must give the same run twice")
			}
		})
		require.True(t, ok, "seed %d", seed)
	}
}
