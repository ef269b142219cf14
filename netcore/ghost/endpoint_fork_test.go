package ghost

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netcoretest"
	"github.com/torc-engine/torc/netcore/netsim/netsimtest"
)

var forkLayout = NewLayout(3, "Forked", []CellGroup{
	{Cells: []Cell{{Field: "kind", Bits: 4}}},
	{Cells: []Cell{{Field: "x", Bits: 14, Smooth: true}, {Field: "y", Bits: 14, Smooth: true}}},
	{Cells: []Cell{{Field: "label", Kind: CellText, Max: 20}}, Weight: 100},
	{Cells: []Cell{{Field: "target", Kind: CellRef}}},
})

// forkWorld is a world whose snapshots several connections send concurrently.
type forkWorld struct {
	*Snapshots
	rng  *rand.Rand
	objs []uint32
	tick uint32
}

func newForkWorld(seed uint64, n int) *forkWorld {
	w := &forkWorld{Snapshots: NewSnapshots(), rng: rand.New(rand.NewPCG(seed, 11)), tick: 1}
	w.Begin(w.tick)
	for range n {
		w.objs = append(w.objs, w.Add(forkLayout))
	}
	for _, obj := range w.objs {
		for g := range forkLayout.Groups {
			w.set(obj, g)
		}
	}
	return w
}

// set changes a group of an object: x and y advance, and all other values are random.
func (w *forkWorld) set(obj uint32, group int) {
	v := Values{}
	switch group {
	case 0:
		v.Cells = []uint64{uint64(obj) & 15}
	case 1:
		v.Cells = []uint64{uint64(obj*7+w.tick*3) & 0x3fff, uint64(obj*5-w.tick) & 0x3fff}
	case 2:
		v.Cells, v.Texts = []uint64{0}, []string{fmt.Sprint("label ", w.rng.IntN(1000))}
	case 3:
		v.Cells = []uint64{uint64(w.objs[w.rng.IntN(len(w.objs))])}
	}
	w.Set(obj, group, &v)
}

// step runs a tick. Most objects move, and some change in other groups.
func (w *forkWorld) step() {
	w.tick++
	w.Begin(w.tick)
	for _, obj := range w.objs {
		if w.rng.IntN(10) > 0 {
			w.set(obj, 1)
		}
		if w.rng.IntN(30) == 0 {
			w.set(obj, 2+w.rng.IntN(2))
		}
	}
}

// forkTrace is the observable output of a server: its datagrams, its log lines, and by client the
// objects of the ghosts that are known to have arrived, each in order.
type forkTrace struct {
	sent, lines []string
	acked       [][]uint32
}

// runFork runs a server that shows different parts of a world to its clients.
func runFork(t *testing.T, parallel func(int, func(worker, i int))) forkTrace {
	const clients = 7
	trace := forkTrace{acked: make([][]uint32, clients)}
	world := newForkWorld(1, 150)
	log := &netcore.Log{Level: netcore.LogItems, Print: func(line string) { trace.lines = append(trace.lines, line) }}
	star := netsimtest.NewStar(t, 1, clients, 0.1, func(c *netcore.Config) {
		c.Parallel, c.Log = parallel, log
		c.Streams = func(c *netcore.Conn) []netcore.Stream {
			id := c.ID()
			return []netcore.Stream{New(Config{
				Snapshots: world.Snapshots,
				Weigh: func(objs []uint32, weights []uint8) {
					for i, obj := range objs {
						weights[i] = uint8(1 + obj%(1+id))
					}
				},
				Acked: func(obj uint32) { trace.acked[id-1] = append(trace.acked[id-1], obj) },
			})}
		}
	}, func(i int, c *netcore.Config) {
		c.RecvRate.Size = 300 + 100*i
		c.Streams = func(*netcore.Conn) []netcore.Stream {
			var g *Stream
			g = New(Config{
				Layout: func(uint16) *Layout { return forkLayout },
				Arrived: func() error {
					for g.Next() != nil {
					}
					return nil
				},
			})
			return []netcore.Stream{g}
		}
	})
	for range 100 {
		world.step()
		for _, c := range star.Server.Conns() {
			g := c.Streams()[0].(*Stream)
			g.Activate(true)
			for range 5 {
				g.Scope(world.objs[world.rng.IntN(len(world.objs))])
				g.Unscope(world.objs[world.rng.IntN(len(world.objs))])
			}
		}
		star.Step(32 * time.Millisecond)
	}
	assert.Empty(t, star.Ended)
	trace.sent = star.Sent
	return trace
}

// TestParallelEndpointSendsTheSameBytes checks that connections send the same bytes whether they
// read the shared snapshots concurrently or one after the other.
func TestParallelEndpointSendsTheSameBytes(t *testing.T) {
	want := runFork(t, nil)
	assert.Greater(t, len(want.sent), 600)
	assert.Greater(t, len(want.lines), 5000)
	assert.Greater(t, len(slices.Concat(want.acked...)), 500)
	for name, parallel := range map[string]func(int, func(worker, i int)){
		"1 worker": netcoretest.Workers(1), "8 workers": netcoretest.Workers(8), "shuffled": netcoretest.Shuffled(3),
	} {
		got := runFork(t, parallel)
		assert.True(t, assert.ObjectsAreEqual(want, got), "%s: other datagrams, lines or acknowledged objects", name)
	}
}
