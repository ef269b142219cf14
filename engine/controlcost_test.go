package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// wire carries datagrams between a server and its clients without delay. It does not allocate, so
// the measured cost of a step is the cost of the hosts.
type wire struct {
	r     *race
	now   netcore.Time
	posts []post
	n     int
	out   func(to netcore.Addr, d []byte)
}

type post struct {
	to   netcore.Addr
	data []byte
}

func newWire(r *race) *wire {
	w := &wire{r: r, now: r.Net.Now()}
	w.out = func(to netcore.Addr, d []byte) {
		if w.n == len(w.posts) {
			w.posts = append(w.posts, post{data: make([]byte, 0, 2048)})
		}
		w.posts[w.n] = post{to, append(w.posts[w.n].data[:0], d...)}
		w.n++
	}
	return w
}

// step runs one tick of the server and all clients.
func (w *wire) step() {
	w.now += engine.TickTime
	w.fromServer()
	w.toServer()
}

func (w *wire) fromServer() {
	server := w.r.Server
	server.Tick(w.now)
	w.n = 0
	server.Send(w.now, w.out)
	for i := range w.n {
		for _, c := range w.r.Clients {
			if c.Addr == w.posts[i].to {
				c.Receive(w.now, server.Addr, w.posts[i].data)
			}
		}
	}
}

func (w *wire) toServer() {
	for _, c := range w.r.Clients {
		c.Tick(w.now)
		w.n = 0
		c.Send(w.now, w.out)
		for i := range w.n {
			w.r.Server.Receive(w.now, c.Addr, w.posts[i].data)
		}
	}
}

// TestMovesAllocateNothing checks that moves, states and corrections allocate nothing on either
// side.
func TestMovesAllocateNothing(t *testing.T) {
	for _, control := range []string{"mismatch", "always"} {
		for _, push := range []float64{0, 0.7} {
			r := newRace(t, enginetest.Options{Clients: 3})
			r.Server.Settings.Control = control
			r.nextMove = func(client int) sim.Move { return sim.Move{Y: 16, Yaw: int16(client * 100)} }
			w := newWire(r)
			step := func() {
				w.step()
				for _, o := range r.runners {
					o.Push(sim.Vec3{X: push})
				}
			}
			for range 300 {
				step()
			}
			before := *r.stats(0)
			allocations := testing.AllocsPerRun(100, step)
			assert.LessOrEqual(t, allocations, 100*float64(raceFactor-1), "net.control %s, pushed %v", control, push)
			assert.Equal(t, 101, r.stats(0).Made-before.Made)
			if push > 0 {
				assert.Greater(t, r.stats(0).Corrections-before.Corrections, 90)
			}
		}
	}
}

// BenchmarkControl measures one move on the server: receive it, execute it, and compare the result
// with the client's checksum.
func BenchmarkControl(b *testing.B) {
	const clients = 32
	r := newRace(b, enginetest.Options{Clients: clients})
	r.nextMove = wander(1)
	w := newWire(r)
	moves := func() (n int) {
		for i := range r.Clients {
			n += r.peer(i).Control.Stats.Moves
		}
		return n
	}
	before, elapsed := moves(), time.Duration(0)
	for b.Loop() {
		w.now += engine.TickTime
		w.toServer()
		from := time.Now()
		engine.Steer(r.Server.Host)
		elapsed += time.Since(from)
		w.fromServer()
	}
	b.ReportMetric(float64(elapsed.Nanoseconds())/float64(moves()-before), "ns/move")
}

// BenchmarkReplay measures a correction followed by a replay of 30 moves.
func BenchmarkReplay(b *testing.B) {
	r := newRace(b, enginetest.Options{})
	r.nextMove = wander(1)
	now := r.Net.Now()
	r.Net.Blackout(now, now+time.Hour)
	r.ticks(60)
	require.Positive(b, r.stats(0).Halts, "the window is full")
	c := r.Clients[0].Host.Server()
	b.ReportAllocs()
	for b.Loop() {
		engine.Correct(c)
	}
}
