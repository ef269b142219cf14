package netcoretest

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// Workers returns a Config.Parallel of n goroutines. Each takes the next piece of work as soon as
// it is free.
func Workers(n int) func(int, func(int)) {
	return func(pieces int, f func(int)) {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range n {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < pieces; i = int(next.Add(1)) - 1 {
					f(i)
					runtime.Gosched()
				}
			})
		}
		wg.Wait()
	}
}

// Shuffled returns a Config.Parallel that runs the pieces one after another in a random order.
func Shuffled(seed uint64) func(int, func(int)) {
	rng := rand.New(rand.NewPCG(seed, 0))
	return func(n int, f func(int)) {
		for _, i := range rng.Perm(n) {
			f(i)
		}
	}
}
