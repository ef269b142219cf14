package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/sim"
)

// walker is an object with three groups: its position, its view direction and its condition.
type walker struct {
	sim.NetObject
	at, speed  sim.Vec3
	yaw, pitch float64
	health     int
}

func (w *walker) Place() sim.Place {
	return sim.Place{Position: w.at, Velocity: w.speed, Rotation: sim.Rot{Yaw: 360 * w.yaw, Pitch: 360 * w.pitch}, Radius: 1}
}

// walk runs a tick of a walker in a world with the given side length.
func (w *walker) walk(side float64) {
	w.at = w.at.Add(w.speed.Mul(sim.TickSeconds))
	if w.at.X < 0 || w.at.X > side {
		w.speed.X = -w.speed.X
	}
	if w.at.Y < 0 || w.at.Y > side {
		w.speed.Y = -w.speed.Y
	}
	w.yaw += 0.001
	if w.yaw > 1 {
		w.yaw = 0
	}
	w.Mark(1<<1 | 1<<2)
}

// newWalkers makes a server with 1,000 walkers per square kilometre.
func newWalkers(t testing.TB, n int) (h *Host, all []*walker, side float64) {
	classes := sim.NewClasses()
	require.NoError(t, Register(classes))
	require.NoError(t, classes.Register(sim.Class{
		Name: "Walker", Parent: "NetObject", New: func() sim.Object { return new(walker) },
		Fields: []sim.Field{
			sim.VecField("position", 1, 8192, func(w *walker) *sim.Vec3 { return &w.at }).WithBits(18),
			sim.FloatField("yaw", 2, 0, 1, func(w *walker) *float64 { return &w.yaw }).WithBits(10),
			sim.FloatField("pitch", 2, 0, 1, func(w *walker) *float64 { return &w.pitch }).WithBits(8),
			sim.IntField("health", 3, 0, 63, func(w *walker) *int { return &w.health }),
		},
	}))
	h = NewHost(Config{Server: true, Classes: classes, Entropy: rand.NewChaCha8([32]byte{})})
	rng := rand.New(rand.NewPCG(1, 2))
	side = 1000
	for float64(n) > 1000*side*side/1e6 {
		side *= 2
	}
	for range n {
		w := &walker{at: sim.Vec3{X: rng.Float64() * side, Y: rng.Float64() * side}}
		w.speed = sim.Vec3{X: rng.NormFloat64() * 10, Y: rng.NormFloat64() * 10}
		require.NotZero(t, h.world.Add(w))
		all = append(all, w)
	}
	return h, all, side
}

// BenchmarkImages measures the server's cost of moving objects: marking them, updating the scope
// and, for watched objects, taking the snapshot.
func BenchmarkImages(b *testing.B) {
	for _, watched := range []bool{true, false} {
		for _, n := range []int{1000, 65536} {
			b.Run(fmt.Sprintf("watched=%t,objects=%d", watched, n), func(b *testing.B) {
				h, all, side := newWalkers(b, n)
				for _, w := range all {
					if watched {
						h.snapshots.watch(w.Number(), 1)
					}
				}
				tick := func() {
					h.tick++
					for _, w := range all {
						w.walk(side)
					}
					h.snapshots.takeAll(h.tick)
				}
				for range 150 {
					tick()
				}
				b.ReportAllocs()
				for b.Loop() {
					tick()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
			})
		}
	}
}
