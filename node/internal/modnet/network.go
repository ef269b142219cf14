package modnet

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/torc-engine/torc/script/sockets"
)

const (
	requestTime = 10 * time.Second // of an HTTP request, with all redirects and the body
	connectTime = 10 * time.Second // until a TCP connection is open, with the resolution of the name
	idleTime    = time.Minute      // an accepted connection ends after this time without data
	lingerTime  = 5 * time.Second  // a closed connection has this time to send what is queued
	acceptPause = time.Second      // after a failed accept, for example because too many files are open
)

var errTime = errors.New("no answer in time")

// Network makes the connections of mods. The caller must call Shut.
type Network struct {
	ctx      context.Context
	cancel   context.CancelFunc
	jobs     sync.WaitGroup
	resolver *net.Resolver                                      // nil: the system's
	roots    *x509.CertPool                                     // nil: the system's
	after    func(d time.Duration, f func()) (stop func() bool) // calls f after d, on any goroutine

	mu        sync.Mutex // guards the fields below, and those that say so
	events    []sockets.Event
	requests  map[sockets.ID]context.CancelFunc
	conns     map[sockets.ID]*conn
	listeners map[sockets.ID]*listener
	accepted  sockets.ID // the next one
	heard     uint64     // number of pieces of data that have arrived
	shut      bool
}

// New returns a Network without connections.
func New() *Network {
	n := &Network{
		requests: map[sockets.ID]context.CancelFunc{}, conns: map[sockets.ID]*conn{}, listeners: map[sockets.ID]*listener{},
		accepted: sockets.FirstAccepted,
		after:    func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop },
	}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	return n
}

// Events is part of sockets.Network.
func (n *Network) Events() []sockets.Event {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := n.events
	n.events = nil
	return list
}

// post adds an event. The caller holds mu.
func (n *Network) post(e sockets.Event) { n.events = append(n.events, e) }

// run runs f on a goroutine of its own.
func (n *Network) run(f func()) {
	n.jobs.Add(1)
	go func() {
		defer n.jobs.Done()
		f()
	}()
}

// Send is part of sockets.Network.
func (n *Network) Send(id sockets.ID, data []byte) {
	n.with(id, func(c *conn) { c.out = append(c.out, data...) })
}

// Credit is part of sockets.Network.
func (n *Network) Credit(id sockets.ID, bytes int) {
	n.with(id, func(c *conn) { c.credit += bytes })
}

// with changes a connection and wakes its goroutines.
func (n *Network) with(id sockets.ID, change func(c *conn)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c := n.conns[id]; c != nil {
		change(c)
		c.wake.Broadcast()
	}
}

// Close is part of sockets.Network.
func (n *Network) Close(id sockets.ID, now bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if cancel := n.requests[id]; cancel != nil {
		cancel()
		delete(n.requests, id)
	}
	if l := n.listeners[id]; l != nil {
		_ = l.socket.Close()
		delete(n.listeners, id)
	}
	if c := n.conns[id]; c != nil {
		c.finish(now)
	}
}

// Shut ends all connections and returns when no goroutine is left.
func (n *Network) Shut() {
	n.mu.Lock()
	n.shut = true
	n.cancel()
	for _, l := range n.listeners {
		_ = l.socket.Close()
	}
	for _, c := range n.conns {
		c.finish(true)
	}
	n.mu.Unlock()
	n.jobs.Wait()
}

// dialer returns a dialer that connects only to the target.
func (n *Network) dialer(to sockets.Target) *net.Dialer {
	return &net.Dialer{Resolver: n.resolver, Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return to.Check(at.Addr())
	}}
}

// timeout returns a context that ends after d with errTime as its cause.
func (n *Network) timeout(d time.Duration) (ctx context.Context, end context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(n.ctx)
	stop := n.after(d, func() { cancel(errTime) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}
