package replay_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// counter counts bytes.
type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// crowded returns the journal of ctf with 64 clients that walk around for a time, and the bytes of
// their datagrams.
func crowded(b *testing.B, d time.Duration) (text []byte, datagrams int) {
	b.Helper()
	var out bytes.Buffer
	seed := uint64(7)
	v := nodetest.NewVirtual(b, node.Config{
		Common: node.Common{Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "0"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Journal: &node.Journal{Writer: &out}},
	}, 64)
	v.Run(b, d)
	require.NoError(b, v.Server.Close())
	r, err := journal.NewReader(bytes.NewReader(out.Bytes()))
	require.NoError(b, err)
	for e, err := r.Next(); err == nil; e, err = r.Next() {
		if e.Kind == journal.Receive {
			datagrams += len(e.Data)
		}
	}
	return out.Bytes(), datagrams
}

// threadTime returns the CPU time of this thread.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	require.NoError(b, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t))
	return time.Duration(t.Nano())
}

// BenchmarkJournal replays a match of 64 clients, in turn with a journal of the replay and without
// one. It reports the ratio of the CPU times, and the bytes per second beyond the datagrams.
func BenchmarkJournal(b *testing.B) {
	const length = 20 * time.Second
	runtime.LockOSThread() // threadTime is that of one thread
	defer runtime.UnlockOSThread()
	text, datagrams := crowded(b, length)
	var spent [2]time.Duration
	var size counter
	play := func(recorded bool) time.Duration {
		r, err := replay.New(bytes.NewReader(text), replay.Config{})
		require.NoError(b, err)
		defer r.Close()
		if recorded {
			size = 0
			require.NoError(b, r.Record(&size))
		}
		began := threadTime(b)
		for err == nil {
			err = r.Step()
		}
		require.Empty(b, r.Difference())
		return threadTime(b) - began
	}
	for b.Loop() {
		for i, recorded := range []bool{false, true} {
			spent[i] += play(recorded)
		}
	}
	b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "with/without")
	b.ReportMetric(float64(int(size)-datagrams)/1000/length.Seconds(), "kB/s-beyond-datagrams")
	b.ReportMetric(float64(datagrams)/1000/length.Seconds(), "kB/s-datagrams")
	b.ReportMetric(float64(b.N)*length.Seconds()/spent[0].Seconds(), "x-real-time")
}
