package node_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

const (
	matchClients = 8
	matchStep    = 4 * time.Millisecond
	matchDelay   = 40 * time.Millisecond // one way
	matchLoss    = .01
)

// longMatch is a server of capture the flag and its clients in virtual time. Players come and go,
// mods are reloaded, and the mission changes.
type longMatch struct {
	t       *testing.T
	rng     *rand.Rand
	now     time.Duration
	server  *node.Server
	clients []*node.Client
	joined  int // clients so far
	line    []delayedDatagram
	log     []string // warnings and errors
}

// delayedDatagram is a datagram on the line.
type delayedDatagram struct {
	at     time.Duration
	arrive func()
}

func newLongMatch(t *testing.T, seed uint64) *longMatch {
	t.Helper()
	m := &longMatch{t: t, rng: rand.New(rand.NewPCG(seed, 21)), clients: make([]*node.Client, matchClients)}
	cfg := m.config(seed)
	cfg.Server.Load, cfg.Strict, cfg.Server.MaxClients = []string{"ctf"}, true, matchClients
	cfg.Scripts = []node.Script{{Code: "ctf.warmup = 0"}}
	var err error
	m.server, err = node.NewServerOn(cfg, m.edge(seed, func(to netcore.Addr, b []byte) {
		m.send(b, func(b []byte) { m.clients[to.AddrPort().Port()-1].Receive(b) })
	}))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.server.Close()) })
	for i := range m.clients {
		m.join(i)
	}
	t.Cleanup(func() {
		for _, c := range m.clients {
			assert.NoError(t, c.Close())
		}
	})
	return m
}

func (m *longMatch) config(seed uint64) node.Config {
	return node.Config{Common: node.Common{Seed: &seed, Log: slog.New(slog.NewTextHandler(m, &slog.HandlerOptions{Level: slog.LevelWarn}))}}
}

// Write takes a line of the log.
func (m *longMatch) Write(line []byte) (int, error) {
	m.log = append(m.log, fmt.Sprint(m.now, " ", string(line)))
	return len(line), nil
}

func (m *longMatch) edge(seed uint64, send func(netcore.Addr, []byte)) node.Edge {
	var key [32]byte
	m.joined++
	copy(key[:], fmt.Sprint(seed, " ", m.joined))
	return node.Edge{
		Clock:   func() time.Duration { return m.now },
		Date:    func() time.Time { return time.Unix(1_000_000_000, 0).Add(m.now) },
		Entropy: rand.NewChaCha8(key),
		Send:    send,
	}
}

// send puts a datagram on the line.
func (m *longMatch) send(b []byte, arrive func([]byte)) {
	if m.rng.Float64() >= matchLoss {
		b = append([]byte(nil), b...)
		m.line = append(m.line, delayedDatagram{m.now + matchDelay, func() { arrive(b) }})
	}
}

// join puts a new client into a place.
func (m *longMatch) join(place int) {
	seed := m.rng.Uint64()
	from := netcore.UDPAddr(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(place + 1)}), uint16(place+1)))
	cfg := m.config(seed)
	cfg.Name, cfg.Client.Address, cfg.Client.Wander = fmt.Sprint("Player ", m.joined), "server:1#"+m.server.Key().String(), true
	e := m.edge(seed, func(_ netcore.Addr, b []byte) {
		m.send(b, func(b []byte) { m.server.Receive(from, b) })
	})
	id, err := seal.NewIdentity(e.Entropy)
	require.NoError(m.t, err)
	cfg.Identity = &id
	m.clients[place], err = node.NewClientOn(cfg, e)
	require.NoError(m.t, err)
}

// run runs for a time. A client that has ended is replaced.
func (m *longMatch) run(d time.Duration) {
	m.t.Helper()
	for end := m.now + d; m.now < end; m.now += matchStep {
		for len(m.line) > 0 && m.line[0].at <= m.now {
			m.line[0].arrive()
			m.line = m.line[1:]
		}
		require.NoError(m.t, m.server.Step(), "after %v", m.now)
		for place, c := range m.clients {
			if err := c.Step(); errors.Is(err, io.EOF) {
				require.NoError(m.t, c.Close())
				m.join(place)
			} else {
				require.NoError(m.t, err, "after %v", m.now)
			}
		}
	}
}

// exec runs a line at the server's console. Its output must have a text.
func (m *longMatch) exec(line, says string) {
	m.t.Helper()
	out, err := m.server.Console().Exec(line)
	require.NoError(m.t, err, "%s after %v", line, m.now)
	require.Contains(m.t, out, says)
}

// until runs until done returns true.
func (m *longMatch) until(what string, done func() bool) {
	m.t.Helper()
	for end := m.now + 30*time.Second; !done(); m.run(matchStep) {
		require.Less(m.t, m.now, end, "not %s\n%s", what, strings.Join(m.log, ""))
	}
}

// playing reports whether all clients are in the game and control an object.
func (m *longMatch) playing() bool {
	for _, c := range m.clients {
		if s := c.Host().Server(); s == nil || s.Join.Phase() != engine.PhaseGame || s.Control.Object() == nil {
			return false
		}
	}
	return len(m.server.Host().Connections()) == matchClients
}

// check waits until all clients play, and compares what they see with the server's world.
func (m *longMatch) check() {
	m.t.Helper()
	m.until("playing", m.playing)
	m.run(2 * time.Second)
	here := nodetest.Fixed(m.server.Host().World(), false)
	for _, c := range m.clients {
		ghosts := 0
		c.Host().World().Each(nil, func(o sim.Object) bool {
			if o.Ident().IsGhost() {
				ghosts++
			}
			return true
		})
		require.Equal(m.t, c.Host().Server().PeerGhosts.Count(), ghosts, "after %v", m.now)
		for what, n := range nodetest.Fixed(c.Host().World(), true) {
			require.LessOrEqual(m.t, n, here[what], "%s after %v", what, m.now)
		}
	}
	require.Empty(m.t, m.log)
}

// TestLongMatch plays ten minutes of virtual time, or a short form. Every 5 s a player leaves and
// another one joins, every 20 s a mod is reloaded, and every minute the mission changes. Nothing is
// logged, no client sees objects of an old mission, and memory does not grow.
func TestLongMatch(t *testing.T) {
	base, err := testenv.SeedBase()
	require.NoError(t, err)
	seed := testenv.Length(0, base)
	t.Logf("run the seed again: TORC_LONG=1 TORC_SEED_BASE=%d", seed)
	m := newLongMatch(t, seed)
	m.check()
	goroutines, heap := 0, uint64(0)
	for second := range testenv.Length(12, 600) {
		m.run(time.Second)
		switch n := second + 1; {
		case n%60 == 0 || n == 12 && !testenv.Long():
			m.exec("mission "+[]string{"ridge", "valley"}[n/60%2], "")
			m.check()
			now, bytes := nodetest.Size()
			if heap == 0 {
				goroutines, heap = now, bytes
			}
			t.Logf("%v: %d players so far, %d goroutines, %.1f MiB", m.now, m.joined-1, now, float64(bytes)/(1<<20))
			require.Equal(t, goroutines, now)
			require.Less(t, bytes, heap+heap/4+4<<20)
		case n%20 == 0 || n == 8 && !testenv.Long():
			m.exec("mod reload "+[]string{"ctf", "base"}[n/20%2], "reloaded")
		case n%5 == 0:
			m.clients[m.rng.IntN(matchClients)].Quit("bored")
		}
	}
}
