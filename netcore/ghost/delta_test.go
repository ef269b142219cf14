package ghost

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// drawNumbers returns a random layout of CellBits groups of up to 192 bits, most of them smooth.
// Half of the layouts have only cells for the fast path of residuals.
func drawNumbers(r *rand.Rand) *Layout {
	groups, widest := []CellGroup{{}}, []int{quickMost, 32}[r.IntN(2)]
	for range 1 + r.IntN(7) {
		smooth := r.IntN(4) > 0
		var cells []Cell
		for range 1 + r.IntN(6) {
			cells = append(cells, Cell{Bits: 1 + r.IntN(widest), Smooth: smooth})
		}
		if n := len(cells) - 1; smooth && n > 0 && cells[n].Bits <= maxRate && r.IntN(3) == 0 {
			cells[0].Rate = &CellRate{Cell: n, Zero: r.Uint32() & (1<<cells[n].Bits - 1), Scale: r.Uint32N(1 << maxRate)}
		}
		groups = append(groups, CellGroup{Cells: cells})
	}
	return NewLayout(1, "Numbers", groups)
}

// changeRandomly changes some groups of an object, by a little or to random values.
func changeRandomly(r *rand.Rand, images *Snapshots, obj uint32, values []Values) {
	l := images.Layout(obj)
	for g := 1; g < len(values); g++ {
		if r.IntN(3) == 0 {
			continue
		}
		wild := r.IntN(8) == 0
		for i, c := range l.Groups[g].Cells {
			v := &values[g].Cells[i]
			if *v += uint64(r.IntN(9)) - 4; wild {
				*v = r.Uint64()
			}
			*v &= 1<<c.Bits - 1
		}
		images.Set(obj, g, &values[g])
	}
}

// TestShortBodiesEqualLongBodies checks that encode, composeShort and composeLong write the same
// bits. Several connections lose different packets, so they share some bodies and encode others
// alone.
func TestShortBodiesEqualLongBodies(t *testing.T) {
	short, wide, hits, misses := 0, 0, uint64(0), uint64(0)
	for seed := range testenv.Seeds(t, 15, 150) {
		r := rand.New(rand.NewPCG(seed, 47))
		images, l := NewSnapshots(), drawNumbers(r)
		images.Begin(1)
		var streams [4]*Stream
		for i := range streams {
			streams[i] = New(Config{Snapshots: images})
			streams[i].Activate(true)
		}
		objs, values := make([]uint32, 12), make([][]Values, 12)
		for i := range objs {
			objs[i] = images.Add(l)
			for _, group := range l.Groups {
				values[i] = append(values[i], Values{Cells: make([]uint64, len(group.Cells))})
			}
			for _, g := range streams {
				g.Scope(objs[i])
			}
		}
		buffer := make([]byte, 4000)
		for seq := netcore.Seq(1); seq <= 30; seq++ {
			images.Begin(images.Tick() + 1 + uint32(r.IntN(2)))
			for i, obj := range objs {
				changeRandomly(r, images, obj, values[i])
			}
			for _, g := range streams {
				g.Pack(bitstream.NewWriter(buffer), netcore.Outgoing{Seq: seq})
				for _, it := range g.packet.lists[kindUpdate].items {
					if tooWide(l, it.mask) {
						continue
					}
					short++
					if sameAsLong(t, g, &it, "seed %d, packet %d", seed, seq) && bitsOf(l, it.mask) > 64 {
						wide++
					}
				}
				if seq > 2 {
					g.Notify(seq-2, r.IntN(10) > 0)
				}
			}
		}
		for _, g := range streams {
			n := g.Stats().Ways
			hits, misses = hits+n.Copies(), misses+n.Misses
		}
	}
	require.Greater(t, min(short, wide), 500)
	require.Greater(t, min(hits, misses), uint64(500), "bodies are copied and encoded")
}

// TestRatedCellsComeLast reads the residuals of a position and a speed by the rules of PROTOCOL.md.
func TestRatedCellsComeLast(t *testing.T) {
	images := NewSnapshots()
	images.Begin(100)
	obj := images.Add(NewLayout(1, "Rated", []CellGroup{{}, {Cells: []Cell{
		{Field: "at", Bits: 12, Smooth: true, Rate: &CellRate{Cell: 1, Zero: 100, Scale: 1 << 20}},
		{Field: "speed", Bits: 8, Smooth: true},
	}}}))
	g := New(Config{Snapshots: images})
	g.Activate(true)
	pack := func(seq netcore.Seq, at, speed uint64) {
		images.Set(obj, 1, &Values{Cells: []uint64{at, speed}})
		require.True(t, g.Pack(bitstream.NewWriter(make([]byte, 100)), netcore.Outgoing{Seq: seq}))
	}
	g.Scope(obj)
	pack(1, 1000, 110)
	g.Notify(1, true)
	images.Begin(102)
	pack(2, 1024, 112)

	items := g.packet.lists[kindUpdate].items
	require.Len(t, items, 1)
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], items[0].low)
	r := bitstream.NewReader(b[:])
	assert.True(t, r.ReadFlag(), "group 1")
	assert.True(t, r.ReadFlag(), "relative")
	speed, at := uint32(0), uint32(0)
	r.Golomb(&speed, 3)
	r.Golomb(&at, 3)
	assert.EqualValues(t, 2*(112-110), speed)
	assert.EqualValues(t, 2*(1024-(1000+(12*3+10*1)/2)), at)
	assert.EqualValues(t, items[0].size, r.Pos())
}

// TestObjectsThatShareAnEntry checks the bodies of objects that replace each other in the table of
// encodings, while their ghosts are next to each other.
func TestObjectsThatShareAnEntry(t *testing.T) {
	world := newMovingWorld(maxEncodings + 40)
	var bodies []movingObject
	for i := range 40 {
		bodies = append(bodies, world.bodies[i], world.bodies[maxEncodings+i])
	}
	world.bodies = bodies
	v := newTestConn(world, Config{}, false)
	v.warm(20)
	for range 5 {
		world.step()
		v.send()
		items := v.from.packet.lists[kindUpdate].items
		require.Len(t, items, len(bodies))
		for i := range items {
			require.True(t, sameAsLong(t, v.from, &items[i], "ghost %d", items[i].id))
		}
	}
}

// bitsOf returns the size of whole groups in bits.
func bitsOf(l *Layout, mask uint32) (n int) {
	for i, group := range l.Groups {
		for _, c := range group.Cells {
			n += c.Bits * int(mask>>i&1)
		}
	}
	return n
}

// tooWide reports whether a residual of some group may be too long for a short body. Such a body is
// whole where composeLong would make it relative.
func tooWide(l *Layout, mask uint32) bool {
	for i, group := range l.Groups {
		for _, c := range group.Cells {
			if mask>>i&1 != 0 && c.Smooth && c.Bits > shortCell {
				return true
			}
		}
	}
	return false
}

// sameAsLong requires that an item has the bits of composeLong. It reports whether they are
// relative.
func sameAsLong(t *testing.T, g *Stream, it *item, msg string, args ...any) (relative bool) {
	o := &g.snapshots.objects[g.table.obj[it.id]]
	want, got := bitstream.NewWriter(make([]byte, 400)), bitstream.NewWriter(make([]byte, 400))
	relative = g.composeLong(want, o, int(it.id), it.mask)
	switch {
	case it.size <= 64:
		got.WriteBits(it.low, int(it.size))
	case it.size <= shortCapacity:
		got.WriteBits(it.low, 64)
		got.WriteBits(it.high, int(it.size)-64)
	default:
		got.Splice(g.packet.buffer, int(it.low), int(it.size))
	}
	msg = fmt.Sprintf(msg, args...)
	require.Equal(t, want.Pos(), got.Pos(), msg)
	require.Equal(t, want.Bytes(), got.Bytes(), msg)
	return relative
}
