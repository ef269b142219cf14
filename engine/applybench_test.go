package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// runner has a vector, a rotation and a number, each in its own group.
type runner struct {
	sim.NetObject
	at    sim.Vec3
	turn  sim.Rot
	score int
}

// BenchmarkApply measures the receiver's cost of an update, from opening the packet to setting the
// fields of the ghost. All 400 objects have changed completely.
func BenchmarkApply(b *testing.B) {
	r := enginetest.New(b, enginetest.Options{Classes: func(classes *sim.Classes) {
		require.NoError(b, classes.Register(sim.Class{
			Name: "Runner", Parent: "NetObject", New: func() sim.Object { return new(runner) },
			Fields: []sim.Field{
				sim.VecField("at", 1, 2048, func(o *runner) *sim.Vec3 { return &o.at }).WithBits(18),
				sim.RotField("turn", 2, func(o *runner) *sim.Rot { return &o.turn }).WithBits(10),
				sim.IntField("score", 3, 0, 63, func(o *runner) *int { return &o.score }),
			},
		}))
	}})
	all := make([]*runner, 60)
	for i := range all {
		all[i] = &runner{at: sim.Vec3{X: float64(i)}}
		require.NotZero(b, r.Server.World().Add(all[i]))
	}
	r.Join()
	r.Run(time.Second)
	server, client := r.Server, r.Clients[0]
	now := r.Net.Now()
	var data []byte
	got := 0
	n := 0
	var spent time.Duration
	step := func() {
		n++
		now += engine.TickTime
		for i, o := range all {
			o.at = o.at.Add(sim.Vec3{X: 0.1, Y: 0.01 * float64(i), Z: 0.2})
			if o.at.X > 2000 {
				o.at.X = 0
			}
			o.turn.Yaw += 0.5
			o.score = (n + i) & 63
			o.Mark(1<<1 | 1<<2 | 1<<3)
		}
		server.Tick(now)
		data = data[:0]
		server.Send(now, func(_ netcore.Addr, d []byte) { data = append(data, d...) })
		start := time.Now()
		client.Receive(now, server.Addr, data)
		client.Tick(now)
		spent += time.Since(start)
		client.Send(now, func(_ netcore.Addr, d []byte) { server.Receive(now, client.Addr, d) })
		got++
	}
	for range 200 {
		step()
	}
	updates := func() uint64 { return r.Peer(0).Ghosts().Stats().Updates }
	spent = 0
	before := updates()
	for b.Loop() {
		step()
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(updates()-before), "ns/update")
	b.ReportMetric(float64(updates()-before)/float64(b.N), "updates/op")
	require.Equal(b, all[0].score, int(client.Server().Ghost(1<<16).(*runner).score))
}
