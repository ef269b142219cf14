package node_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/spectate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/demo"
)

// demoMinutes is the game time of the demo of BenchmarkSeek. TORC_DEMO_MINUTES changes it.
func demoMinutes() int {
	if n, err := strconv.Atoi(os.Getenv("TORC_DEMO_MINUTES")); err == nil {
		return n
	}
	return 1
}

// BenchmarkSeek seeks random times of a demo of ctf with 32 bots, which a server records in virtual
// time. Besides the mean it reports the longest seek, the size of the demo, and the time to open
// it. TORC_DEMO names a file that keeps the demo, for BenchmarkSeek of the client for browsers.
func BenchmarkSeek(b *testing.B) {
	now := time.Duration(0)
	s, err := node.NewServerOn(node.Config{Server: node.ServerConfig{Load: []string{"ctf"}, Mission: "valley"}, Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "32"}}}}, node.Edge{
		Clock:   func() time.Duration { return now },
		Date:    func() time.Time { return time.Unix(1_000_000_000, 0).Add(now) },
		Entropy: rand.NewChaCha8([32]byte{}),
		Send:    func(netcore.Addr, []byte) {},
	})
	require.NoError(b, err)
	defer s.Close()
	header := s.Host().Demos.Header()
	film := header.Bytes()
	step := func() {
		now += engine.TickTime
		require.NoError(b, s.Step())
	}
	step()
	require.NoError(b, s.Host().Demos.Record(spectate.Sink{
		Chunk: func(c []byte) error { film = append(film, c...); return nil }, Ended: func(error) {},
	}))
	for range demoMinutes() * 60 * 1000 / engine.TickMs {
		step()
	}
	s.Host().Demos.Stop()
	if path := os.Getenv("TORC_DEMO"); path != "" {
		require.NoError(b, os.WriteFile(path, film, 0o600))
	}

	began := time.Now()
	r, err := demo.Open(demo.Config{}, bytes.NewReader(film), int64(len(film)))
	require.NoError(b, err)
	defer r.Close()
	require.NoError(b, r.Start())
	opened, worst := time.Since(began), time.Duration(0)
	rng := rand.New(rand.NewPCG(1, 1))
	c := r.Host().Server()
	b.ResetTimer()
	for range b.N {
		tick := uint64(rng.Int64N(int64(r.Length() / engine.TickTime)))
		began := time.Now()
		c.Watching.Seek(c.Watching.Film().File().First() + tick)
		worst = max(worst, time.Since(began))
	}
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/worst")
	b.ReportMetric(float64(opened.Microseconds())/1000, "ms/open")
	b.ReportMetric(float64(len(film))/float64(demoMinutes())/1e6, "MB/min")
}
