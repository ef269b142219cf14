package bench

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/node/workers"
)

// packers packs the packets of a tick on some threads, and measures the CPU time of each.
type packers struct {
	pool    *workers.Pool // nil: all on the owner's thread
	threads int
	n       int64
	do      func(worker, i int)
	next    atomic.Int64
	spent   []time.Duration // of each worker, in this fork

	// since the last lap
	own     time.Duration // the owner's
	slowest time.Duration // in each fork, of the worker with the most
	all     time.Duration // of all workers
}

// use makes later forks use some threads, if the machine has them.
func (p *packers) use(threads int) {
	p.close()
	p.pool = workers.Start(threads)
	p.threads = min(threads, runtime.GOMAXPROCS(0))
}

func (p *packers) close() {
	if p.pool != nil {
		p.pool.Stop()
	}
}

// parallel calls f for each i below n. Each piece of the pool's job takes numbers until none is
// left. So a worker reads its clock twice in a fork, instead of around each call.
func (p *packers) parallel(n int, f func(worker, i int)) {
	p.n, p.do = int64(n), f
	p.next.Store(0)
	p.spent = append(p.spent[:0], make([]time.Duration, max(p.threads, 1))...)
	if p.pool == nil {
		p.share(0, 0)
	} else {
		p.pool.Parallel(p.threads, p.share)
	}
	p.own += p.spent[0]
	p.slowest += slices.Max(p.spent)
	for _, d := range p.spent {
		p.all += d
	}
}

func (p *packers) share(worker, _ int) {
	runtime.LockOSThread() // its clock is that of the thread
	defer runtime.UnlockOSThread()
	before := ownCPU()
	for i := p.next.Add(1) - 1; i < p.n; i = p.next.Add(1) - 1 {
		p.do(worker, int(i))
	}
	p.spent[worker] += ownCPU() - before
}

// lap returns the times since the last lap.
func (p *packers) lap() (own, slowest, all time.Duration) {
	own, slowest, all = p.own, p.slowest, p.all
	p.own, p.slowest, p.all = 0, 0, 0
	return own, slowest, all
}

var processStart = time.Now()

// ownCPU returns the CPU time of the calling thread. On a system without one it is the time.
func ownCPU() time.Duration {
	if d, ok := threadCPU(); ok {
		return d
	}
	return time.Since(processStart)
}
