package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
)

// The match of BenchmarkMatch is as large as a match of mods/ctf, and as busy.
const (
	matchSide  = 440.0 // metres between the bases
	matchFire  = 24    // ticks between two shots of a player
	matchShots = 64    // ticks that a shot flies
	matchRTT   = 2     // ticks
)

// A fighter is a runner with health and energy.
type fighter struct {
	enginetest.Runner
	health, energy int
	index          int
}

// A bullet is an object that flies straight and ends after a while.
type bullet struct {
	sim.NetObject
	at, speed sim.Vec3
	left      int // ticks
}

func (s *bullet) Place() sim.Place { return sim.Place{Position: s.at, Velocity: s.speed, Radius: 0.1} }

// Tick moves the bullet. Its ghosts predict the movement, so nothing is marked.
func (s *bullet) Tick(uint64) {
	s.at = s.at.Add(s.speed.Mul(sim.TickSeconds))
	s.MarkPredicted(1 << 1)
	if s.left--; s.left == 0 {
		_ = s.World().Delete(s)
	}
}

func matchClasses(t testing.TB) func(classes *sim.Classes) {
	return func(classes *sim.Classes) {
		require.NoError(t, classes.Register(sim.Class{
			Name: "Fighter", Parent: "Body", Control: 1 << 1, Interest: 0.75, New: func() sim.Object { return new(fighter) },
			Fields: []sim.Field{
				sim.IntField("health", 4, 0, 100, func(f *fighter) *int { return &f.health }),
				sim.IntField("energy", 5, 0, 100, func(f *fighter) *int { return &f.energy }),
			},
		}))
		require.NoError(t, classes.Register(sim.Class{
			Name: "Bullet", Parent: "NetObject", Interest: 0.5, New: func() sim.Object { return new(bullet) },
			Fields: []sim.Field{
				sim.VecField("at", 1, 1024, func(s *bullet) *sim.Vec3 { return &s.at }).WithStep(sim.FineStep),
				sim.VecField("speed", 1, 128, func(s *bullet) *sim.Vec3 { return &s.speed }).WithStep(sim.FineStep),
			},
		}))
	}
}

// matchScripts are the scripts of the server: a player who fires makes a bullet.
type matchScripts struct{ *enginetest.Story }

func (s *matchScripts) Event(o sim.Object, _ string, _ []sim.Value) bool {
	f := o.(*fighter)
	b := &bullet{at: f.At, speed: sim.Heading(f.Yaw).Mul(65), left: matchShots}
	f.World().Add(b)
	return true
}

// A match is a server with players who fight, and deaf clients: they acknowledge the ghosts
// without reading them, but each predicts its own fighter.
type match struct {
	server   *enginetest.Player
	clients  []*enginetest.Player
	ghosts   []*deafStream // of the clients, in the order of their connections
	byAddr   map[netcore.Addr]int
	fighters []*fighter
	rng      *rand.Rand
	now      netcore.Time
	tick     int
	up, down [matchRTT][][]byte // datagrams by tick and client
	cpu      matchCost
	lap      time.Duration

	places [matchPast][]sim.Place // of the fighters, by tick
	seen   [3]matchView           // by distance
}

const matchPast = 128 // ticks

// A matchView is how the players within some distance are seen.
type matchView struct {
	ages, n float64
	errors  []float64 // degrees
}

// look notes how old and how wrong the ghosts of a client are, as the packets in the air make them.
func (m *match) look(c *engine.Connection) {
	own, now := c.Control.Object().(*fighter), m.tick%matchPast
	c.Ghosts().EachSeen(func(s ghost.Seen) {
		f, is := m.server.ObjectOf(s.Object).(*fighter)
		if !is || f == own || s.Status != ghost.Live {
			return
		}
		age := int(uint32(m.server.TickNumber()) - s.Sent)
		away := f.At.Sub(own.At)
		v := &m.seen[2]
		switch d := away.Len(); {
		case d < 60:
			v = &m.seen[0]
		case d < 200:
			v = &m.seen[1]
		}
		v.ages, v.n = v.ages+float64(age), v.n+1
		was := m.places[(m.tick+matchPast-min(age, matchPast-1))%matchPast][f.index]
		drawn := was.Position.Add(was.Velocity.Mul(float64(age) * sim.TickSeconds))
		v.errors = append(v.errors, drawn.Sub(m.places[now][f.index].Position).Len()/max(away.Len(), 1)*180/math.Pi)
	})
}

// matchCost is the CPU time of the server's parts of a tick.
type matchCost struct {
	receive, send time.Duration
	steps         [engine.Steps]time.Duration
}

// A deafStream does not read ghosts while it is deaf.
type deafStream struct {
	netcore.Stream
	deaf bool
}

func (d *deafStream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	if d.deaf {
		for r.Left() > 0 {
			r.ReadBits(min(64, r.Left()))
		}
		return nil
	}
	return d.Stream.Unpack(r, p)
}

func newMatch(t testing.TB, players int) *match {
	m := &match{byAddr: map[netcore.Addr]int{}, rng: rand.New(rand.NewPCG(1, 2))}
	r := enginetest.New(t, enginetest.Options{
		Clients: players, Classes: matchClasses(t),
		Server: func(c *engine.Config) {
			c.MaxClients = players
			c.Probe = func(done engine.Step) { m.cpu.steps[done] += m.lapped() }
		},
		Both: func(c *engine.Config) {
			if !c.Server {
				c.NoInterpolation = true
				c.Streams = m.deafen
			}
		},
	})
	m.server, m.clients = r.Server, r.Clients
	m.server.Quiet = true
	r.Join()
	m.server.SetScripts(&matchScripts{m.server.Story})
	m.spread(t)
	r.Run(2 * time.Second)
	m.now = r.Net.Now()
	m.fight(t)
	return m
}

// deafen wraps the last stream, which is that of the ghosts.
func (m *match) deafen(own []netcore.Stream) []netcore.Stream {
	last := len(own) - 1
	d := &deafStream{Stream: own[last]}
	m.ghosts = append(m.ghosts, d)
	own[last] = d
	return own
}

// spread gives each client a fighter that nobody else sees.
func (m *match) spread(t testing.TB) {
	side := int(math.Ceil(math.Sqrt(float64(len(m.clients)))))
	for i, c := range m.server.Connections() {
		f := &fighter{health: 100, energy: 100, index: i}
		f.At = sim.Vec3{X: float64(i%side*56 - 1000), Y: float64(i/side*56 - 1000)}
		require.NotZero(t, m.server.World().Add(f))
		require.NoError(t, c.Control.Set(f))
		c.Visible.SetView(engine.ScopeView{Distance: 20})
		c.Visible.SetGroups(1 << (i % 2))
		m.fighters = append(m.fighters, f)
	}
}

// fight brings all fighters together. From now on the clients are deaf.
func (m *match) fight(t testing.TB) {
	for _, d := range m.ghosts {
		d.deaf = true
	}
	for i, c := range m.clients {
		m.byAddr[c.Addr] = i
		require.NotNil(t, c.Host.Server().Control.Object())
		c.SetMoves(m.moves(i))
	}
	for i, c := range m.server.Connections() {
		base := sim.Vec3{Y: matchSide / 2 * float64(i%2*2-1)}
		if i%4 > 1 { // half of them fight between the bases
			base = sim.Vec3{}
		}
		m.fighters[i].PutTo(base.Add(sim.Vec3{X: m.rng.NormFloat64() * 60, Y: m.rng.NormFloat64() * 60}))
		c.Visible.SetView(engine.DefaultScopeView)
		require.NoError(t, m.server.Rules.ShowFieldTo(m.fighters[i], 1<<(i%2), "health"))
	}
	for i := range m.up {
		m.up[i], m.down[i] = make([][]byte, len(m.clients)), make([][]byte, len(m.clients))
	}
	for range 200 {
		m.step()
	}
}

// moves returns the source of a client's moves: it runs on a curve that changes now and then, turns
// with the mouse and fires.
func (m *match) moves(i int) func(*engine.Connection) sim.Move {
	n, turn := i*7, int16(0)
	return func(c *engine.Connection) sim.Move {
		n++
		if n%32 == 0 {
			turn = int16(random(n*31+i, 600))
		}
		v := sim.Move{Yaw: turn, Y: sim.MoveFull}
		if at := c.Control.Object().(*fighter).At; math.Abs(at.X)+math.Abs(at.Y) > matchSide {
			v.Yaw = 900 // it comes back
		}
		v.SetTrigger(sim.FireTrigger, n%matchFire == 0)
		return v
	}
}

func (m *match) lapped() (d time.Duration) {
	now := cpuTime()
	d, m.lap = now-m.lap, now
	return d
}

// step runs a tick of the server and of all clients.
func (m *match) step() {
	m.tick++
	m.now += engine.TickTime
	up, down := m.up[m.tick%matchRTT], m.down[m.tick%matchRTT]
	m.lapped()
	for i, d := range up {
		if len(d) > 0 {
			m.server.Receive(m.now, m.clients[i].Addr, d)
			up[i] = d[:0]
		}
	}
	m.cpu.receive += m.lapped()
	for range len(m.fighters) / 32 {
		f := m.fighters[m.rng.IntN(len(m.fighters))]
		f.health, f.energy = m.rng.IntN(101), m.rng.IntN(101)
		f.Mark(1<<4 | 1<<5)
	}
	for i, c := range m.clients {
		c.Receive(m.now, m.server.Addr, down[i])
		down[i] = down[i][:0]
	}
	m.lapped()
	m.server.Tick(m.now)
	m.places[m.tick%matchPast] = m.places[m.tick%matchPast][:0]
	for _, f := range m.fighters {
		m.places[m.tick%matchPast] = append(m.places[m.tick%matchPast], f.Place())
	}
	m.lapped()
	m.server.Send(m.now, m.collect)
	m.cpu.send += m.lapped()
	for i, c := range m.clients {
		c.Tick(m.now)
		c.Send(m.now, func(_ netcore.Addr, d []byte) { up[i] = append(up[i][:0], d...) })
	}
}

func (m *match) collect(to netcore.Addr, d []byte) {
	at := &m.down[m.tick%matchRTT][m.byAddr[to]]
	*at = append((*at)[:0], d...)
}

// BenchmarkMatch measures a tick of the server in a match with a growing number of players, part by
// part, in CPU time. It does not move on a busy machine as the time of the clock does. All players
// are in each other's scope. Hz is how often a player at a distance is updated, and ° how wrong
// its drawn place is, without the time of the packet.
func BenchmarkMatch(b *testing.B) {
	for _, players := range []int{128, 256, 512, 1000} {
		b.Run(fmt.Sprint(players), func(b *testing.B) { benchmarkMatch(b, newMatch(b, players)) })
	}
}

func benchmarkMatch(b *testing.B, m *match) {
	defer lockThread()()
	m.cpu = matchCost{}
	updates := m.updates()
	ticks, players := 0, len(m.clients)
	for b.Loop() {
		m.step()
		if ticks%8 == 0 {
			m.look(m.server.Connections()[ticks/8%players])
		}
		ticks++
	}
	report := func(d time.Duration, unit string) {
		b.ReportMetric(float64(d.Nanoseconds())/1e3/float64(ticks), unit)
	}
	report(m.cpu.receive, "receive-µs")
	for step, name := range [engine.Steps]string{"inbox", "moves", "simulate", "scripts", "replicate"} {
		report(m.cpu.steps[step], name+"-µs")
	}
	report(m.cpu.send, "send-µs")
	b.ReportMetric(float64(m.updates()-updates)/float64(ticks*len(m.clients)), "updates")
	for i, name := range [...]string{"0-60m", "60-200m", "far"} {
		if v := &m.seen[i]; v.n > 0 {
			slices.Sort(v.errors)
			b.ReportMetric(1/(engine.TickTime.Seconds()*(2*v.ages/v.n+1)), "Hz-"+name)
			b.ReportMetric(v.errors[len(v.errors)*99/100], "°p99-"+name)
		}
	}
	b.ReportMetric(m.allocs(), "allocs")
}

func (m *match) updates() (n uint64) {
	for _, c := range m.server.Connections() {
		n += c.Ghosts().Stats().Updates
	}
	return n
}

// allocs returns the allocations of a tick of the server.
func (m *match) allocs() float64 {
	const ticks = 16
	var before, after runtime.MemStats
	total := uint64(0)
	for range ticks {
		m.step()
		runtime.ReadMemStats(&before)
		m.server.Tick(m.now)
		runtime.ReadMemStats(&after)
		total += after.Mallocs - before.Mallocs
	}
	return float64(total) / ticks
}
