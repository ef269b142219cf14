package natsfleet

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	tallyEvery = time.Minute
	maxTallies = 256
)

// tally counts what was dropped, by whom and why. It says so at once, and then at most once a
// minute.
type tally struct {
	warn   func(subject, text string)
	mended func(subject string)

	mu    sync.Mutex
	count map[string]int
}

func newTally(b *fleetBus) *tally {
	return &tally{warn: b.warn, mended: b.mended, count: map[string]int{}}
}

// add counts one thing. what names it in a sentence: "messages of arena-1, which sends too many".
func (t *tally) add(what string) {
	t.mu.Lock()
	n, known := t.count[what]
	if !known && len(t.count) >= maxTallies {
		what = "things of many others in the fleet"
		n, known = t.count[what]
	}
	t.count[what] = n + 1
	t.mu.Unlock()
	if !known {
		t.warn("dropped "+what, "dropped: "+what)
	}
}

// run returns what says the counts until ctx ends.
func (t *tally) run(ctx context.Context) func() {
	return func() {
		every := time.NewTicker(tallyEvery)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				t.tell()
			case <-ctx.Done():
				return
			}
		}
	}
}

// tell says what was dropped since the last time, and forgets what has stopped.
func (t *tally) tell() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for what, n := range t.count {
		if n == 0 {
			delete(t.count, what)
			t.mended("dropped " + what)
			continue
		}
		t.count[what] = 0
		if n > 1 {
			t.warn("dropped "+what, fmt.Sprintf("dropped: %s (%d in a minute)", what, n))
		}
	}
}
