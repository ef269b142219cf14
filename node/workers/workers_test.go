package workers

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
)

// TestParallelRunsEachPieceOnce runs different numbers of pieces on different numbers of cores,
// several times.
func TestParallelRunsEachPieceOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(8))
	for _, cores := range []int{0, 1, 2, 8, 100} {
		p := Start(cores)
		for n := range 200 {
			done := make([]int, n)
			p.Parallel(n, func(_, i int) { done[i]++ })
			for i := range done {
				assert.Equal(t, 1, done[i], "piece %d of %d on %d cores", i, n, cores)
			}
		}
		p.Stop()
	}
}

// TestParallelIsParallel checks that two pieces can wait for each other.
func TestParallelIsParallel(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	p := Start(2)
	defer p.Stop()
	var here atomic.Int32
	p.Parallel(2, func(int, int) {
		for here.Add(1); here.Load() < 2; {
			runtime.Gosched()
		}
	})
}

// TestCallsOfAWorkerDoNotOverlap checks that memory of a worker needs no lock. The race detector
// reports overlapping calls.
func TestCallsOfAWorkerDoNotOverlap(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	p := Start(0)
	defer p.Stop()
	var sums [4]int
	for range 100 {
		p.Parallel(64, func(worker, _ int) { sums[worker]++ })
	}
	assert.Equal(t, 6400, sums[0]+sums[1]+sums[2]+sums[3])
}

// TestStopEndsTheGoroutines checks that Stop ends all goroutines. There are never more goroutines
// than cores.
func TestStopEndsTheGoroutines(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	before := runtime.NumGoroutine()
	p := Start(100)
	assert.Equal(t, 3, p.size)
	assert.LessOrEqual(t, runtime.NumGoroutine(), before+3) // one of an earlier test can have ended meanwhile
	for range 1000 {
		p.Parallel(64, func(int, int) {})
	}
	assert.LessOrEqual(t, runtime.NumGoroutine(), before+3)
	p.Stop()
	for runtime.NumGoroutine() > before { // exited goroutines can still be counted for a while
		testenv.Pause()
	}
}

func TestParallelAllocatesNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	p := Start(0)
	defer p.Stop()
	var sum atomic.Int64
	f := func(_, i int) { sum.Add(int64(i)) }
	assert.Zero(t, testing.AllocsPerRun(1000, func() { p.Parallel(128, f) }))
}

// BenchmarkParallel forks and joins 128 empty pieces in each operation, so it measures the cost of
// a fork.
func BenchmarkParallel(b *testing.B) {
	p := Start(0)
	defer p.Stop()
	for b.Loop() {
		p.Parallel(128, func(int, int) {})
	}
}
