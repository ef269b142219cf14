package swarm

import (
	"context"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// soak is a server of capture the flag and a swarm that fights on it, over real sockets. The server
// has its own loop, and the test runs the swarm.
type soak struct {
	t      *testing.T
	server *node.Server
	swarm  *Swarm
	step   *time.Ticker
	now    chan time.Time // always ready

	logs sync.Mutex
	log  []string // warnings and errors of both, without reports of a slow machine
	slow int      // number of reports of a slow machine
}

// atEase are settings for a busy machine: other processes must not make scripts exceed their time
// limits.
var atEase = []node.Var{
	{Name: "mod.callbackTime", Value: "1s"}, {Name: "mod.tickTime", Value: "1s"},
	{Name: "mod.lineTime", Value: "5m"}, {Name: "mod.loadTime", Value: "5m"}, {Name: "mod.cpuSuspend", Value: "0"},
	{Name: "mod.cpuWarn", Value: "0"}, {Name: "mod.callbackHeap", Value: "4000"},
}

// Write takes a line of the log. A script can exceed its time limit because the machine is busy, so
// such lines are only counted.
func (s *soak) Write(line []byte) (int, error) {
	s.logs.Lock()
	defer s.logs.Unlock()
	if text := string(line); strings.Contains(text, "used up") || strings.Contains(text, "stood still") {
		s.slow++
	} else {
		s.log = append(s.log, text)
	}
	return len(line), nil
}

func newSoak(t *testing.T, clients int) *soak {
	s := &soak{t: t, step: time.NewTicker(time.Millisecond), now: make(chan time.Time)}
	close(s.now)
	t.Cleanup(s.step.Stop)
	seed := uint64(1)
	cfg := node.Config{Common: node.Common{Seed: &seed, Vars: atEase, Log: slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelWarn}))}}
	server := cfg
	server.Data, server.Server.Listen, server.Server.Load, server.Strict, server.Server.MaxClients = t.TempDir(), "127.0.0.1:0", []string{"ctf"}, true, clients
	server.Scripts = []node.Script{{Code: "ctf.warmup = 0"}}
	var err error
	s.server, err = node.NewServer(server)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.server.Close() })
	require.NoError(t, s.server.Start())
	s.serve()
	cfg.Data = t.TempDir()
	s.swarm, err = New(Config{Common: cfg.Common, Address: s.server.Address(), Wander: true, Count: clients})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.swarm.Close() })
	require.NoError(t, s.swarm.Start())
	return s
}

func (s *soak) host() *engine.Host { return s.server.Host() }

// serve runs the server until the test ends.
func (s *soak) serve() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.server.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		assert.NoError(s.t, <-ended)
	})
}

// pause stops the server while f reads or changes its world.
func (s *soak) pause(f func()) {
	s.t.Helper()
	require.NoError(s.t, s.server.Do(f))
}

// turn runs the swarm for a moment.
func (s *soak) turn() {
	<-s.step.C
	s.swarm.wait(s.now, nil)
	s.swarm.turn()
}

// until runs the swarm until done returns true. The server pauses during each call of done.
func (s *soak) until(what string, done func() bool) {
	s.t.Helper()
	over := func() (is bool) {
		s.pause(func() { is = done() })
		return is
	}
	for limit := testenv.Limit(s.t); !over(); s.turn() {
		require.False(s.t, testenv.Expired(limit), "not %s\n%s", what, s.said())
	}
}

// said returns the log.
func (s *soak) said() string {
	s.logs.Lock()
	defer s.logs.Unlock()
	return strings.Join(s.log, "")
}

// run runs for d, and until all clients together have made the moves of half that time. A busy
// machine takes longer.
func (s *soak) run(d time.Duration) {
	end, moves := time.Now().Add(d), s.swarm.cfg.Count*int(d/engine.TickTime)/2
	s.pause(func() { moves += s.moves() })
	s.until("over", func() bool { return time.Now().After(end) && s.moves() >= moves })
}

// moves returns the number of all moves since the soak began. The server must be paused.
func (s *soak) moves() (n int) {
	for _, c := range s.host().Connections() {
		n += c.Control.Stats.Moves
	}
	return n
}

// playing reports whether all clients are in the game and control an object.
func (s *soak) playing() bool {
	for _, c := range s.host().Connections() {
		if c.Join.Phase() != engine.PhaseGame || c.Control.Object() == nil {
			return false
		}
	}
	for _, d := range s.swarm.all {
		if c := d.Host.Server(); c == nil || c.Join.Phase() != engine.PhaseGame || c.Control.Object() == nil {
			return false
		}
	}
	return s.swarm.told && len(s.host().Connections()) == s.swarm.cfg.Count
}

// change changes the mission and waits until all clients play it.
func (s *soak) change(mission string) {
	s.t.Helper()
	var err error
	s.pause(func() { _, err = s.server.Console().Exec("mission " + mission) })
	require.NoError(s.t, err)
	s.until("changing", func() bool { return !s.playing() })
	s.until("playing "+mission, s.playing)
}

// look compares the clients' objects with the server's objects.
func (s *soak) look() {
	s.t.Helper()
	s.pause(s.compare)
}

func (s *soak) compare() {
	s.t.Helper()
	here := nodetest.Fixed(s.host().World(), false)
	flags := 0
	for _, d := range s.swarm.all {
		c, w := d.Host.Server(), d.Host.World()
		ghosts := 0
		w.Each(nil, func(o sim.Object) bool {
			if o.Ident().IsGhost() {
				ghosts++
			}
			if o.Ident().Class().Name == "Flag" {
				flags++
			}
			return true
		})
		assert.Equal(s.t, c.PeerGhosts.Count(), ghosts, "%s: every ghost is one of this connection's", d.Name)
		for what, n := range nodetest.Fixed(w, true) {
			assert.LessOrEqual(s.t, n, here[what], "%s: %s is not of this mission", d.Name, what)
		}
	}
	assert.Equal(s.t, 2*len(s.swarm.all), flags, "everybody sees two flags")
	assert.Zero(s.t, s.swarm.lost, s.swarm.firstWhy)
	assert.Empty(s.t, s.said())
}

// TestSoak lets a swarm fight through three changes of the mission. No client drops, no object of
// an old mission stays, nothing is logged, and memory does not grow. It takes seconds. The long
// form is
//
//	TORC_SOAK=10m TORC_SOAK_CLIENTS=128 go test ./node/swarm -run TestSoak -v -timeout 30m
func TestSoak(t *testing.T) {
	long, clients := testenv.Length(400*time.Millisecond, 2*time.Second), 8
	if v := os.Getenv("TORC_SOAK"); v != "" {
		var err error
		long, err = time.ParseDuration(v)
		require.NoError(t, err, "TORC_SOAK")
	}
	if v := os.Getenv("TORC_SOAK_CLIENTS"); v != "" {
		var err error
		clients, err = strconv.Atoi(v)
		require.NoError(t, err, "TORC_SOAK_CLIENTS")
	}
	s := newSoak(t, clients)
	s.until("playing", s.playing)
	s.run(long / 4)
	s.look()
	goroutines, heap := nodetest.Size()
	t.Logf("%d clients: %d goroutines, %.1f MiB", clients, goroutines, float64(heap)/(1<<20))
	for _, mission := range testenv.Length([]string{"ridge"}, []string{"ridge", "valley", "ridge"}) {
		s.change(mission)
		s.look()
		s.run(long / 4)
		s.look()
		now, bytes := nodetest.Size()
		t.Logf("%s: %d goroutines, %.1f MiB", mission, now, float64(bytes)/(1<<20))
		assert.Equal(t, goroutines, now)
		assert.Less(t, bytes, heap+heap/4+4<<20)
	}
	moves := 0
	s.pause(func() { moves = s.moves() })
	t.Logf("%d moves, %d times a script was cut short", moves, s.slow)
	s.swarm.core.Quit("", nil)
	s.until("over", s.swarm.core.Over)
	s.until("left", func() bool { return len(s.host().Connections()) == 0 })
	assert.Equal(t, netcore.Never, s.swarm.until)
	assert.Empty(t, s.said())
}
