package natsfleet

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// served returns how long a function takes, as far as this process gets a processor: a busy machine
// makes it shorter, never longer.
func served(do func()) (n time.Duration) {
	const step = 5 * time.Millisecond
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	for {
		select {
		case <-done:
			return n
		case <-time.After(step):
			n += step
		}
	}
}

// TestTheEndTakesThreeSeconds: whatever NATS does, and whatever waits for it.
func TestTheEndTakesThreeSeconds(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("x", 100<<10)
	states := map[string]func(*natstest.Node){
		"alive": func(*natstest.Node) {}, "dead": func(n *natstest.Node) { n.Kill() },
		"stopped": func(n *natstest.Node) { n.Signal(syscall.SIGSTOP) },
	}
	for state, change := range states {
		for _, batches := range []int{0, 40} {
			t.Run(fmt.Sprintf("%s, %d batches", state, batches), func(t *testing.T) {
				t.Parallel()
				c := natstest.New(t, natstest.Options{})
				a := join(t, config(c), "arena-1").follow(coins)
				a.present(bus.Server{})
				change(c.Nodes[0])
				for i := range batches {
					a.commit(coins, set(fmt.Sprint("k", i), value, 0))
				}
				took := served(func() { _ = a.bus.Close(closeTime) })
				t.Logf("the end took %v", took)
				assert.LessOrEqual(t, took, closeTime+100*time.Millisecond)
			})
		}
	}
}
