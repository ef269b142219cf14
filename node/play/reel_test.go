package play_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/play"
)

// BenchmarkSeek seeks random times of the demo in the file TORC_DEMO, up to the picture of that
// time. Besides the mean it reports the longest seek. It also runs as WebAssembly.
func BenchmarkSeek(b *testing.B) {
	path := os.Getenv("TORC_DEMO")
	if path == "" {
		b.Skip("TORC_DEMO names no demo; BenchmarkSeek of node records one")
	}
	demo, err := os.ReadFile(path)
	require.NoError(b, err)
	c, err := play.NewReplay(node.Config{}, demo)
	require.NoError(b, err)
	defer c.Close()
	c.Pause(true)
	require.NoError(b, c.Step())
	reel, _ := c.Reel()
	rng, worst := rand.New(rand.NewPCG(1, 1)), time.Duration(0)
	b.ResetTimer()
	for range b.N {
		at := rng.Float64() * reel.Length
		began := time.Now()
		c.Seek(at)
		for reel.At == 0 || reel.At < at-1 || reel.At > at+1 {
			require.NoError(b, c.Step())
			reel, _ = c.Reel()
		}
		worst = max(worst, time.Since(began))
	}
	b.ReportMetric(reel.Length, "s/demo")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms/worst")
}
