package ghost

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// moving is the class of the replication benchmark: an empty constant group and three others.
var moving = NewLayout(1, "Moving", []CellGroup{
	{},
	{Cells: []Cell{{Field: "at", Bits: 18, Smooth: true}, {Field: "at", Bits: 18, Smooth: true}, {Field: "at", Bits: 18, Smooth: true}}},
	{Cells: []Cell{{Field: "yaw", Bits: 10, Smooth: true}, {Field: "pitch", Bits: 8, Smooth: true}}},
	{Cells: []Cell{{Field: "health", Bits: 6}}},
})

// movingWorld is the world of the replication benchmark. All of its objects move.
type movingWorld struct {
	images *Snapshots
	tick   uint32
	state  uint64
	bodies []movingObject
	active int // each object moves every active ticks
	values [3]Values
}

type movingObject struct {
	obj         uint32
	at, v       [3]float32
	turn, spins [2]float32
	health      uint64
}

func newMovingWorld(n int) *movingWorld {
	c := &movingWorld{images: NewSnapshots(), state: 42, active: 1}
	for i, cells := range []int{3, 2, 1} {
		c.values[i].Cells = make([]uint64, cells)
	}
	c.images.Begin(1)
	c.tick = 1
	for range n {
		var b movingObject
		for i, half := range []float32{1000, 1000, 100} {
			b.at[i] = -half + 2*half*c.rnd()
		}
		for i, half := range []float32{20, 20, 5} {
			b.v[i] = -half + 2*half*c.rnd()
		}
		b.turn = [2]float32{c.rnd(), c.rnd()}
		b.spins = [2]float32{-0.25 + 0.5*c.rnd(), -0.1 + 0.2*c.rnd()}
		b.health = 63
		b.obj = c.images.Add(moving)
		c.bodies = append(c.bodies, b)
		c.show(&c.bodies[len(c.bodies)-1])
	}
	return c
}

// rnd returns a random number of 0..1 by splitmix64.
func (c *movingWorld) rnd() float32 {
	c.state += 0x9e3779b97f4a7c15
	z := c.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return float32((z^z>>31)>>40) / (1 << 24)
}

func (c *movingWorld) step() {
	c.tick++
	c.images.Begin(c.tick)
	for i := range c.bodies {
		b := &c.bodies[i]
		if c.active > 1 && (i+int(c.tick))%c.active != 0 {
			continue
		}
		for k, most := range []float32{1000, 1000, 100} {
			if b.at[k] += b.v[k] * 0.032; b.at[k] > most || b.at[k] < -most {
				b.v[k] = -b.v[k]
			}
		}
		for k := range b.turn {
			b.turn[k] += b.spins[k] * 0.032
			b.turn[k] -= float32(math.Floor(float64(b.turn[k])))
		}
		if (i+int(c.tick))%100 == 0 {
			b.health = (b.health + 63) & 63
		}
		c.show(b)
	}
}

func (c *movingWorld) show(b *movingObject) {
	for k := range 3 {
		c.values[0].Cells[k] = uint64(min(max(math.Round(float64(b.at[k]+1024)*(1<<18)/2048), 0), 1<<18-1))
	}
	c.values[1].Cells[0] = uint64(b.turn[0]*1024) & 1023
	c.values[1].Cells[1] = uint64(b.turn[1]*256) & 255
	c.values[2].Cells[0] = b.health
	for g := range c.values {
		c.images.Set(b.obj, g+1, &c.values[g])
	}
}

const (
	testSectionBytes = netcore.BasePlain - 3 // bytes of a packet left for ghosts
	testRTT          = 4                     // round-trip time in ticks
)

// testConn is a connection to testObjects: its sender, and optionally a receiver.
type testConn struct {
	world    *movingWorld
	from, to *Stream
	w        *bitstream.Writer
	buffer   []byte
	r        bitstream.Reader
	seq      netcore.Seq
	inFlight []testPacket // one slot per tick of the round trip
	drop     int          // every drop-th packet is lost; 0 for none
	sections uint64
	bits     uint64
}

type testPacket struct {
	seq  netcore.Seq
	data []byte
	lost bool
}

func newTestConn(c *movingWorld, cfg Config, receive bool) *testConn {
	cfg.Snapshots = c.images
	v := &testConn{world: c, from: New(cfg), buffer: make([]byte, testSectionBytes), inFlight: make([]testPacket, testRTT)}
	v.w = bitstream.NewWriter(v.buffer)
	v.from.Activate(true)
	for i := range c.bodies {
		v.from.Scope(c.bodies[i].obj)
	}
	if receive {
		v.to = New(Config{Layout: func(uint16) *Layout { return moving }, Check: cfg.Check})
	}
	return v
}

// send packs a packet and reports the delivery or loss of the packet one round trip earlier.
func (v *testConn) send() {
	v.settle()
	v.pack(v.drop > 0 && (v.seq+1)%netcore.Seq(v.drop) == 0)
}

// settle reports the delivery or loss of the packet one round trip earlier.
func (v *testConn) settle() {
	f := &v.inFlight[v.seq%netcore.Seq(len(v.inFlight))]
	if f.seq != 0 {
		if !f.lost && v.to != nil {
			v.read(f)
		}
		v.from.Notify(f.seq, !f.lost)
		f.seq = 0
	}
}

// pack packs a packet that arrives or is lost.
func (v *testConn) pack(lost bool) {
	f := &v.inFlight[v.seq%netcore.Seq(len(v.inFlight))]
	v.seq++
	v.w.Reset(v.buffer)
	f.lost = lost
	if v.from.Pack(v.w, netcore.Outgoing{Seq: v.seq}) {
		f.seq = v.seq
		if v.to != nil {
			f.data = append(f.data[:0], v.w.Bytes()...)
		}
		v.sections++
		v.bits += uint64(v.w.Pos())
	}
}

func (v *testConn) read(f *testPacket) {
	v.r.Reset(f.data)
	if err := v.to.Unpack(&v.r, netcore.Incoming{Seq: f.seq}); err != nil {
		panic(err)
	}
	for range 2 {
		for ch := v.to.Next(); ch != nil; ch = v.to.Next() {
			ch.Values(bits.TrailingZeros32(ch.Mask))
		}
	}
}

// staleness returns the mean number of ticks since each ghost was sent.
func (v *testConn) staleness() float64 {
	sum := 0.
	for i := range v.world.bodies {
		sum += float64(v.world.tick - v.from.table.sent[v.from.table.find(v.world.bodies[i].obj)])
	}
	return sum / float64(len(v.world.bodies))
}

// warm runs until all ghosts exist and all buffers have their final size.
func (v *testConn) warm(ticks int) {
	for range ticks {
		v.world.step()
		v.send()
	}
	v.sections, v.bits = 0, 0
	*v.from.Stats() = Stats{}
}

func TestBitsOfAnUpdate(t *testing.T) {
	for _, tt := range []struct {
		name      string
		whole     bool
		bits      float64
		staleness float64
	}{{"whole", true, 80, 4.2}, {"relative", false, 25, 1.1}} {
		t.Run(tt.name, func(t *testing.T) {
			v := newTestConn(newMovingWorld(1000), Config{NoBaselines: tt.whole}, true)
			v.warm(120)
			stale := 0.
			for range 250 {
				v.world.step()
				v.send()
				stale += v.staleness() / 250
			}
			s := v.from.Stats()
			require.NotZero(t, s.Updates)
			size := float64(v.bits+v.sections*8*(1200-testSectionBytes)) / float64(s.Updates)
			t.Logf("%.1f bits per update, %.0f updates per packet, staleness %.2f ticks, %d of %d relative",
				size, float64(s.Updates)/float64(v.sections), stale, s.Relative, s.Updates)
			assert.LessOrEqual(t, size, tt.bits)
			assert.LessOrEqual(t, stale, tt.staleness)
			assert.Less(t, size*float64(s.Updates)/float64(v.sections), 9600.)
		})
	}
}

// TestEqualWeightsShareEvenly checks that the mean staleness is close to the minimum for equal
// weights. The minimum results if each ghost is sent every n-th tick.
func TestEqualWeightsShareEvenly(t *testing.T) {
	v := newTestConn(newMovingWorld(1000), Config{NoBaselines: true}, false)
	v.warm(120)
	stale := 0.
	for range 300 {
		v.world.step()
		v.send()
		stale += v.staleness() / 300
	}
	every := 1000 / (float64(v.from.Stats().Updates) / 300)
	assert.Less(t, stale, 1.05*(every-1)/2+.05, "everyone is sent every %.1f ticks", every)
}

func TestNoAllocationPerGhostPacket(t *testing.T) {
	for _, row := range testenv.Every(3, []struct {
		drop  int
		whole bool
	}{{0, false}, {0, true}, {7, false}, {7, true}}) {
		v := newTestConn(newMovingWorld(300), Config{NoBaselines: row.whole}, true)
		v.drop = row.drop
		v.warm(1000) // until the receiver's buffers of values have their final size
		before := v.from.Stats().Updates
		assert.Zero(t, testing.AllocsPerRun(200, func() {
			v.world.step()
			v.send()
		}), "one packet of %d lost, whole %v", row.drop, row.whole)
		assert.Greater(t, v.from.Stats().Updates, before+10000)
	}
}

// BenchmarkGhostsIdle checks that a world at rest costs a connection next to nothing, for any
// number of ghosts.
func BenchmarkGhostsIdle(b *testing.B) {
	c := newMovingWorld(1 << 16)
	v := newTestConn(c, Config{}, false)
	v.buffer = make([]byte, 1<<20)
	for range 8 {
		c.images.Begin(c.images.Tick() + 1)
		v.send()
	}
	require.Zero(b, v.from.Pending())
	b.ReportAllocs()
	for b.Loop() {
		c.images.Begin(c.images.Tick() + 1)
		v.send()
	}
}
