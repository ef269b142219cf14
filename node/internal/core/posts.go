package core

import (
	"errors"
	"sync"
)

// ErrEnded says that a node has ended before it could run a function.
var ErrEnded = errors.New("the node has ended")

// queuedPosts is how many functions wait before post blocks.
const queuedPosts = 16

// Posts carries functions from any goroutine to the goroutine of Run.
type Posts struct {
	Queue chan func()
	// urgent functions also run while a debugger holds a script. They must not run Lua then, except
	// for the debugger.
	urgent chan func()
	Gone   chan struct{} // closed when no more functions are run
	once   sync.Once
}

// NewPosts returns an empty queue.
func NewPosts() *Posts {
	return &Posts{Queue: make(chan func(), queuedPosts), urgent: make(chan func()), Gone: make(chan struct{})}
}

// Post queues f. It returns false if the node has ended.
func (p *Posts) Post(f func()) bool {
	if p.Closed() {
		return false
	}
	select {
	case p.Queue <- f:
		return true
	case <-p.Gone:
		return false
	}
}

// Hurry passes on an urgent f. It returns false if the node has ended.
func (p *Posts) Hurry(f func()) bool {
	select {
	case p.urgent <- f:
		return true
	case <-p.Gone:
		return false
	}
}

// Offer queues f if there is room.
func (p *Posts) Offer(f func()) {
	select {
	case p.Queue <- f:
	default:
	}
}

// Closed reports whether the node has ended.
func (p *Posts) Closed() bool {
	select {
	case <-p.Gone:
		return true
	default:
		return false
	}
}

// do queues f and waits until it has run.
func (p *Posts) do(f func()) error {
	done := make(chan struct{})
	if !p.Post(func() { f(); close(done) }) {
		return ErrEnded
	}
	select {
	case <-done:
		return nil
	case <-p.Gone:
	}
	select {
	case <-done:
		return nil
	default:
		return ErrEnded
	}
}

// close refuses all further functions.
func (p *Posts) close() { p.once.Do(func() { close(p.Gone) }) }

// Forward calls do with each value of a channel, on the goroutine of Run, one at a time. refuse
// gets the value that came too late.
func Forward[T any](p *Posts, from <-chan T, do, refuse func(T)) {
	for {
		select {
		case v := <-from:
			if p.do(func() { do(v) }) != nil {
				refuse(v)
				return
			}
		case <-p.Gone:
			return
		}
	}
}
