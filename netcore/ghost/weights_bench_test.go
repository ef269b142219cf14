package ghost

import (
	"fmt"
	"testing"
)

// BenchmarkStalenessByWeight measures the mean number of ticks since each ghost was sent, by decile
// of weight, from the lowest weights to the highest. 1,000 objects move, with the weights of a
// viewer among them: 255 nearby, and less with the square of the distance.
func BenchmarkStalenessByWeight(b *testing.B) {
	weightOf := func(obj uint32) uint8 {
		distance := float64(obj*389%1000)/1000 + 0.001
		return uint8(max(1, min(255, 3/(distance*distance))))
	}
	for _, bytes := range []int{1200, 260} {
		b.Run(fmt.Sprintf("bytes=%d", bytes), func(b *testing.B) {
			world := newMovingWorld(1000)
			v := newTestConn(world, Config{Weigh: func(objs []uint32, weights []uint8) {
				for i, obj := range objs {
					if obj != 0 {
						weights[i] = weightOf(obj)
					}
				}
			}}, false)
			v.buffer = v.buffer[:bytes-(1200-testSectionBytes)]
			v.warm(1000)
			var sums [10]float64
			n := 0
			for b.Loop() {
				world.step()
				v.send()
				n++
				for i := range world.bodies {
					obj := world.bodies[i].obj
					distance := obj * 389 % 1000
					sums[9-distance/100] += float64(world.tick-v.from.table.sent[v.from.table.find(obj)]) / 100
				}
			}
			for i, sum := range sums {
				b.ReportMetric(sum/float64(n), fmt.Sprintf("ticks-%d", i))
			}
		})
	}
}
