// Package workers runs the pieces of a job on several cores.
package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Pool is a fixed number of goroutines that share a job with the caller of
// Parallel. Between jobs they sleep. A job starts no goroutine and allocates
// nothing.
type Pool struct {
	pieces int64
	do     func(worker, i int)
	next   atomic.Int64   // the first piece not yet taken
	calls  chan struct{}  // one value for each worker that joins the job
	busy   sync.WaitGroup // workers that work on the job
	alive  sync.WaitGroup
	size   int
}

// Start returns a pool for that many cores, at most GOMAXPROCS; 0 or less selects
// all of them. The caller of Parallel works on one core itself, so a pool for one
// core has no goroutine.
func Start(cores int) *Pool {
	most := runtime.GOMAXPROCS(0)
	if cores <= 0 {
		cores = most
	}
	p := &Pool{size: min(cores, most) - 1}
	p.calls = make(chan struct{}, p.size)
	for i := range p.size {
		p.alive.Go(func() { p.work(i + 1) })
	}
	return p
}

// Parallel calls f for each i below n, in any order and on several cores at once,
// and returns when all have returned. worker is the number of the goroutine: 0 for
// the caller, at most size for the others. The pool has one job at a time: f must not call
// Parallel, and neither must a second goroutine.
func (p *Pool) Parallel(n int, f func(worker, i int)) {
	p.pieces, p.do = int64(n), f
	p.next.Store(0)
	helpers := min(p.size, n-1)
	for range helpers {
		p.busy.Add(1)
		p.calls <- struct{}{}
	}
	p.share(0)
	p.busy.Wait()
	p.do = nil
}

// share takes one piece after the other until none is left.
func (p *Pool) share(worker int) {
	for i := p.next.Add(1) - 1; i < p.pieces; i = p.next.Add(1) - 1 {
		p.do(worker, int(i))
	}
}

func (p *Pool) work(worker int) {
	for range p.calls {
		p.share(worker)
		p.busy.Done()
	}
}

// Stop ends the goroutines. The pool cannot be used afterwards.
func (p *Pool) Stop() {
	close(p.calls)
	p.alive.Wait()
}
