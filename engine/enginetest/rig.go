// Package enginetest is a test rig for package engine. It runs a server and clients on a simulated
// network or on an in-memory pipe. Its scripts run the join sequence of mods/base and record the
// callbacks that they receive.
package enginetest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
	"github.com/torc-engine/torc/netcore/seal"
)

// Options configure a Rig. The zero value is a perfect network with one client.
type Options struct {
	Seed    uint64
	Clients int  // default 1
	Circuit bool // uses an in-memory pipe instead of a network, for one client
	Up      netcore.LinkParams
	Down    netcore.LinkParams
	Server  func(*engine.Config) // changes the server's config, after Both
	Both    func(*engine.Config) // changes the config of every host
	Ticket  []byte               // with which Join connects
	Classes func(*sim.Classes)   // adds classes to the classes of the rig, for every host
}

// A Player is a host of the rig with the record of its scripts.
type Player struct {
	*engine.Host
	*Story
	Addr netcore.Addr
}

// A Rig is a server and its clients.
type Rig struct {
	T       testing.TB
	Net     *netsim.Network
	Server  *Player
	Clients []*Player
	options Options
	pipe    *netcore.Pipe
	now     netcore.Time
}

// New makes a rig. No client is connected yet.
func New(t testing.TB, o Options) *Rig {
	r := &Rig{T: t, Net: netsim.New(o.Seed), options: o}
	if o.Circuit {
		r.pipe = netcore.NewPipe(1, 2)
	}
	r.Server = r.Player(1, o.Seed, true, o.Server)
	for i := range max(1, o.Clients) {
		c := r.Player(uint16(2+i), o.Seed, false, nil)
		r.Clients = append(r.Clients, c)
		r.Net.Link(c.Addr, r.Server.Addr, o.Up, o.Down)
	}
	return r
}

// Player adds a host at address n of the rig.
func (r *Rig) Player(n uint16, seed uint64, server bool, change func(*engine.Config)) *Player {
	var key [32]byte
	key[0], key[1] = byte(n), byte(seed)
	key[2], key[3] = byte(seed>>8), byte(seed>>16)
	key[4] = byte(n >> 8)
	entropy := rand.NewChaCha8(key)
	cfg := engine.Config{
		Server: server, Name: fmt.Sprintf("player %d", n), Classes: Classes(r.T), Seed: seed,
		Identity: r.identity(entropy), Entropy: entropy, Resolve: r.resolve,
		Trust: func(string, seal.Key) error { return nil },
	}
	if r.options.Classes != nil {
		r.options.Classes(cfg.Classes)
	}
	for _, change := range []func(*engine.Config){r.options.Both, change} {
		if change != nil {
			change(&cfg)
		}
	}
	p := &Player{Host: engine.NewHost(cfg), Story: &Story{}, Addr: r.addr(n)}
	p.Story.host = p.Host
	p.SetScripts(p.Story)
	if r.pipe == nil {
		r.Net.Attach(p.Addr, p.Host)
	}
	return p
}

// identities are the identities of all hosts so far, by their private keys: many tests have the
// same hosts, and a public key costs as much as a step of a handshake.
var identities sync.Map

// identity draws an identity.
func (r *Rig) identity(entropy io.Reader) seal.KeyPair {
	var private [32]byte
	_, err := io.ReadFull(entropy, private[:])
	require.NoError(r.T, err)
	if id, known := identities.Load(private); known {
		return id.(seal.KeyPair)
	}
	id, err := seal.NewIdentity(bytes.NewReader(private[:]))
	require.NoError(r.T, err)
	identities.Store(private, id)
	return id
}

func (r *Rig) addr(n uint16) netcore.Addr {
	if r.pipe != nil {
		return netcore.LocalAddr(n)
	}
	return netcore.SimAddr(n)
}

// resolve parses an address of the rig, for example "host 3".
func (r *Rig) resolve(text string, done func([]netcore.Addr, error)) {
	var n uint16
	_, err := fmt.Sscanf(text, "host %d", &n)
	done([]netcore.Addr{r.addr(n)}, err)
}

// Link adds a client over a perfect line.
func (r *Rig) Link(c *Player) {
	r.Clients = append(r.Clients, c)
	r.Net.Link(c.Addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
}

// Join connects every client and runs until all of them are in the game.
func (r *Rig) Join() {
	r.T.Helper()
	for _, c := range r.Clients {
		require.NoError(r.T, c.Dialer.Connect("host 1", engine.ConnectArgs{Timeout: time.Minute, Ticket: r.options.Ticket}))
	}
	r.Until(2*time.Minute, func() bool {
		for _, c := range r.Clients {
			if s := c.Host.Server(); s == nil || s.Join.Phase() != engine.PhaseGame {
				return false
			}
		}
		return true
	})
}

// Run advances the simulated time by d.
func (r *Rig) Run(d time.Duration) {
	end := r.now + d
	r.while(end, func() bool { return true })
}

// Until advances the simulated time until done returns true. It fails the test after most.
func (r *Rig) Until(most time.Duration, done func() bool) {
	r.T.Helper()
	r.while(r.now+most, func() bool { return !done() })
	require.True(r.T, done(), "not done after %v; the server was told:\n%s", most, strings.Join(r.Server.Lines, "\n"))
}

func (r *Rig) while(end netcore.Time, more func() bool) {
	if r.pipe == nil {
		r.Net.RunWhile(end, engine.TickTime, more)
		r.now = r.Net.Now()
		return
	}
	for r.now < end && more() {
		r.now += engine.TickTime
		r.circuit()
	}
}

// circuit runs one tick over the pipe: the client's packets, the server's tick, its packets, the
// client's tick.
func (r *Rig) circuit() {
	server, client, at := r.Server, r.Clients[0], r.now
	a, b := r.pipe.A(), r.pipe.B()
	client.Send(at, b.Write)
	a.Drain(func(from netcore.Addr, d []byte) { server.Receive(at, from, d) })
	server.Tick(at)
	server.Send(at, a.Write)
	b.Drain(func(from netcore.Addr, d []byte) { client.Receive(at, from, d) })
	client.Tick(at)
}

// Peer returns the server's connection to client i, counted from 0.
func (r *Rig) Peer(i int) *engine.Connection { return r.Server.Connections()[i] }
