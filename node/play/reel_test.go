package play_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/recording"
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

// TestReplaysHaveVoices: the frames of a demo reach the hook of the page, as those of a server do.
func TestReplaysHaveVoices(t *testing.T) { inTime(t, replaysHaveVoices) }

func replaysHaveVoices(t *testing.T) {
	s, err := node.NewServer(node.Config{Server: node.ServerConfig{Listen: "127.0.0.1:0"}})
	require.NoError(t, err)
	header := s.Host().Demos.Header()
	require.NoError(t, s.Close())
	l := recording.NewLog(0)
	l.Tick(1)
	l.Cut()
	state, ok := l.State()
	require.True(t, ok)
	for tick := range uint64(1000) {
		l.Voice(&recording.Voice{Talker: 7, Client: 4, Name: "Ann", Mark: 1, Channel: 2, Number: uint8(tick), Data: []byte{9 << 3, 1}})
		l.Tick(tick + 2)
	}
	rest, ok := l.Cut()
	require.True(t, ok)
	var heard []engine.VoiceFrame
	cfg := node.Config{Client: node.ClientConfig{VoiceIn: func(f engine.VoiceFrame) { heard = append(heard, f) }}}
	c, err := play.NewReplay(cfg, append(append(header.Bytes(), state.Bytes()...), rest.Bytes()...))
	require.NoError(t, err)
	defer c.Close()
	for began := time.Now(); len(heard) < 3; time.Sleep(frame) {
		require.Less(t, time.Since(began), time.Minute)
		require.NoError(t, c.Step())
	}
	assert.Equal(t, engine.Talker{Number: 7, Client: 4, Name: "Ann", Mark: [8]byte{1}}, heard[0].Talker)
	assert.Equal(t, []uint8{0, 1, 2}, []uint8{heard[0].Number, heard[1].Number, heard[2].Number})
	c.SetSpeed(400)
	require.NoError(t, c.Step())
	n := len(heard)
	for began := time.Now(); ; time.Sleep(frame) {
		require.Less(t, time.Since(began), time.Minute)
		require.NoError(t, c.Step())
		if reel, _ := c.Reel(); reel.At > 3 {
			break
		}
	}
	assert.Len(t, heard, n, "four times as fast")
}
