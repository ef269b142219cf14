package natstest

import (
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// A relay passes on TCP connections. While it is cut, it keeps what it reads, as a network does
// whose packets are lost and repeated: nobody is told, and what was sent comes after the cut.
type relay struct {
	listener net.Listener
	to       string
	ended    chan struct{} // closed with the test

	mu     sync.Mutex
	passes chan struct{} // closed while bytes pass
}

// newRelay listens on a port of loopback and passes connections on to an address.
func newRelay(t testing.TB, to string) *relay {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{listener: l, to: to, ended: make(chan struct{}), passes: make(chan struct{})}
	close(r.passes)
	t.Cleanup(func() {
		close(r.ended)
		_ = l.Close()
	})
	go r.run()
	return r
}

func (r *relay) address() string { return r.listener.Addr().String() }

func (r *relay) run() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		go r.serve(in)
	}
}

func (r *relay) serve(in net.Conn) {
	defer in.Close()
	if !r.wait() {
		return
	}
	out, err := net.Dial("tcp4", r.to)
	if err != nil {
		return
	}
	defer out.Close()
	end := make(chan struct{}, 2)
	go r.pass(in, out, end)
	go r.pass(out, in, end)
	select {
	case <-end:
	case <-r.ended:
	}
}

// pass copies bytes one way.
func (r *relay) pass(from, to net.Conn, end chan<- struct{}) {
	defer func() { end <- struct{}{} }()
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if err != nil || !r.wait() {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// wait waits for the end of a cut. It reports false at the end of the test.
func (r *relay) wait() bool {
	r.mu.Lock()
	passes := r.passes
	r.mu.Unlock()
	select {
	case <-passes:
		return true
	case <-r.ended:
		return false
	}
}

func (r *relay) cut(cut bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.passes:
		if cut {
			r.passes = make(chan struct{})
		}
	default:
		if !cut {
			close(r.passes)
		}
	}
}

// A Line is a relay between servers of a fleet and a node.
type Line struct {
	URL string
	r   *relay
}

// Line returns a new line to a node.
func (c *Cluster) Line(n *Node) *Line {
	c.t.Helper()
	r := newRelay(c.t, strings.TrimPrefix(n.URL, "nats://"))
	return &Line{"nats://" + r.address(), r}
}

// Cut holds back all bytes until the line is cut no more.
func (l *Line) Cut(cut bool) { l.r.cut(cut) }

// Cut holds back all bytes between a node and the other ones until it is cut no more. The cluster
// needs Options.Relays.
func (c *Cluster) Cut(n *Node, cut bool) {
	c.t.Helper()
	require.NotEmpty(c.t, n.routes, "Options.Relays")
	for _, r := range n.routes {
		r.cut(cut)
	}
}
