package bench

import (
	"math"
	"runtime"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
)

// benchMover is a moving object of the replicate and loss workloads.
type benchMover struct {
	sim.NetObject
	at, speed           sim.Vec3
	home                sim.Vec3 // centre of its box
	yaw, pitch          float64  // in turns
	yawSpeed, pitchRise float64  // in turns per second
	health              int

	last  uint64                 // tick of a ghost's newest update
	codes *[moveGroups][3]uint64 // values of the newest update, for ghosts that do not apply them
}

// The box of the movers, measured from its centre.
const (
	boxSide   = 1000
	boxHeight = 100
	boxApart  = 4000 // distance between the centres of two boxes
	boxView   = 1500 // view distance from a centre: covers the whole box and none of the next
	boxRow    = 8    // boxes per row
)

// The groups of a mover. Fields of a group travel together.
const (
	movePosition = 1 + iota
	moveRotation
	moveHealth
	moveGroups
)

// moverClass has three groups: 3 x 18 bits, 10 + 8 bits and 6 bits.
var moverClass = sim.Class{
	Name: "BenchMover", Parent: "NetObject", New: func() sim.Object { return new(benchMover) },
	Doc: "A moving object of torc bench.",
	Fields: []sim.Field{
		sim.VecField("position", movePosition, 1024, func(m *benchMover) *sim.Vec3 { return &m.at }).WithBits(18),
		sim.FloatField("yaw", moveRotation, 0, 1, func(m *benchMover) *float64 { return &m.yaw }).WithBits(10),
		sim.FloatField("pitch", moveRotation, 0, 1, func(m *benchMover) *float64 { return &m.pitch }).WithBits(8),
		sim.IntField("health", moveHealth, 0, 63, func(m *benchMover) *int { return &m.health }),
	},
}

// Place returns its place in the world.
func (m *benchMover) Place() sim.Place {
	at := sim.Vec3{X: m.at.X + m.home.X, Y: m.at.Y + m.home.Y, Z: m.at.Z + m.home.Z}
	return sim.Place{Position: at, Velocity: m.speed, Rotation: sim.Rot{Yaw: 360 * m.yaw, Pitch: 360 * m.pitch}, Radius: 1}
}

// eye is the scope object of a client.
type eye struct {
	sim.Identity
	at sim.Vec3
}

func (e *eye) Place() sim.Place { return sim.Place{Position: e.at} }

var eyeClass = sim.Class{
	Name: "BenchEye", Parent: "SimObject", New: func() sim.Object { return new(eye) },
	Doc: "The viewpoint of a client of torc bench.",
}

// splitmix64 is the random generator of the world.
type splitmix64 uint64

func (s *splitmix64) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// between returns a number from lo to hi.
func (s *splitmix64) between(lo, hi float64) float64 {
	return lo + (hi-lo)*float64(float32(s.next()>>40)/(1<<24))
}

func (s *splitmix64) point() sim.Vec3 {
	x, y := s.between(-boxSide, boxSide), s.between(-boxSide, boxSide)
	return sim.Vec3{X: x, Y: y, Z: s.between(-boxHeight, boxHeight)}
}

// movers are all moving objects of a world.
type movers struct {
	all    []*benchMover
	tick   int
	active int           // percentage that moves in each tick
	still  bool          // all motion has stopped
	spent  time.Duration // CPU time of their moves
}

// newMovers adds n movers to the host's world, perBox of them to each box.
func newMovers(h *engine.Host, n, perBox, active int) *movers {
	m := &movers{active: active}
	rnd := splitmix64(42)
	for i := range n {
		o := new(benchMover)
		o.at = rnd.point()
		o.speed.X, o.speed.Y, o.speed.Z = rnd.between(-20, 20), rnd.between(-20, 20), rnd.between(-5, 5)
		o.yaw, o.pitch = rnd.between(0, 1), rnd.between(0, 1)
		o.yawSpeed, o.pitchRise = rnd.between(-0.25, 0.25), rnd.between(-0.1, 0.1)
		o.health = 63
		box := i / perBox
		o.home = sim.Vec3{X: float64(box%boxRow) * boxApart, Y: float64(box/boxRow) * boxApart}
		h.World().Add(o)
		m.all = append(m.all, o)
	}
	return m
}

// step moves all movers by one tick.
func (m *movers) step() {
	if m.still {
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, _ := threadCPU()
	m.tick++
	for i, o := range m.all {
		if (i+m.tick)*m.active%100 < m.active {
			o.move()
		}
		if (i+m.tick)%100 == 0 {
			o.health = (o.health + 63) & 63
			o.Mark(1 << moveHealth)
		}
	}
	end, _ := threadCPU()
	m.spent += end - start
}

func (m *benchMover) move() {
	bounce(&m.at.X, &m.speed.X, boxSide)
	bounce(&m.at.Y, &m.speed.Y, boxSide)
	bounce(&m.at.Z, &m.speed.Z, boxHeight)
	m.yaw = wrap(m.yaw + m.yawSpeed*sim.TickSeconds)
	m.pitch = wrap(m.pitch + m.pitchRise*sim.TickSeconds)
	m.Mark(1<<movePosition | 1<<moveRotation)
}

// bounce moves one axis by one tick and reverses at the side of the box.
func bounce(at, speed *float64, side float64) {
	*at += *speed * sim.TickSeconds
	if math.Abs(*at) > side {
		*speed = math.Copysign(*speed, -*at)
	}
}

func wrap(turns float64) float64 { return turns - math.Floor(turns) }

// A digest hashes movers. The hash is equal for two sets with the same quantised values, in any
// order.
type digest struct{ values sim.Values }

// of returns a mover's part of the sum.
func (d *digest) of(m *benchMover) uint64 {
	sum := splitmix64(0)
	for g := movePosition; g < moveGroups; g++ {
		m.Class().Quantise(m, g, &d.values)
		if m.codes != nil {
			copy(d.values.Cells, m.codes[g][:])
		}
		for _, code := range d.values.Cells {
			sum = splitmix64(uint64(sum) ^ code)
			sum = splitmix64(sum.next())
		}
	}
	return uint64(sum)
}

func (d *digest) all(of []*benchMover) (sum uint64) {
	for _, m := range of {
		sum += d.of(m)
	}
	return sum
}

var _, _ sim.Placer = (*benchMover)(nil), (*eye)(nil)
