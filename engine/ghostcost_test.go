package engine_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// TestTickAllocatesNothing checks that in steady state a tick allocates nothing for a packet or an
// update, neither on the server of moving objects nor on a client that shows them.
func TestTickAllocatesNothing(t *testing.T) {
	r := enginetest.New(t, enginetest.Options{Clients: 2})
	things := make([]*enginetest.Thing, 100)
	for i := range things {
		things[i] = newThing(t, r.Server.Host, fmt.Sprint("thing ", i))
	}
	r.Join()
	r.Run(time.Second)
	server, clients := r.Server, r.Clients
	now := r.Net.Now()
	type letter struct {
		to   netcore.Addr
		data []byte
	}
	post := make([]letter, 64)
	for i := range post {
		post[i].data = make([]byte, 0, engine.MaxPacket)
	}
	posted := 0
	collect := func(to netcore.Addr, d []byte) {
		post[posted].to, post[posted].data = to, append(post[posted].data[:0], d...)
		posted++
	}
	n := 0
	step := func() {
		n++
		now += engine.TickTime
		for i, o := range things {
			o.At = sim.Vec3{X: float64((n + 7*i) % 1000), Y: float64(n*(i%5)%500) / 8}
			o.Energy = float64((n + i) % 100)
			o.Mark(1<<1 | 1<<2)
		}
		posted = 0
		server.Tick(now)
		server.Send(now, collect)
		for _, l := range post[:posted] {
			for _, c := range clients {
				if c.Addr == l.to {
					c.Receive(now, server.Addr, l.data)
				}
			}
		}
		for _, c := range clients {
			c.Tick(now)
			posted = 0
			c.Send(now, collect)
			for _, l := range post[:posted] {
				server.Receive(now, c.Addr, l.data)
			}
		}
	}
	for range 300 {
		step()
	}
	before := r.Peer(0).Ghosts().Stats().Updates
	allocations := testing.AllocsPerRun(100, step)
	assert.LessOrEqual(t, allocations, 1000*float64(raceFactor-1), "none, but those of the race detector")
	assert.Greater(t, r.Peer(0).Ghosts().Stats().Updates, before+100*30, "things did move")
}

// atOnce runs all pieces of a job concurrently.
func atOnce(n int, f func(worker, i int)) {
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { f(i, i) })
	}
	wait.Wait()
}

// TestPackingAtOnceChangesNothing checks that connections packed in turn and connections packed
// concurrently send the same bytes.
func TestPackingAtOnceChangesNothing(t *testing.T) {
	play := func(seed uint64, parallel func(int, func(worker, i int))) uint64 {
		link := netcore.LinkParams{Delay: 30 * time.Millisecond, Loss: .1}
		r := enginetest.New(t, enginetest.Options{
			Seed: seed, Clients: 5, Up: link, Down: link,
			Server: func(c *engine.Config) { c.Parallel = parallel },
		})
		_, err := r.Server.World().Classes().Declare(flag("mod:1"))
		require.NoError(t, err)
		r.Join()
		for i, c := range r.Server.Connections() {
			o := newThing(t, r.Server.Host, fmt.Sprint("eye ", i))
			o.At.X = float64(100 * i)
			require.NoError(t, c.Visible.SetObject(o))
		}
		for i := range 60 {
			o, err := r.Server.World().New([]string{"Thing", "Flag", "Knob"}[i%3], nil)
			require.NoError(t, err)
			if f := o.Ident().Class().Lookup("at"); f != nil {
				require.NoError(t, f.Set(o, sim.Vec(sim.Vec3{X: float64(i * 17)})))
			}
			r.Run(50 * time.Millisecond)
		}
		return r.Net.Hash()
	}
	for seed := range uint64(3) {
		assert.Equal(t, play(seed, nil), play(seed, atOnce), "seed %d", seed)
	}
}
