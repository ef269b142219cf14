package line

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

const (
	plotLong = time.Minute
	plotStep = 500 * time.Millisecond
)

// trace records the kbit/s of each pair and the smoothed round-trip time of the first in ms.
type trace struct {
	rates [][]float64
	rtt   []float64
}

// record runs for a minute. It calls each of the changes at its time.
func (r *Run) record(changes map[time.Duration]func()) (t trace) {
	t.rates = make([][]float64, len(r.pairs))
	for r.Now() < plotLong {
		if change := changes[r.Now()]; change != nil {
			change()
		}
		u := r.Use(r.Now() + plotStep)
		for i, bytes := range u.Deliveries {
			t.rates[i] = append(t.rates[i], bytes*8/plotStep.Seconds()/1e3)
		}
		t.rtt = append(t.rtt, u.RTT.Seconds()*1e3)
	}
	return t
}

// plots draws the plots of docs/netplay.md.
func plots() map[string][]byte {
	two := NewRun(NewSimulated(1), 1, 256_000, queue)
	two.Connect(true, 0)
	two.Connect(true, 10*time.Second)
	shared := two.record(nil)

	beside := NewRun(NewSimulated(1), 1, 2e6, queue)
	beside.Connect(true, 0)
	beside.addCUBIC(10 * time.Second)
	cubic := beside.record(nil)

	r := NewRun(NewSimulated(1), 1, 2e6, queue)
	r.Connect(true, 0)
	drop := r.record(map[netcore.Time]func(){
		20 * time.Second: func() {
			r.change(func(_, down *netsim.Direction) { down.Rate, down.Queue = 128_000, queue*2_000/128 })
		},
		40 * time.Second: func() { r.change(func(_, down *netsim.Direction) { down.Rate, down.Queue = 2e6, queue }) },
	})
	return map[string][]byte{
		"line-two.svg":   svg(plotLong, panel{"kbit/s", 280, []curve{{"first", shared.rates[0]}, {"second", shared.rates[1]}}}, panel{"round-trip time, ms", 200, []curve{{"first", shared.rtt}}}),
		"line-cubic.svg": svg(plotLong, panel{"kbit/s", 2000, []curve{{"torc", cubic.rates[0]}, {"CUBIC", cubic.rates[1]}}}, panel{"round-trip time, ms", 200, []curve{{"torc", cubic.rtt}}}),
		"line-drop.svg":  svg(plotLong, panel{"kbit/s", 2000, []curve{{"torc", drop.rates[0]}}}, panel{"round-trip time, ms", 1200, []curve{{"torc", drop.rtt}}}),
	}
}

// TestPlots compares the plots in docs with those of the present code. Other processors than amd64
// round differently, and then the runs differ.
func TestPlots(t *testing.T) {
	for name, want := range plots() {
		path := filepath.Join("..", "..", "..", "docs", name)
		if testenv.Update() {
			require.NoError(t, os.WriteFile(path, want, 0o644))
		}
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		if runtime.GOARCH == "amd64" {
			assert.True(t, string(want) == string(got), "docs/%s is out of date: go test ./netcore/netsim/line -run Plots -update", name)
		}
	}
}
