package netcoretest

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns a Config.Parallel of n goroutines. Each takes the next piece of work as soon as
// it is free.
func Workers(n int) func(int, func(worker, i int)) {
	return func(pieces int, f func(worker, i int)) {
		var next atomic.Int64
		var wg sync.WaitGroup
		for worker := range n {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
					f(worker, i)
					runtime.Gosched()
				}
			})
		}
		wg.Wait()
	}
}

// Shuffled returns a Config.Parallel that runs the pieces one after another in a random order.
func Shuffled(seed uint64) func(int, func(worker, i int)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	return func(n int, f func(worker, i int)) {
		for _, i := range rng.Perm(n) {
			f(i%3, i)
		}
	}
}
