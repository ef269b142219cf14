package node_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/swarm"
)

// crowdEnv has the address of the server and of its net page for the process of BenchmarkNetPage's
// clients.
const crowdEnv = "TORC_TEST_NET_CROWD"

// The load of BenchmarkNetPage.
const (
	crowdClients = 64
	crowdObjects = 1000
	crowdWindow  = 64 // ticks: 2 s
)

// drifter is an object that moves in every tick, within 1,000 m of the origin.
type drifter struct {
	sim.NetObject
	position, velocity sim.Vec3
}

func (d *drifter) Place() sim.Place {
	return sim.Place{Position: d.position, Velocity: d.velocity, Radius: 1}
}

func (d *drifter) Tick(uint64) {
	d.position = d.position.Add(d.velocity.Mul(sim.TickSeconds))
	for _, axis := range [][2]*float64{{&d.position.X, &d.velocity.X}, {&d.position.Y, &d.velocity.Y}} {
		if *axis[0] > 1000 && *axis[1] > 0 || *axis[0] < -1000 && *axis[1] < 0 {
			*axis[1] = -*axis[1]
		}
	}
	d.Mark(1 << 1)
}

func registerDrifter(classes *sim.Classes) error {
	return classes.Register(sim.Class{
		Name: "Drifter", Parent: "NetObject", New: func() sim.Object { return new(drifter) },
		Fields: []sim.Field{
			sim.VecField("position", 1, 1024, func(d *drifter) *sim.Vec3 { return &d.position }).WithBits(18).WithRate("velocity"),
			sim.VecField("velocity", 1, 32, func(d *drifter) *sim.Vec3 { return &d.velocity }).WithBits(12),
		},
	})
}

// BenchmarkNetPage measures the CPU time of a server with 64 clients and 1,000 moving objects,
// without and with an open net page, in turn. The clients and the page are in another process. It
// reports the medians of the CPU time in ms per second, and of the share of the page in %. Run it
// with -benchtime 20x for 20 pairs.
func BenchmarkNetPage(b *testing.B) {
	ticked := make(metronome, 1)
	s, err := node.NewServer(node.Config{
		Common: node.Common{Register: registerDrifter, Hooks: node.Hooks{BeforeTick: ticked.tick}},
		Server: node.ServerConfig{Listen: "127.0.0.1:0", Web: openWebConfig()},
	})
	require.NoError(b, err)
	defer s.Close()
	require.NoError(b, s.Start())
	rng := rand.New(rand.NewPCG(1, 2))
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	for range crowdObjects {
		s.Host().World().Add(&drifter{
			position: sim.Vec3{X: between(-1000, 1000), Y: between(-1000, 1000)}, velocity: sim.Vec3{X: between(-20, 20), Y: between(-20, 20)},
		})
	}
	go func() { _ = s.Run(context.Background()) }()
	tell := startCrowd(b, s, ticked)
	var without, with, share []float64
	for b.Loop() {
		pair := [2]float64{}
		for _, open := range [][]int{{0, 1}, {1, 0}}[len(share)%2] {
			tell([]string{"close", "open"}[open])
			ticked.wait(crowdWindow / 4)
			pair[open] = windowCPU(ticked)
		}
		without, with, share = append(without, pair[0]), append(with, pair[1]), append(share, 100*(pair[1]/pair[0]-1))
	}
	for _, row := range []struct {
		unit string
		of   []float64
	}{{"ms/s-without", without}, {"ms/s-with", with}, {"%page", share}} {
		slices.Sort(row.of)
		b.ReportMetric(row.of[len(row.of)/2], row.unit)
	}
	b.ReportMetric(0, "ns/op")
}

// metronome gets the ticks of a server.
type metronome chan struct{}

// tick says that a tick begins. It does not wait.
func (m metronome) tick() {
	select {
	case m <- struct{}{}:
	default:
	}
}

// wait waits for n ticks.
func (m metronome) wait(n int) {
	for range n {
		<-m
	}
}

// startCrowd starts the clients in another process, and waits until all have all objects. tell
// opens and closes the page there.
func startCrowd(b *testing.B, s *node.Server, ticked metronome) (tell func(string)) {
	exe, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(exe, "-test.run", "^TestNetCrowd$")
	cmd.Env = append(os.Environ(), crowdEnv+"="+s.Address()+" http://"+s.Addresses().Web.String()+"/net/stream")
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	require.NoError(b, testenv.Start(b, cmd))
	b.Cleanup(func() { _ = in.Close() })
	for limit := testenv.Limit(b); ; ticked.wait(1) {
		complete := 0
		require.NoError(b, s.Do(func() {
			for _, c := range s.Host().Connections() {
				if c.Ghosts() != nil && c.Ghosts().Len() >= crowdObjects {
					complete++
				}
			}
		}))
		if complete == crowdClients {
			break
		}
		require.False(b, testenv.Expired(limit), "%d clients are complete", complete)
	}
	return func(line string) { _, err := fmt.Fprintln(in, line); require.NoError(b, err) }
}

// windowCPU returns the CPU time of this process in the next 64 ticks, in ms per second.
func windowCPU(ticked metronome) float64 {
	used := func() time.Duration {
		var u unix.Rusage
		_ = unix.Getrusage(unix.RUSAGE_SELF, &u) // it never fails for this process
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before, began := used(), time.Now()
	ticked.wait(crowdWindow)
	return 1000 * (used() - before).Seconds() / time.Since(began).Seconds()
}

// TestNetCrowd is the process of the clients of BenchmarkNetPage.
func TestNetCrowd(t *testing.T) {
	address, page, found := strings.Cut(os.Getenv(crowdEnv), " ")
	if !found {
		t.Skip("BenchmarkNetPage runs it")
	}
	swarm, err := swarm.New(swarm.Config{Common: node.Common{Name: "crowd", Register: registerDrifter}, Address: address, Count: crowdClients})
	require.NoError(t, err)
	defer swarm.Close()
	go func() { _ = swarm.Run(context.Background()) }()
	end := func() {}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		end()
		ctx, cancel := context.WithCancel(context.Background())
		end = cancel
		if lines.Text() == "open" {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
			require.NoError(t, err)
			r.Header.Set("Torc-Net-Key", "")
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			require.Equal(t, 200, answer.StatusCode)
			go func() { _, _ = io.Copy(io.Discard, answer.Body) }()
		}
	}
	end()
}
