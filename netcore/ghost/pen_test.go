package ghost

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Class numbers of the receiver's tests.
const (
	rockClass   = 3 // only a constant group
	playerClass = 7
	tankClass   = 900 // hand-written
)

var penLayouts = map[uint16]*Layout{
	rockClass: NewLayout(rockClass, "Rock", []CellGroup{{Cells: []Cell{{Field: "kind", Bits: 3}}}}),
	playerClass: NewLayout(playerClass, "Player", []CellGroup{
		{Cells: []Cell{{Field: "team", Bits: 2}, {Field: "name", Kind: CellText, Max: 20}}},
		{Cells: []Cell{
			{Field: "position", Bits: 18, Smooth: true}, {Field: "position", Bits: 18, Smooth: true},
			{Field: "position", Bits: 18, Smooth: true}, {Field: "yaw", Bits: 10, Smooth: true}}},
		{Cells: []Cell{{Field: "energy", Bits: 6}}},
		{Cells: []Cell{{Field: "target", Kind: CellRef}}},
		{Cells: []Cell{{Field: "pitch", Bits: 8, Smooth: true}}},
	}),
	tankClass: NewLayout(tankClass, "Tank", []CellGroup{{}, {Raw: skip(9, 6)}}),
}

func penLayout(class uint16) *Layout { return penLayouts[class] }

// ghostPen writes a section item by item, including invalid ones.
type ghostPen struct {
	head    header
	base    uint32 // tick of the base packet
	kills   []uint32
	creates []penItem
	updates []penItem
}

// penItem is a ghost in a list: its id and its body.
type penItem struct {
	id   uint32
	body func(s *bitstream.Codec)
}

var penCode = codec{ref: func(ref uint32) uint32 { return ref }}

// bytes returns a section without the active flag, and its size in bits.
func (p *ghostPen) bytes(t testing.TB) (b []byte, bits int) {
	w := bitstream.NewWriter(make([]byte, 1<<16))
	s := &w.Codec
	p.head.codeLead(s, at(p.base))
	list := func(n int, usual *uint32, id func(i int) uint32, body func(i int)) {
		count, gap, prev := uint32(n), uint8(0), int32(-1)
		if n > 0 {
			gap = gapParameter(n, int(id(0)), int(id(n-1)))
		}
		codeCount(s, &count, &gap)
		if usual != nil && n > 0 {
			codeUsual(s, usual)
		}
		for i := range n {
			v := id(i)
			codeGap(s, &prev, &v, gap)
			body(i)
		}
	}
	list(len(p.kills), nil, func(i int) uint32 { return p.kills[i] }, func(int) {})
	list(len(p.creates), nil, func(i int) uint32 { return p.creates[i].id }, func(i int) { p.creates[i].body(s) })
	list(len(p.updates), &p.head.usual, func(i int) uint32 { return p.updates[i].id }, func(i int) { p.updates[i].body(s) })
	require.NoError(t, w.Err())
	return slices.Clone(w.Bytes()), w.Pos()
}

// created returns a create of a ghost.
func created(id uint32, class uint16, values ...*Values) penItem {
	return penItem{id, func(s *bitstream.Codec) {
		c := uint32(class)
		s.Uint(&c, classBits)
		for g, v := range values {
			penCode.whole(s, penLayouts[class], g, v)
		}
	}}
}

func rock(id uint32) penItem { return created(id, rockClass, &Values{Cells: []uint64{uint64(id) & 7}}) }

func tank(id uint32) penItem {
	return created(id, tankClass, &Values{}, handWritten(fields(9, 6)))
}

func player(id uint32, position []uint32, target uint32) penItem {
	return created(id, playerClass,
		&Values{Cells: []uint64{2, 0}, Texts: []string{"Dave"}}, words(position),
		&Values{Cells: []uint64{9}}, &Values{Cells: []uint64{uint64(target)}}, &Values{Cells: []uint64{5}})
}

func words(x []uint32) *Values {
	v := new(Values)
	for _, w := range x {
		v.Cells = append(v.Cells, uint64(w))
	}
	return v
}

// updated returns an update of groups without a baseline.
func updated(id uint32, class uint16, mask uint32, values ...*Values) penItem {
	return penItem{id, func(s *bitstream.Codec) {
		l := penLayouts[class]
		l.codeMask(s, &mask)
		next := 0
		for g := range l.Groups {
			if mask>>g&1 != 0 {
				penCode.whole(s, l, g, values[next])
				next++
			}
		}
	}}
}

func energy(id uint32, x uint64) penItem {
	return updated(id, playerClass, 1<<2, &Values{Cells: []uint64{x}})
}

// newReceiver returns a stream that only receives.
func newReceiver() *Stream { return New(Config{Layout: penLayout}) }

// read passes the section to a receiver.
func (p *ghostPen) read(t testing.TB, g *Stream, seq netcore.Seq) error {
	b, _ := p.bytes(t)
	_, err := g.recv.unpack(bitstream.NewReader(b), seq)
	return err
}

// changeCopy is a copy of a Change.
type changeCopy struct {
	kind   ChangeKind
	token  uint32
	class  string
	mask   uint32
	tick   uint32
	values map[int]Values
}

// takeChanges takes all changes of one packet.
func takeChanges(g *Stream) (all []changeCopy) {
	for ch := g.Next(); ch != nil; ch = g.Next() {
		n := changeCopy{ch.Kind, ch.Token, "", ch.Mask, ch.Tick, map[int]Values{}}
		if ch.Layout != nil {
			n.class = ch.Layout.Name
		}
		for group := range maxGroups {
			if ch.Mask>>group&1 != 0 {
				v := *ch.Values(group)
				n.values[group] = Values{slices.Clone(v.Cells), slices.Clone(v.Texts), slices.Clone(v.Raw), v.RawBits, slices.Clone(v.RawEnds)}
			}
		}
		all = append(all, n)
	}
	return all
}
