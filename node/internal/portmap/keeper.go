package portmap

import (
	"context"
	"fmt"
	"net/netip"
	"time"
)

const (
	lease      = time.Hour       // that this side asks for
	leastRenew = time.Minute     // between two renewals
	mostRenew  = time.Hour / 2   // the same, also of a lease without an end: a router can restart
	retryTime  = 5 * time.Minute // after a failure
	removeTime = 3 * time.Second // to remove a mapping at the end
)

// mapping is a port of the router that is forwarded to this machine.
type mapping struct {
	external netip.AddrPort
	lease    time.Duration // 0: without an end
	by       method
}

// method is a protocol of a router.
type method interface {
	String() string
	// add forwards a port, or renews that.
	add(ctx context.Context, port uint16) (mapping, error)
	// remove ends that.
	remove(ctx context.Context, m mapping, port uint16) error
}

// Keeper keeps a port mapped.
type Keeper struct {
	stop context.CancelFunc
	done chan struct{}
}

// Keep maps a UDP port until Stop. tell gets a sentence for the operator when the mapping changes,
// on a goroutine of the Keeper; works reports whether there is a mapping.
func Keep(port uint16, tell func(text string, works bool)) *Keeper {
	ctx, stop := context.WithCancel(context.Background())
	k := &Keeper{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		(&loop{port: port, tell: tell, methods: routerMethods(), wait: sleep}).run(ctx)
	}()
	return k
}

// Stop removes the mappings. It waits for that, at most some seconds.
func (k *Keeper) Stop() {
	k.stop()
	select {
	case <-k.done:
	case <-time.After(2 * removeTime):
	}
}

// sleep waits for a time. It returns false if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// loop is the work of a Keeper.
type loop struct {
	port    uint16
	tell    func(string, bool)
	methods []method
	wait    func(ctx context.Context, d time.Duration) bool

	now  mapping            // by is nil: there is none
	made map[method]mapping // the last mapping of each method: one that was not renewed can still exist
	told string
}

func (l *loop) run(ctx context.Context) {
	l.made = map[method]mapping{}
	defer l.remove()
	for {
		pause := retryTime
		if err := l.renew(ctx); err == nil {
			pause = mostRenew
			if l.now.lease > 0 {
				pause = min(max(l.now.lease/2, leastRenew), mostRenew)
			}
			l.say(l.success(), true)
		} else if ctx.Err() == nil {
			l.now = mapping{}
			l.say(fmt.Sprintf("no port is mapped: %v; forward UDP port %d to this machine in the settings of the router", err, l.port), false)
		}
		if !l.wait(ctx, pause) {
			return
		}
	}
}

// remove removes the mappings. One that it cannot remove ends with its lease, and stays in the
// router if it has none.
func (l *loop) remove() {
	for by, m := range l.made {
		ctx, cancel := context.WithTimeout(context.Background(), removeTime)
		_ = by.remove(ctx, m, l.port)
		cancel()
	}
}

// renew maps the port. It tries the method that worked before first.
func (l *loop) renew(ctx context.Context) error {
	var failed error
	for _, by := range append([]method{l.now.by}, l.methods...) {
		if by == nil {
			continue
		}
		m, err := by.add(ctx, l.port)
		if err == nil {
			m.by = by
			l.now, l.made[by] = m, m
			return nil
		}
		if err = fmt.Errorf("%s: %w", by, err); failed != nil {
			err = fmt.Errorf("%w, %w", failed, err)
		}
		failed = err
		if ctx.Err() != nil {
			break
		}
	}
	return failed
}

// say tells the operator something, unless it was the last thing said.
func (l *loop) say(text string, works bool) {
	if text != l.told {
		l.told = text
		l.tell(text, works)
	}
}

// success describes the mapping.
func (l *loop) success() string {
	m := l.now
	text := fmt.Sprintf("the router forwards UDP port %d (%s): torc join %v", m.external.Port(), m.by, m.external)
	if !public(m.external.Addr()) {
		text += fmt.Sprintf("; but %v is not a public address, so a second router or the provider translates it, and players outside cannot join", m.external.Addr())
	}
	return text
}

// shared is the range of addresses that providers share between customers (RFC 6598).
var shared = netip.MustParsePrefix("100.64.0.0/10")

// public reports whether programs elsewhere can reach an address.
func public(a netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && !shared.Contains(a)
}
