package ghost

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// receiverOf400 is a receiver with 400 players and a set of sections for it. Every section updates
// the positions of all players, relative to earlier values.
type receiverOf400 struct {
	g        *Stream
	seq      netcore.Seq
	tick     uint32
	sections [64][]byte
	buf      bitstream.Reader
}

func newReceiverOf400(t testing.TB, mask uint32) *receiverOf400 {
	x := &receiverOf400{g: newReceiver(), seq: 2, tick: 2}
	pen := ghostPen{}
	for id := range uint32(400) {
		pen.creates = append(pen.creates, player(id, origin, 0))
	}
	for seq := range uint32(2) { // so that every baseline has two values
		pen.head.tick = seq + 1
		require.NoError(t, pen.read(t, x.g, netcore.Seq(seq+1)))
		takeChanges(x.g)
	}
	for i := range x.sections {
		x.sections[i] = x.section(t, mask, uint32(i))
	}
	return x
}

// section moves every player by residuals around zero.
func (x *receiverOf400) section(t testing.TB, mask, turn uint32) []byte {
	pen := ghostPen{head: header{based: true, back: 1, tick: 1}}
	l := penLayouts[playerClass]
	for id := range uint32(400) {
		pen.updates = append(pen.updates, penItem{id, func(s *bitstream.Codec) {
			l.codeMask(s, &mask)
			relative := true
			s.Flag(&relative)
			for g, group := range l.Groups {
				for i := range group.Cells {
					if u := (id + turn + uint32(i)) % 5; mask>>g&1 != 0 {
						s.Golomb(&u, residualOrder(1, 1))
					}
				}
			}
		}})
	}
	b, _ := pen.bytes(t)
	return b
}

// round reads a packet and takes its changes.
func (x *receiverOf400) round() (changes int) {
	x.seq++
	x.buf.Reset(x.sections[x.seq%64])
	if _, err := x.g.recv.unpack(&x.buf, x.seq); err != nil {
		panic(err)
	}
	for ch := x.g.Next(); ch != nil; ch = x.g.Next() {
		changes += len(ch.Values(1).Cells) / 4
	}
	return changes
}

func TestNoAllocationPerUpdate(t *testing.T) {
	x := newReceiverOf400(t, 1<<1|1<<4)
	for range 10 {
		require.Equal(t, 400, x.round())
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { x.round() }))

	tanks := ghostPen{}
	for id := range uint32(50) {
		tanks.creates = append(tanks.creates, tank(id))
	}
	g := newReceiver()
	require.NoError(t, tanks.read(t, g, 1))
	takeChanges(g)
	b, _ := tanks.bytes(t)
	seq := netcore.Seq(1)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		seq++
		x.buf.Reset(b)
		if _, err := g.recv.unpack(&x.buf, seq); err != nil {
			panic(err)
		}
		for ch := g.Next(); ch != nil; ch = g.Next() {
			ch.Values(1)
		}
	}), "hand-written groups")
}

// BenchmarkGhostUnpack measures one packet of 400 relative updates: Unpack, and all calls of Next.
func BenchmarkGhostUnpack(b *testing.B) {
	x := newReceiverOf400(b, 1<<1)
	bits := 8 * len(x.sections[0])
	b.ReportAllocs()
	for b.Loop() {
		x.round()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/400, "ns/update")
	b.ReportMetric(float64(bits)/400, "bits/update")
}
