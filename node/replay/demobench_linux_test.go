package replay_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
	"github.com/torc-engine/torc/node/replay"
)

// processTime returns the CPU time of this process.
func processTime(b *testing.B) time.Duration {
	var u unix.Rusage
	require.NoError(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// recordTo begins a demo of a host, and counts its bytes.
func recordTo(b *testing.B, h *engine.Host, size *int) {
	*size = 0
	require.NoError(b, h.Demos.Record(spectate.Sink{
		Chunk: func(c []byte) error { *size += len(c); return nil }, Ended: func(err error) { require.NoError(b, err) },
	}))
}

// compareDemo calls play with a demo and without one, in turn. It reports the medians of the CPU
// times of the process, of their ratio, and the bytes of the demo per second of the game.
func compareDemo(b *testing.B, length time.Duration, play func(recorded bool) (demo int)) {
	var without, with, share []float64
	size := 0
	for b.Loop() {
		pair := [2]float64{}
		for _, recorded := range [][]int{{0, 1}, {1, 0}}[len(share)%2] {
			began := processTime(b)
			if n := play(recorded == 1); n > 0 {
				size = n
			}
			pair[recorded] = 1000 * (processTime(b) - began).Seconds() / length.Seconds()
		}
		without, with, share = append(without, pair[0]), append(with, pair[1]), append(share, 100*(pair[1]/pair[0]-1))
	}
	for _, row := range []struct {
		unit string
		of   []float64
	}{{"ms/s-without", without}, {"ms/s-with", with}, {"%demo", share}} {
		slices.Sort(row.of)
		b.ReportMetric(row.of[len(row.of)/2], row.unit)
	}
	b.ReportMetric(float64(size)/1000/length.Seconds(), "kB/s")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkServerDemo replays a match of 64 clients with a demo of the server and without one.
func BenchmarkServerDemo(b *testing.B) {
	const length = 20 * time.Second
	text, _ := crowded(b, length)
	compareDemo(b, length, func(recorded bool) (demo int) {
		r, err := replay.New(bytes.NewReader(text), replay.Config{})
		require.NoError(b, err)
		defer r.Close()
		if recorded {
			recordTo(b, r.Host(), &demo)
		}
		for err == nil {
			err = r.Step()
		}
		require.Empty(b, r.Difference())
		return demo
	})
}

// inbound is a datagram that a client gets.
type inbound struct {
	at   time.Duration
	data []byte
}

// BenchmarkClientDemo runs one client of a match of 64 again, with a demo and without one. The
// other side is what the server sent.
func BenchmarkClientDemo(b *testing.B) {
	const length, crowd = 20 * time.Second, 64
	var all []inbound
	var v *nodetest.Virtual
	seed := uint64(7)
	v = nodetest.NewVirtual(b, node.Config{
		Common: node.Common{Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "0"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}},
	}, crowd, func(e *node.Edge) {
		send := e.Send
		e.Send = func(to netcore.Addr, data []byte) {
			if to.AddrPort().Port() == 1 {
				all = append(all, inbound{v.Now + time.Millisecond, slices.Clone(data)})
			}
			send(to, data)
		}
	})
	v.Run(b, length)
	key := v.Server.Key().String()
	compareDemo(b, length, func(recorded bool) (demo int) {
		id, err := seal.NewIdentity(rand.NewChaCha8([32]byte{100}))
		require.NoError(b, err)
		again, due := &nodetest.Virtual{}, all
		c, err := node.NewClientOn(node.Config{
			Common: node.Common{Name: nodetest.ClientName(0), Identity: &id, Seed: &seed},
			Client: node.ClientConfig{Address: "server:1#" + key, Wander: true},
		}, again.Edge(2, func(netcore.Addr, []byte) {}))
		require.NoError(b, err)
		defer c.Close()
		ticks := 0
		for ; again.Now < length; again.Now += time.Millisecond {
			for ; len(due) > 0 && due[0].at <= again.Now; due = due[1:] {
				c.Receive(due[0].data)
			}
			require.NoError(b, c.Step())
			if c.Ready() {
				if ticks++; ticks == 1 && recorded {
					recordTo(b, c.Host(), &demo)
				}
			}
		}
		require.Greater(b, ticks, 10_000, "it plays")
		c.Host().Demos.Stop()
		return demo
	})
}
