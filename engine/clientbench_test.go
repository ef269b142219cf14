package engine_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// glider is an object of the world of `torclab bench replicate`.
type glider struct {
	sim.NetObject
	at, speed   sim.Vec3
	yaw, pitch  float64 // in turns
	turn, climb float64 // in turns per second
	health      int
}

// gliderClass has three groups: 3 x 18 bits, 10 + 8 bits and 6 bits.
func gliderClass(b testing.TB) func(classes *sim.Classes) {
	return func(classes *sim.Classes) {
		require.NoError(b, classes.Register(sim.Class{
			Name: "Glider", Parent: "NetObject", New: func() sim.Object { return new(glider) },
			Fields: []sim.Field{
				sim.VecField("position", 1, 1024, func(g *glider) *sim.Vec3 { return &g.at }).WithBits(18),
				sim.FloatField("yaw", 2, 0, 1, func(g *glider) *float64 { return &g.yaw }).WithBits(10),
				sim.FloatField("pitch", 2, 0, 1, func(g *glider) *float64 { return &g.pitch }).WithBits(8),
				sim.IntField("health", 3, 0, 63, func(g *glider) *int { return &g.health }),
			},
		}))
	}
}

// random returns a number from -most to most, the same for the same n.
func random(n int, most float64) float64 {
	x := uint64(n+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return most * (float64((x^x>>31)>>40)/(1<<23) - 1)
}

func newGlider(i int) *glider {
	i *= 10
	return &glider{
		at:    sim.Vec3{X: random(i, 1000), Y: random(i+1, 1000), Z: random(i+2, 100)},
		speed: sim.Vec3{X: random(i+3, 20), Y: random(i+4, 20), Z: random(i+5, 5)},
		yaw:   random(i+6, .5) + .5, pitch: random(i+7, .5) + .5, turn: random(i+8, .25), climb: random(i+9, .1),
		health: 63,
	}
}

func (g *glider) step(hit bool) {
	bounce(&g.at.X, &g.speed.X, 1000)
	bounce(&g.at.Y, &g.speed.Y, 1000)
	bounce(&g.at.Z, &g.speed.Z, 100)
	g.yaw += g.turn * sim.TickSeconds
	g.yaw -= math.Floor(g.yaw)
	g.pitch += g.climb * sim.TickSeconds
	g.pitch -= math.Floor(g.pitch)
	g.Mark(1<<1 | 1<<2)
	if hit {
		g.health = (g.health + 63) & 63
		g.Mark(1 << 3)
	}
}

// bounce moves one axis by one tick and reverses at the side of the world.
func bounce(at, speed *float64, side float64) {
	*at += *speed * sim.TickSeconds
	if math.Abs(*at) > side {
		*speed = math.Copysign(*speed, -*at)
	}
}

// heldSection is a ghost section that waits for Unpack.
type heldSection struct {
	bytes  []byte
	packet netcore.Incoming
}

// holdingStream keeps received sections instead of reading them, while it holds.
type holdingStream struct {
	netcore.Stream
	holds    bool
	sections []heldSection
}

func (h *holdingStream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	if !h.holds {
		return h.Stream.Unpack(r, p)
	}
	s := heldSection{packet: p}
	for r.Left() > 0 {
		s.bytes = append(s.bytes, byte(r.ReadBits(min(8, r.Left()))))
	}
	h.sections = append(h.sections, s)
	return nil
}

// gliderBench is a server with moving objects and one client. The acks of the client arrive after
// rtt ticks.
type gliderBench struct {
	server, client *enginetest.Player
	all            []*glider
	now            netcore.Time
	tick           int
	data           []byte
	acks           [][]byte // ring of datagrams to the server
	ghosts         *holdingStream
	reader         bitstream.Reader
}

func newGliderBench(b *testing.B, objects, rtt int) *gliderBench {
	m := &gliderBench{acks: make([][]byte, rtt)}
	r := enginetest.New(b, enginetest.Options{Classes: gliderClass(b), Both: func(c *engine.Config) {
		if !c.Server {
			c.Streams = m.hold
		}
	}})
	m.server = r.Server
	for i := range objects {
		o := newGlider(i)
		require.NotZero(b, m.server.World().Add(o))
		m.all = append(m.all, o)
	}
	r.Join()
	m.client = r.Clients[0]
	r.Run(time.Second)
	m.now = r.Net.Now()
	for range 300 {
		m.step()
	}
	require.Equal(b, objects, m.client.Server().PeerGhosts.Count())
	return m
}

// hold wraps the last stream, which is that of the ghosts.
func (m *gliderBench) hold(own []netcore.Stream) []netcore.Stream {
	last := len(own) - 1
	m.ghosts = &holdingStream{Stream: own[last]}
	own[last] = m.ghosts
	return own
}

// step runs a tick of both sides.
func (m *gliderBench) step() {
	m.tick++
	m.now += engine.TickTime
	for i, o := range m.all {
		o.step((i+m.tick)%100 == 0)
	}
	if ack := &m.acks[m.tick%len(m.acks)]; len(*ack) > 0 {
		m.server.Receive(m.now, m.client.Addr, *ack)
		*ack = (*ack)[:0]
	}
	m.server.Tick(m.now)
	m.data = m.data[:0]
	m.server.Send(m.now, func(_ netcore.Addr, d []byte) { m.data = append(m.data, d...) })
	m.client.Receive(m.now, m.server.Addr, m.data)
	m.client.Tick(m.now)
	m.client.Send(m.now, func(_ netcore.Addr, d []byte) {
		ack := &m.acks[m.tick%len(m.acks)]
		*ack = append((*ack)[:0], d...)
	})
}

// receive sets the client's ghosts from a section. It returns the CPU time of Unpack, and of the
// tick.
func (m *gliderBench) receive(s heldSection) (unpack, tick time.Duration) {
	m.reader.Reset(s.bytes)
	start := cpuTime()
	err := m.ghosts.Stream.Unpack(&m.reader, s.packet)
	unpacked := cpuTime()
	m.client.Tick(m.now)
	if end := cpuTime(); err == nil {
		return unpacked - start, end - unpacked
	}
	panic(err)
}

// BenchmarkClient measures the client's way of a packet, from the opened section of ghosts to their
// fields. The world is that of `torclab bench replicate`: 1,000 moving objects, and packets of
// 1,200 bytes. The client receives many packets in a row, without the server's work in between.
// cpu-µs is the CPU time per packet: Unpack, and the client's tick, which sets the ghosts. least-µs
// is that of the fastest tenth, and moves less on a busy machine; unpack-µs is the part of Unpack
// in it.
func BenchmarkClient(b *testing.B) {
	for _, rtt := range []int{1, 4} {
		b.Run(fmt.Sprintf("rtt=%d", rtt), func(b *testing.B) { benchmarkClient(b, newGliderBench(b, 1000, rtt)) })
	}
}

func benchmarkClient(b *testing.B, m *gliderBench) {
	defer lockThread()()
	const packets = 64
	stats := m.server.Connections()[0].Ghosts().Stats()
	before := *stats
	var used, unpacks []time.Duration
	total := time.Duration(0)
	for b.Loop() {
		m.ghosts.holds = true
		for len(m.ghosts.sections) < packets {
			m.step()
		}
		m.ghosts.holds = false
		for _, s := range m.ghosts.sections {
			unpack, tick := m.receive(s)
			used, unpacks = append(used, unpack+tick), append(unpacks, unpack)
			total += unpack + tick
		}
		m.ghosts.sections = m.ghosts.sections[:0]
	}
	slices.Sort(used)
	slices.Sort(unpacks)
	b.ReportMetric(float64(total.Nanoseconds())/1e3/float64(len(used)), "cpu-µs")
	b.ReportMetric(float64(used[len(used)/10].Nanoseconds())/1e3, "least-µs")
	b.ReportMetric(float64(unpacks[len(unpacks)/10].Nanoseconds())/1e3, "unpack-µs")
	b.ReportMetric(float64(stats.Updates-before.Updates)/float64(len(used)), "updates")
	for i, o := range m.all {
		ghost := m.client.Server().PeerGhosts.Ghost(uint32(1<<16 + i)).(*glider)
		require.InDelta(b, o.at.X, ghost.at.X, 10)
	}
}
