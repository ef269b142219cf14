// Package workers does the pieces of a job on several cores.
package workers

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Pool is a fixed number of goroutines that wait for a job and share it with
// whoever brings it. Between jobs they sleep; nothing is started or allocated
// for a job.
type Pool struct {
	pieces int64
	do     func(i int)
	next   atomic.Int64   // the piece that nobody has taken yet
	calls  chan struct{}  // one for each worker that is to join the job
	busy   sync.WaitGroup // workers that were called and are not done
	alive  sync.WaitGroup
	size   int
}

// Start returns a pool for that many cores, at most as many as Go uses; 0 or
// less is all of these. Who calls Parallel is one of them, so a pool for one
// core has no goroutine at all.
func Start(cores int) *Pool {
	most := runtime.GOMAXPROCS(0)
	if cores <= 0 {
		cores = most
	}
	p := &Pool{size: min(cores, most) - 1}
	p.calls = make(chan struct{}, p.size)
	for range p.size {
		p.alive.Go(p.work)
	}
	return p
}

// Parallel calls f(0) to f(n-1), in any order and on several cores at once, and
// returns when all have returned. One job at a time: f must not call Parallel,
// nor may two goroutines.
func (p *Pool) Parallel(n int, f func(i int)) {
	p.pieces, p.do = int64(n), f
	p.next.Store(0)
	helpers := min(p.size, n-1)
	for range helpers {
		p.busy.Add(1)
		p.calls <- struct{}{}
	}
	p.share()
	p.busy.Wait()
	p.do = nil
}

// share takes piece after piece until there are none.
func (p *Pool) share() {
	for i := p.next.Add(1) - 1; i < p.pieces; i = p.next.Add(1) - 1 {
		p.do(int(i))
	}
}

func (p *Pool) work() {
	for range p.calls {
		p.share()
		p.busy.Done()
	}
}

// Stop ends the goroutines. The pool is of no use afterwards.
func (p *Pool) Stop() {
	close(p.calls)
	p.alive.Wait()
}
