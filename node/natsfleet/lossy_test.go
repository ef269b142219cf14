package natsfleet

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A cutter stands between a bus and NATS. It ends the connection at the next commit of a batch:
// before NATS has it, or after, so that the answer is lost.
type cutter struct {
	listener net.Listener
	to       string

	mu     sync.Mutex
	before bool          // the next commit does not reach NATS
	after  bool          // the next answer to one does not come back
	cut    chan struct{} // closed when that has happened
}

func newCutter(t *testing.T, c *natstest.Cluster) *cutter {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	x := &cutter{listener: l, to: strings.TrimPrefix(c.URLs[0], "nats://")}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp4", x.to)
			if err != nil {
				_ = in.Close()
				continue
			}
			go x.pass(in, out, true)
			go x.pass(out, in, false)
		}
	}()
	return x
}

func (x *cutter) config() Config {
	return Config{URLs: []string{"nats://" + x.listener.Addr().String()}}
}

// arm lets the next commit be cut.
func (x *cutter) arm(before bool) <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.before, x.after, x.cut = before, !before, make(chan struct{})
	return x.cut
}

// pass copies bytes one way, in pieces that end with a write of the other side.
func (x *cutter) pass(from, to net.Conn, up bool) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 1<<20)
	for {
		n, err := from.Read(b)
		if err != nil || x.cuts(b[:n], up) {
			return
		}
		if _, err := to.Write(b[:n]); err != nil && err != io.EOF {
			return
		}
	}
}

// cuts reports whether the connection ends at these bytes.
func (x *cutter) cuts(b []byte, up bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if up && x.before && bytes.Contains(b, []byte("Nats-Batch-Commit")) || !up && x.after && bytes.Contains(b, []byte(`"count":`)) {
		x.before, x.after = false, false
		close(x.cut)
		return true
	}
	return false
}

// TestBatchesWithoutAnswer: a batch whose answer is lost has landed, and a retry recognises it,
// also after another server has changed its values. A batch that was lost is written once.
func TestBatchesWithoutAnswer(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	x := newCutter(t, c)
	a, b := join(t, x.config(), "arena-1").follow(coins), join(t, config(c), "arena-2").follow(coins)
	for round := range 4 {
		cut := x.arm(round%2 == 0)
		base, want := a.values[coins]["n"].Rev, strings.Repeat("a", round+1)
		number := a.commit(coins, set("n", want, base), set("m", want, a.values[coins]["m"].Rev))
		<-cut
		if round%2 == 1 { // it has landed: another server goes on from it, before the retry
			b.until("sees the value", func() bool { return b.text(coins, "n") == want && b.text(coins, "m") == want })
			b.must(coins, set("n", "b", b.values[coins]["n"].Rev), set("m", "b", b.values[coins]["m"].Rev))
		}
		out := a.outcome(number)
		require.Empty(t, out.Err)
		assert.Greater(t, out.Revs[0], base)
		a.until("sees the newest", func() bool { return a.text(coins, "n") == map[int]string{0: want, 1: "b"}[round%2] })
		b.until("sees the newest", func() bool { return b.values[coins]["n"].Rev == a.values[coins]["n"].Rev })
		assert.Equal(t, a.values[coins], b.values[coins])
	}
	assert.Equal(t, uint64(4), a.number)
	assert.Equal(t, bus.Outcome{Number: 1, Revs: a.outcomes[1].Revs}, a.outcomes[1])
}
