package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// benchScope makes a world with 1,000 objects in a connection's range, whatever the size of the
// world. numbers holds the numbers of 1,000 objects near the first viewer.
func benchScope(t testing.TB, conns, objects int) (r *scopeRig, numbers []uint32) {
	const distance, within = 500.0, 1000.0
	side := math.Sqrt(float64(objects) / (within / (math.Pi * distance * distance)))
	sinks := make([]*testSink, conns)
	for i := range sinks {
		sinks[i] = newTestSink(1 << 16)
	}
	r = newScopeRig(t, sinks...)
	rng := rand.New(rand.NewPCG(1, 2))
	at := func() float64 { return rng.Float64() * side }
	for i := range objects {
		class := [...]string{"Car", "Loot", "Shot", "Thing", "Walker"}[i%5]
		r.object(class, sim.Place{
			Position: sim.Vec3{X: at(), Y: at()}, Radius: 1,
			Velocity: sim.Vec3{X: rng.NormFloat64() * 20, Y: rng.NormFloat64() * 20},
		})
	}
	for _, c := range r.host.conns {
		o := r.object("Walker", sim.Place{Position: sim.Vec3{X: side / 2, Y: side / 2}, Rotation: sim.Rot{Yaw: rng.Float64() * 360}}).(*thing)
		if side > 4*distance { // where the world extends in every direction
			o.place.Position = sim.Vec3{X: distance + rng.Float64()*(side-2*distance), Y: distance + rng.Float64()*(side-2*distance)}
			r.scope.update(o.Number())
		}
		require.NoError(t, c.Visible.SetObject(o))
		c.Visible.SetView(ScopeView{Distance: distance})
	}
	r.run(1)
	for n := range r.host.conns[0].Visible.in.all() {
		if len(numbers) < 1000 {
			numbers = append(numbers, n)
		}
	}
	return r, numbers
}

// BenchmarkScope measures a tick of scoping for 128 connections with 1,000 objects in range each,
// in worlds of growing size.
func BenchmarkScope(b *testing.B) {
	for _, objects := range []int{1000, 4000, 16000, 64000} {
		b.Run(fmt.Sprint(objects), func(b *testing.B) {
			r, _ := benchScope(b, 128, objects)
			r.run(2 * scopeStay)
			b.ReportAllocs()
			entries := 0
			for b.Loop() {
				r.host.tick++
				r.scope.step()
			}
			for _, c := range r.host.conns {
				entries += c.Visible.in.len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/128, "ns/conn")
			b.ReportMetric(float64(entries)/128, "objects/conn")
		})
	}
}

// BenchmarkScopeUpdate measures the scope's update after an object has moved.
func BenchmarkScopeUpdate(b *testing.B) {
	r, _ := benchScope(b, 1, 64000)
	rng := rand.New(rand.NewPCG(1, 2))
	i := 0
	for b.Loop() {
		n := uint32(1 + i%64000)
		i += 7919
		o := r.scope.sources[n].object.(*thing)
		o.place.Position.X += rng.Float64()*2 - 1
		r.scope.update(n)
	}
}
