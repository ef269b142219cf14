package natsfleet

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/nodetest"
)

const (
	costPairs = 20
	costTicks = 240  // of a pair, measured
	costWarm  = 360  // ticks before, as fast as they go
	costMost  = 0.03 // of the thread CPU of a server without a fleet
)

// A costServer is a server in virtual time whose loop is measured.
type costServer struct {
	*nodetest.Virtual
	cpu     time.Duration // of its thread, since the last pair
	longest time.Duration // step, by the clock
}

// newCostServer makes a server with a match of 24 bots.
func newCostServer(t *testing.T, fleet *node.Fleet) *costServer {
	s := &costServer{}
	s.Virtual = nodetest.NewVirtual(t, node.Config{
		Common: node.Common{Vars: []node.Var{{Name: "sv.bots", Value: "24"}}, Scripts: []node.Script{{Code: "ctf.warmup = 0"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, MaxClients: 32, Fleet: fleet},
	}, 0)
	return s
}

// tick runs a tick, and measures it.
func (s *costServer) tick(t *testing.T) {
	s.Now += engine.TickTime
	began, cpu := time.Now(), threadCPU(t)
	err := s.Server.Step()
	s.cpu += threadCPU(t) - cpu
	s.longest = max(s.longest, time.Since(began))
	require.NoError(t, err)
}

// threadCPU returns the CPU time of the calling thread.
func threadCPU(t *testing.T) time.Duration {
	var c unix.Timespec
	require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &c))
	return time.Duration(c.Nano())
}

// interval returns the mean of values, and half of its 95 % interval.
func interval(list []float64) (mean, half float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	for _, v := range list {
		half += (v - mean) * (v - mean)
	}
	const student = 2.093 // of 19 degrees of freedom
	return mean, student * math.Sqrt(half/float64(len(list)-1)/float64(len(list)))
}

// TestLoopCost measures the thread CPU of the loop per tick with a fleet whose NATS is alive,
// stopped, or dead, over the same game without a fleet. Both servers of a pair are new, because
// each server has its own luck with the caches. They run in one thread and in real time, tick by
// tick. Another server of the fleet writes four values a second. With TORC_QUIET=1 nothing else
// runs on the machine: then the 95 % interval of the mean difference ends below 3 %.
func TestLoopCost(t *testing.T) {
	long(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	c := natstest.New(t, natstest.Options{})
	writer := join(t, config(c), "writer").follow(game)
	for _, state := range []string{"alive", "stopped", "dead"} {
		var more []float64
		per, longest := time.Duration(0), [2]time.Duration{}
		for pair := range costPairs {
			fleet := &node.Fleet{
				Name: fmt.Sprint(state, "-", pair), Advertise: "127.0.0.1:1", Open: func(self bus.Server) (bus.Bus, error) { return config(c).Open(self) },
			}
			var both [2]*costServer
			for i := range both {
				at := (i + pair) % 2 // none is always the first
				both[at] = newCostServer(t, []*node.Fleet{nil, fleet}[at])
				both[at].warm(t)
			}
			switch state {
			case "stopped":
				c.Nodes[0].Signal(syscall.SIGSTOP)
			case "dead":
				c.Nodes[0].Kill()
			}
			compare(t, both, func() {
				if state == "alive" {
					writeGame(writer)
				}
			})
			more = append(more, float64(both[1].cpu-both[0].cpu)/float64(both[0].cpu))
			per += both[0].cpu / (costPairs * costTicks)
			for i, s := range both {
				longest[i] = max(longest[i], s.longest)
			}
			switch state {
			case "stopped":
				c.Nodes[0].Signal(syscall.SIGCONT)
			case "dead":
				c.Nodes[0].Start()
				c.Nodes[0].WaitHealthy()
			}
			require.NoError(t, both[0].Server.Close())
			require.NoError(t, both[1].Server.Close())
		}
		mean, half := interval(more)
		t.Logf("NATS %s, %d pairs of %d ticks, load %s: %v a tick without a fleet, with it %+.2f %% ± %.2f; longest step %v without, %v with",
			state, costPairs, costTicks, load(), per.Round(time.Microsecond), 100*mean, 100*half, longest[0], longest[1])
		assert.Less(t, mean-half, costMost, "NATS %s", state)
		assert.True(t, mean+half < costMost || os.Getenv("TORC_QUIET") == "", "NATS %s: the interval ends above %v", state, costMost)
	}
}

// warm runs the first seconds of a game.
func (s *costServer) warm(t *testing.T) {
	for range costWarm {
		s.tick(t)
	}
}

// compare measures two servers, tick by tick in real time.
func compare(t *testing.T, both [2]*costServer, each func()) {
	pace := time.NewTicker(engine.TickTime)
	defer pace.Stop()
	const settle = 30
	for i := range settle + costTicks {
		if i == settle { // what was on its way has come
			both[0].cpu, both[0].longest = 0, 0
			both[1].cpu, both[1].longest = 0, 0
		}
		<-pace.C
		if i%30 == 0 {
			each()
		}
		both[i%2].tick(t)
		both[1-i%2].tick(t)
	}
}

// game is a group that each server with the mod ctf follows.
var game = bus.Group{Bucket: bus.Shared, Name: "ctf"}

// writeGame writes four values.
func writeGame(m *member) {
	m.take()
	var writes []bus.Write
	for k := range 4 {
		key := fmt.Sprint("k", k)
		writes = append(writes, set(key, "\x01sd"+strings.Repeat("x", 'd'), m.values[game][key].Rev))
	}
	m.commit(game, writes...)
}
