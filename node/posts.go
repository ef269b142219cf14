package node

import (
	"errors"
	"sync"
)

// ErrEnded says that a node has ended before it could run a function.
var ErrEnded = errors.New("the node has ended")

// queuedPosts is how many functions wait before post blocks.
const queuedPosts = 16

// posts carries functions from any goroutine to the goroutine of Run.
type posts struct {
	queue chan func()
	// urgent functions also run while a debugger holds a script. They must not run Lua then, except for
	// the debugger.
	urgent chan func()
	ended  chan struct{} // closed when no more functions are run
	once   sync.Once
}

func newPosts() *posts {
	return &posts{queue: make(chan func(), queuedPosts), urgent: make(chan func()), ended: make(chan struct{})}
}

// post queues f. It returns false if the node has ended.
func (p *posts) post(f func()) bool {
	if p.over() {
		return false
	}
	select {
	case p.queue <- f:
		return true
	case <-p.ended:
		return false
	}
}

// hurry passes on an urgent f. It returns false if the node has ended.
func (p *posts) hurry(f func()) bool {
	select {
	case p.urgent <- f:
		return true
	case <-p.ended:
		return false
	}
}

// offer queues f if there is room.
func (p *posts) offer(f func()) {
	select {
	case p.queue <- f:
	default:
	}
}

// over reports whether the node has ended.
func (p *posts) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// do queues f and waits until it has run.
func (p *posts) do(f func()) error {
	done := make(chan struct{})
	if !p.post(func() { f(); close(done) }) {
		return ErrEnded
	}
	select {
	case <-done:
		return nil
	case <-p.ended:
	}
	select {
	case <-done:
		return nil
	default:
		return ErrEnded
	}
}

// close refuses all further functions.
func (p *posts) close() { p.once.Do(func() { close(p.ended) }) }

// forward calls do with each value of a channel, on the goroutine of Run, one at a time. refuse gets
// the value that came too late.
func forward[T any](p *posts, from <-chan T, do, refuse func(T)) {
	for {
		select {
		case v := <-from:
			if p.do(func() { do(v) }) != nil {
				refuse(v)
				return
			}
		case <-p.ended:
			return
		}
	}
}
