package node

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
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
)

// soak is a server of capture the flag and a swarm that fights on it, over real sockets. The server
// has its own loop, and the test runs the swarm. The holder of the lock can read the server's
// world.
type soak struct {
	t      *testing.T
	server *Server
	swarm  *Swarm
	lock   sync.Mutex // of the server
	step   *time.Ticker
	now    chan time.Time // always ready

	logs sync.Mutex
	log  []string // warnings and errors of both, without reports of a slow machine
	slow int      // number of reports of a slow machine
}

// atEase are settings for a busy machine: other processes must not make scripts exceed their time
// limits.
var atEase = []Var{
	{Name: "mod.callbackTime", Value: "1s"}, {Name: "mod.tickTime", Value: "1s"},
	{Name: "mod.lineTime", Value: "5m"}, {Name: "mod.loadTime", Value: "5m"},
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
	cfg := Config{Common: Common{Seed: &seed, Vars: atEase, Log: slog.New(slog.NewTextHandler(s, &slog.HandlerOptions{Level: slog.LevelWarn}))}}
	server := cfg
	server.Data, server.Server.Listen, server.Server.Load, server.Strict, server.Server.MaxClients = shortDir(t), "127.0.0.1:0", []string{"ctf"}, true, clients
	server.Scripts = []Script{{Code: "ctf.warmup = 0"}}
	var err error
	s.server, err = NewServer(server)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.server.Close() })
	require.NoError(t, s.server.Start())
	s.serve()
	cfg.Data, cfg.Client.Address, cfg.Client.Wander = t.TempDir(), s.server.Address(), true
	s.swarm, err = NewSwarm(SwarmConfig{Config: cfg, Count: clients})
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.swarm.Close() })
	require.NoError(t, s.swarm.Start())
	return s
}

func (s *soak) host() *engine.Host { return s.server.Host() }

// serve runs the server's loop until the test ends.
func (s *soak) serve() {
	step, stop, stopped := time.NewTicker(time.Millisecond), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-step.C:
				s.lock.Lock()
				s.server.core.Loop.Wait(s.server.core.Queue, s.now, nil)
				s.server.core.Loop.Turn()
				s.lock.Unlock()
			case <-stop:
				return
			}
		}
	}()
	s.t.Cleanup(func() {
		step.Stop()
		close(stop)
		<-stopped
	})
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
	over := func() bool {
		s.lock.Lock()
		defer s.lock.Unlock()
		return done()
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
	s.lock.Lock()
	end, moves := time.Now().Add(d), s.moves()+s.swarm.cfg.Count*int(d/engine.TickTime)/2
	s.lock.Unlock()
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
	s.lock.Lock()
	_, err := s.server.Console().Exec("mission " + mission)
	s.lock.Unlock()
	require.NoError(s.t, err)
	s.until("changing", func() bool { return !s.playing() })
	s.until("playing "+mission, s.playing)
}

// transient has the classes whose objects are too short-lived to compare.
var transient = map[string]bool{"Projectile": true, "Explosion": true, "Item": true, "Player": true}

// fixed returns the objects that a mission has placed in a world, by class and place.
func fixed(w *sim.World, ghosts bool) map[string]int {
	all := map[string]int{}
	w.Each(nil, func(o sim.Object) bool {
		p, placed := o.(sim.Placer)
		class := o.Ident().Class().Name
		if placed && o.Ident().IsGhost() == ghosts && !transient[class] && class != "Flag" && class != "Vehicle" {
			at := p.Place().Position
			all[fmt.Sprintf("%s %.0f %.0f", class, at.X, at.Y)]++
		}
		return true
	})
	return all
}

// look compares the clients' objects with the server's objects.
func (s *soak) look() {
	s.t.Helper()
	s.lock.Lock()
	defer s.lock.Unlock()
	here := fixed(s.host().World(), false)
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
		for what, n := range fixed(w, true) {
			assert.LessOrEqual(s.t, n, here[what], "%s: %s is not of this mission", d.Name, what)
		}
	}
	assert.Equal(s.t, 2*len(s.swarm.all), flags, "everybody sees two flags")
	assert.Zero(s.t, s.swarm.lost, s.swarm.firstWhy)
	assert.Empty(s.t, s.said())
}

// size returns the number of goroutines and the bytes of live heap of the process.
func size() (goroutines int, heap uint64) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return runtime.NumGoroutine(), m.HeapAlloc
}

// TestSoak lets a swarm fight through three changes of the mission. No client drops, no object of
// an old mission stays, nothing is logged, and memory does not grow. It takes seconds. The long
// form is
//
//	TORC_SOAK=10m TORC_SOAK_CLIENTS=128 go test ./node -run TestSoak -v -timeout 30m
func TestSoak(t *testing.T) {
	long, clients := testenv.Length(time.Second, 2*time.Second), 8
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
	goroutines, heap := size()
	t.Logf("%d clients: %d goroutines, %.1f MiB", clients, goroutines, float64(heap)/(1<<20))
	for _, mission := range testenv.Length([]string{"ridge"}, []string{"ridge", "valley", "ridge"}) {
		s.change(mission)
		s.look()
		s.run(long / 4)
		s.look()
		now, bytes := size()
		t.Logf("%s: %d goroutines, %.1f MiB", mission, now, float64(bytes)/(1<<20))
		assert.Equal(t, goroutines, now)
		assert.Less(t, bytes, heap+heap/4+4<<20)
	}
	s.lock.Lock()
	moves := s.moves()
	s.lock.Unlock()
	t.Logf("%d moves, %d times a script was cut short", moves, s.slow)
	s.swarm.core.Quit("", nil)
	s.until("over", s.swarm.core.Over)
	s.until("left", func() bool { return len(s.host().Connections()) == 0 })
	assert.Equal(t, netcore.Never, s.swarm.until)
	assert.Empty(t, s.said())
}
