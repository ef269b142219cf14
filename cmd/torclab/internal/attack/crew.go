package attack

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// crewStep is the interval between two steps of a crew's clients.
const crewStep = 2 * time.Millisecond

// crew is clients on one goroutine.
type crew struct {
	to  netip.AddrPort
	key *seal.Key

	mu   sync.Mutex // of everything below, and of the clients
	all  []*client
	stop chan struct{}
	done chan struct{}
}

func newCrew(to netip.AddrPort, key *seal.Key) *crew {
	c := &crew{to: to, key: key, stop: make(chan struct{}), done: make(chan struct{})}
	go c.run()
	return c
}

func (c *crew) run() {
	defer close(c.done)
	ticker := time.NewTicker(crewStep)
	defer ticker.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-ticker.C:
			c.do(func() {
				for _, one := range c.all {
					one.step(clock())
				}
			})
		}
	}
}

// do runs f while no client runs.
func (c *crew) do(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// add starts a client.
func (c *crew) add(spec clientSpec) (one *client, err error) {
	c.do(func() {
		if one, err = newClient(spec, c.to, c.key, clock()); err == nil {
			c.all = append(c.all, one)
		}
	})
	return one, err
}

// remove ends a client: it leaves with a reason, or vanishes.
func (c *crew) remove(one *client, reason string, silent bool) {
	c.do(func() {
		c.all = slices.DeleteFunc(c.all, func(o *client) bool { return o == one })
		if silent {
			one.vanish()
			return
		}
		one.leave(reason)
	})
}

// until waits until a condition holds, at most a time. It reports whether the condition holds.
func (c *crew) until(most time.Duration, holds func() bool) (is bool) {
	for end := time.Now().Add(most); ; time.Sleep(crewStep) {
		c.do(func() { is = holds() })
		if is || time.Now().After(end) {
			return is
		}
	}
}

// close ends all clients.
func (c *crew) close() {
	close(c.stop)
	<-c.done
	for _, one := range c.all {
		one.leave("")
	}
	c.all = nil
}
