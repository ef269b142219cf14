package ghost

import (
	"hash/fnv"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// forkTest is a group of connections that show one world. The test decides whether they pack
// concurrently.
type forkTest struct {
	images  *Snapshots
	layouts []*Layout
	objects []uint32
	rng     *rand.Rand
	ends    []*forkEnd
}

type forkEnd struct {
	g    *Stream
	rng  *rand.Rand
	seq  netcore.Seq
	air  []netcore.Seq
	hash uint64
}

func newForkTest(n int) *forkTest {
	f := &forkTest{images: NewSnapshots(), layouts: []*Layout{mixedLayout(1), plainLayout(2, 5), box}, rng: rand.New(rand.NewPCG(9, 9))}
	f.images.Begin(1)
	for i := range 120 {
		l := f.layouts[i%3]
		obj := f.images.Add(l)
		f.objects = append(f.objects, obj)
		for g := range l.Groups {
			f.images.Set(obj, g, randomValues(f.rng, l, g, f.images.objects[obj].values(g, new(Values)), f.objects))
		}
	}
	for i := range n {
		g := New(Config{Snapshots: f.images, Max: 100, Weigh: func(objs []uint32, weights []uint8) {
			for k, o := range objs {
				weights[k] = uint8(uint32(f.images.Len()) * (o + uint32(i)))
			}
		}})
		g.Activate(true)
		f.ends = append(f.ends, &forkEnd{g: g, rng: rand.New(rand.NewPCG(uint64(i), 5))})
	}
	return f
}

// owner changes the world and the scopes. It runs while no connection packs.
func (f *forkTest) owner() {
	f.images.Begin(f.images.Tick() + 1)
	for range 60 {
		obj := f.objects[f.rng.IntN(len(f.objects))]
		l := f.images.Layout(obj)
		g := f.rng.IntN(len(l.Groups))
		f.images.Set(obj, g, randomValues(f.rng, l, g, f.images.objects[obj].values(g, new(Values)), f.objects))
	}
	for _, e := range f.ends {
		for range 3 {
			if obj := f.objects[e.rng.IntN(len(f.objects))]; e.rng.IntN(3) > 0 {
				e.g.Scope(obj)
			} else {
				e.g.Unscope(obj)
			}
		}
		for len(e.air) > 0 && e.rng.IntN(2) > 0 {
			e.g.Notify(e.air[0], e.rng.IntN(5) > 0)
			e.air = e.air[1:]
		}
	}
}

// pack packs one or two packets of one connection. Several workers can call it concurrently.
func (e *forkEnd) pack(worker int) {
	for range 1 + e.rng.IntN(2) {
		w := bitstream.NewWriter(make([]byte, 300))
		if e.seq++; e.g.Pack(w, netcore.Outgoing{Seq: e.seq, Worker: worker}) {
			e.air = append(e.air, e.seq)
		}
		h := fnv.New64a()
		h.Write(w.Bytes())
		e.hash = e.hash*31 + h.Sum64()
	}
}

func (f *forkTest) hashes() (all []uint64) {
	for _, e := range f.ends {
		all = append(all, e.hash)
	}
	return all
}

// TestConcurrentPackMakesTheSameBytes checks that connections only read the snapshots while they
// pack, except for the table of their worker. The race detector reports any write, and the bytes
// must be the same as without concurrency.
func TestConcurrentPackMakesTheSameBytes(t *testing.T) {
	const ends, ticks = 12, 100
	one, many := newForkTest(ends), newForkTest(ends)
	for range ticks {
		one.owner()
		for _, e := range one.ends {
			e.pack(0)
		}
		many.owner()
		var wg sync.WaitGroup
		for i, e := range many.ends {
			wg.Go(func() { e.pack(i) })
		}
		wg.Wait()
	}
	require.Equal(t, one.hashes(), many.hashes())
}
