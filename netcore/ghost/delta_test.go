package ghost

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// drawNumbers returns a random layout of CellBits groups of up to 192 bits, most of them smooth.
func drawNumbers(r *rand.Rand) *Layout {
	groups := []CellGroup{{}}
	for range 1 + r.IntN(7) {
		smooth := r.IntN(4) > 0
		var cells []Cell
		for range 1 + r.IntN(6) {
			cells = append(cells, Cell{Bits: 1 + r.IntN(32), Smooth: smooth})
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

// TestShortBodiesEqualLongBodies checks that composeShared, composeShort and composeLong write the same
// bits. Several connections lose different packets, so they share some bodies and encode others alone.
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
				for i := range g.packet.bodies {
					b := &g.packet.bodies[i]
					if b.kind != kindUpdate || b.short.n == 0 || tooWide(l, b.mask) {
						continue
					}
					short++
					if b.relative != 0 && bitsOf(l, b.mask) > 64 {
						wide++
					}
					sameAsLong(t, g, b, fmt.Sprintf("seed %d, packet %d", seed, seq))
				}
				if seq > 2 {
					g.Notify(seq-2, r.IntN(10) > 0)
				}
			}
		}
		hits, misses = hits+images.tables[0].hits, misses+images.tables[0].misses
	}
	require.Greater(t, min(short, wide), 500)
	require.Greater(t, min(hits, misses), uint64(500), "bodies are copied and encoded")
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

func sameAsLong(t *testing.T, g *Stream, b *encodedGhost, msg string) {
	o := &g.snapshots.objects[g.table.obj[b.id]]
	long := encodedGhost{id: b.id, kind: b.kind, mask: b.mask}
	g.composeLong(o, &long, g.usable(int(b.id), o.plan.layout, b.mask))
	require.Equal(t, b.relative, long.relative, msg)
	require.EqualValues(t, b.short.n, long.long, msg)
	want, got := bitstream.NewWriter(make([]byte, 40)), bitstream.NewWriter(make([]byte, 40))
	want.Splice(g.packet.buffer, int(long.at), int(long.long))
	b.short.write(got)
	require.Equal(t, want.Bytes(), got.Bytes(), msg)
}
