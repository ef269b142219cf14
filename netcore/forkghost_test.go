package netcore

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/netcoretest"
)

var forkLayout = NewLayout(3, "Forked", []Group{
	{Cells: []Cell{{Field: "kind", Bits: 4}}},
	{Cells: []Cell{{Field: "x", Bits: 14, Smooth: true}, {Field: "y", Bits: 14, Smooth: true}}},
	{Cells: []Cell{{Field: "label", Kind: CellText, Max: 20}}, Weight: 100},
	{Cells: []Cell{{Field: "target", Kind: CellRef}}},
})

// forkWorld is objects whose images are shown by several connections at once.
type forkWorld struct {
	*Images
	rng  *rand.Rand
	objs []uint32
	tick uint32
}

func newForkWorld(seed uint64, n int) *forkWorld {
	w := &forkWorld{Images: NewImages(), rng: rand.New(rand.NewPCG(seed, 11)), tick: 1}
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

// set gives a group of an object a new state: x and y move on, the rest is
// anything.
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

// step is a tick: most objects move, some change otherwise.
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

// gallery is crowd for ghosts: clients who see different parts of a world.
func gallery(t *testing.T, parallel func(int, func(int))) crowdTrace {
	const clients = 7
	var trace crowdTrace
	world := newForkWorld(1, 150)
	log := &Log{Level: LogItems, Print: func(line string) { trace.lines = append(trace.lines, line) }}
	server := newHost(t, SimAddr(1), func(c *Config) {
		c.Parallel, c.Log = parallel, log
		c.Streams = func(c *Conn) []Stream {
			id := c.ID()
			return []Stream{NewGhosts(GhostsConfig{
				Images: world.Images,
				Weigh: func(objs []uint32, weights []uint8) {
					for i, obj := range objs {
						weights[i] = uint8(1 + obj%(1+id))
					}
				},
				Acked: func(obj uint32) { trace.fates = append(trace.fates, fmt.Sprint(id, obj)) },
			})}
		}
	})
	hosts := []*host{server}
	for i := range clients {
		h := newHost(t, SimAddr(uint16(2+i)), func(c *Config) {
			c.RecvRate.Size = 300 + 100*i
			c.Streams = func(*Conn) []Stream {
				var g *Ghosts
				g = NewGhosts(GhostsConfig{
					Layout: func(uint16) *Layout { return forkLayout },
					Arrived: func() error {
						for g.Next() != nil {
						}
						return nil
					},
				})
				return []Stream{g}
			}
		})
		h.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
		hosts = append(hosts, h)
	}
	n := newTown(hosts...)
	n.pass = func(p townMail) bool {
		if p.from == server.addr {
			trace.sent = append(trace.sent, fmt.Sprintf("%v %x", p.to, p.b))
		}
		return world.rng.Float64() >= 0.1
	}
	n.run(4 * time.Second)
	require.Len(t, server.Conns(), clients)
	for range 100 {
		world.step()
		for _, c := range server.Conns() {
			g := c.Streams()[0].(*Ghosts)
			g.Activate(true)
			for range 5 {
				g.Scope(world.objs[world.rng.IntN(len(world.objs))])
				g.Unscope(world.objs[world.rng.IntN(len(world.objs))])
			}
		}
		n.step(32 * time.Millisecond)
	}
	assert.Empty(t, server.ended)
	return trace
}

// TestForkOfGhostsMakesNoDifference: connections that read the same images at
// once send what they would send one after the other.
func TestForkOfGhostsMakesNoDifference(t *testing.T) {
	want := gallery(t, nil)
	assert.Greater(t, len(want.sent), 600)
	assert.Greater(t, len(want.lines), 5000)
	assert.Greater(t, len(want.fates), 500)
	for name, parallel := range map[string]func(int, func(int)){
		"1 worker": netcoretest.Workers(1), "8 workers": netcoretest.Workers(8), "shuffled": netcoretest.Shuffled(3),
	} {
		got := gallery(t, parallel)
		assert.True(t, assert.ObjectsAreEqual(want, got), "%s: other datagrams, lines or fates", name)
	}
}
