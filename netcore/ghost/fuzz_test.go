package ghost

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

const entrySize = 64 // bytes of a receivedGhost

// heldBytes returns the size in bytes of a receiver's tables and queues.
func heldBytes(g *Stream) (bytes int) {
	r := g.recv
	for _, page := range r.ghosts.pages {
		if page == nil {
			continue
		}
		bytes += entrySize * len(page)
	}
	return bytes + r.kept() + r.changes.size
}

// FuzzGhostUnpack feeds two arbitrary sections to a receiver that already has ghosts. The memory of
// the receiver must stay in proportion to the bits of the sections. Its table must be consistent,
// and must agree with the reported changes.
func FuzzGhostUnpack(f *testing.F) {
	base := header{based: true, back: 1, tick: 9}
	for _, pen := range []ghostPen{
		{head: header{tick: 9}, kills: []uint32{3}, creates: []penItem{rock(1), player(6, origin, 3), tank(70)}, updates: []penItem{energy(4, 5)}},
		{head: base, base: 8, updates: []penItem{
			{4, func(s *bitstream.Codec) {
				v := uint64(1 | 1<<4 | 0x3F<<5) // position, relative, small residuals
				s.Bits(&v, 30)
			}},
			{5, func(s *bitstream.Codec) {
				v := uint64(2 | 1<<4 | 7<<5)
				s.Bits(&v, 12)
			}},
		}},
		{head: header{tick: 9, reset: true, epoch: 1}, creates: []penItem{rock(65535)}},
	} {
		b, _ := pen.bytes(f)
		f.Add(b, b, false)
		f.Add(b, []byte{}, true)
	}
	f.Fuzz(func(t *testing.T, first, second []byte, check bool) {
		g, general := New(Config{Layout: penLayout}), New(Config{Layout: penLayout})
		for i, pen := range []ghostPen{
			{head: header{tick: 7}, creates: []penItem{rock(2), rock(3), player(4, origin, 3), player(5, origin, 5), tank(64)}},
			{head: header{tick: 8}, updates: []penItem{updated(4, playerClass, 2, words(origin)), updated(5, playerClass, 2, words(origin))}},
		} {
			for _, s := range []*Stream{g, general} {
				require.NoError(t, pen.read(t, s, netcore.Seq(i+1)))
				takeChanges(s)
			}
		}
		g.recv.code.check, general.recv.code.check = check, check
		limit := heldBytes(g)
		for i, data := range [][]byte{first, second} {
			if len(data) > netcore.MaxDatagram {
				data = data[:netcore.MaxDatagram]
			}
			r := bitstream.NewReader(data)
			changed, err := g.recv.unpack(r, netcore.Seq(i+3))
			// At most one new page per byte: even an empty ghost takes three bytes.
			limit += (pageIDs*entrySize + 600) * len(data)
			require.LessOrEqual(t, heldBytes(g), limit, "of %d bytes", len(data))
			if err != nil {
				require.IsType(t, netcore.Reason{}, err)
				require.Nil(t, g.Next())
				return
			}
			all := takeChanges(g)
			require.Equal(t, changed, len(all) > 0)
			live := 0
			for id := range uint32(idCount) {
				if g.FromWire(id+1) != 0 {
					live++
				}
			}
			require.Equal(t, g.recv.ghosts.live, live)
			_, err = general.recv.unpack(bitstream.NewReader(tooLong(data)), netcore.Seq(i+3))
			require.NoError(t, err)
			require.Equal(t, all, takeChanges(general), "the general path")
			for _, n := range all {
				if n.kind <= Update {
					require.Equal(t, n.token, g.FromWire(n.token&(idCount-1)+1))
				}
			}
		}
	})
}
