package ghost

import (
	"fmt"
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// Limits of ghosts and their classes (PROTOCOL.md, Ghosts).
const (
	maxGroups   = 32 // per class
	classBits   = 10 // width of a class number on the wire
	idCount     = 1 << netcore.GhostBits
	rawMask     = 4  // a class with at most this many updatable groups sends its mask as plain bits
	relativeAge = 60 // ticks: with age 0, an older value is not used as a baseline
	maxAge      = 7  // highest age of a section
)

// CellKind is the encoding of a cell.
type CellKind uint8

const (
	CellBits CellKind = iota // an unsigned integer of a fixed width
	CellText                 // a text
	CellRef                  // a reference to another ghost, or none
)

// Cell is one value of a group, quantised as it is on the wire.
type Cell struct {
	Field string   // the field that the cell belongs to; for messages
	Kind  CellKind // its encoding
	Bits  int      // of CellBits: 1..64
	// Smooth means that the values over time lie near a line. It needs Bits <= 32. Arithmetic is
	// mod 2^Bits, so angles wrap.
	Smooth bool
	Max    int // of CellText: maximum length in bytes
	Rate   *CellRate
}

// CellRate tells that a smooth cell changes at the rate of another smooth cell of its group, as a
// position changes at the rate of a velocity. Residuals of the cell then need no older value.
type CellRate struct {
	Cell  int    // index of the rate in the group. The rate has no rate itself, and at most 24 bits
	Zero  uint32 // the code of the rate at which the cell stands still
	Scale uint32 // change of the cell per tick and code of the rate, in 2^-20; below 2^24
}

const (
	rateShift = 20 // of CellRate.Scale
	maxRate   = 24 // bits of a rate, and of a scale
)

// predict returns the prediction of the cell since ticks after its newer value, for the values of
// the rate then and now. The rate changes evenly, and each tick moves the cell by the rate at the
// tick's end.
func (r *CellRate) predict(newer, rateNewer, rate, since uint32) uint32 {
	sum := (int64(rate)-int64(r.Zero))*int64(since+1) + (int64(rateNewer)-int64(r.Zero))*int64(since-1)
	return newer + uint32(sum*int64(r.Scale)>>(rateShift+1))
}

// CellGroup is a part of an object's state that changes and is sent as a unit. Group 0 is constant:
// a create carries it, and an update never does.
type CellGroup struct {
	Cells  []Cell
	Weight uint8 // urgency of a change, 1..255; 0 means 255

	// Raw is nil for a group of cells. For a hand-written group, it reads one encoded group from s
	// and calls end after each field. It can discard the values or keep them outside of this
	// package.
	Raw func(s *bitstream.Codec, end func(field string))

	// Blank are the values of a hidden group (Stream.Hide) in a create. nil stands for zeros, and
	// no texts. A hand-written group has none.
	Blank *Values

	widths []uint8 // bits of each cell, contiguous in memory
}

// Layout is the description of a class of ghosts. Both ends must agree on it. It is immutable.
type Layout struct {
	ID     uint16      // the class number on the wire, below 1024
	Name   string      // for messages
	Groups []CellGroup // 1..32

	smooth      uint32       // the groups, except group 0, with only smooth cells
	light       uint32       // the smooth groups with at most lightCells cells, see completes
	plain       uint32       // the groups without texts, references and hand-written bits
	short       uint32       // those of them, except group 0, with cells of at most 32 bits
	rated       bool         // cells have a rate
	places      []groupPlace // per group
	smoothCells int          // cells of all smooth groups
}

// groupPlace describes the cells of a group, for loops over many groups.
type groupPlace struct {
	widths []uint8 // bits of each cell
	track  uint16  // of a smooth group: its index among the smooth groups
	cell   uint16  // the same: the index of its first cell among the cells of these groups
	order  []uint8 // its cells in the order of residuals: cells with a rate are last
	quick  bool    // the fast path can read its residuals: quickLeast to quickMost bits per cell, and no rate
}

// NewLayout returns the layout of a class. It keeps the slices of cells. It panics if the layout
// cannot be encoded.
func NewLayout(id uint16, name string, groups []CellGroup) *Layout {
	l := &Layout{ID: id, Name: name, Groups: append([]CellGroup(nil), groups...)}
	if len(groups) == 0 || len(groups) > maxGroups || id>>classBits != 0 {
		panic(fmt.Sprintf("BUG: class %s: id %d or number of groups %d is out of range", name, id, len(groups)))
	}
	for g := range l.Groups {
		group := &l.Groups[g]
		if group.Weight == 0 {
			group.Weight = 255
		}
		if group.Blank == nil {
			group.Blank = &Values{Cells: make([]uint64, len(group.Cells)), Texts: []string{""}}
		}
		l.place(g)
	}
	return l
}

// place adds the place of a group. Groups come in ascending order.
func (l *Layout) place(g int) {
	group, bit := &l.Groups[g], uint32(1)<<g
	group.widths = make([]uint8, len(group.Cells))
	p := groupPlace{widths: group.widths, track: uint16(l.smoothGroups()), cell: uint16(l.smoothCells), quick: true}
	plain, widest := group.Raw == nil, 0
	var rated []uint8
	for i, c := range group.Cells {
		p.widths[i] = uint8(c.Bits)
		if c.Rate == nil {
			p.order = append(p.order, uint8(i))
		} else {
			rated = append(rated, uint8(i))
		}
		p.quick = p.quick && c.Bits >= quickLeast && c.Bits <= quickMost && c.Rate == nil
		plain, widest = plain && c.Kind == CellBits, max(widest, c.Bits)
	}
	p.order = append(p.order, rated...)
	l.rated = l.rated || len(rated) > 0
	if plain {
		l.plain |= bit
	}
	if plain && widest <= 32 && g > 0 {
		l.short |= bit
	}
	if l.inspect(group) && g > 0 {
		l.smooth |= bit
		l.smoothCells += len(group.Cells)
		if len(group.Cells) <= lightCells {
			l.light |= bit
		}
	}
	l.places = append(l.places, p)
}

// inspect panics if the group cannot be encoded. It reports whether all cells of the group are
// smooth.
func (l *Layout) inspect(group *CellGroup) (smooth bool) {
	if group.Raw != nil && len(group.Cells) > 0 {
		panic(fmt.Sprintf("BUG: class %s: a hand-written group must not have cells", l.Name))
	}
	smooth = len(group.Cells) > 0
	for _, c := range group.Cells {
		bad := c.Kind > CellRef || c.Max < 0 || c.Kind == CellBits && (c.Bits < 1 || c.Bits > 64)
		if bad || c.Smooth && (c.Kind != CellBits || c.Bits > 32) || c.Rate != nil && !(c.Smooth && group.hasRate(c.Rate)) {
			panic(fmt.Sprintf("BUG: class %s: invalid cell of field %s", l.Name, c.Field))
		}
		smooth = smooth && c.Smooth
	}
	return smooth
}

// hasRate reports whether the group has a valid rate.
func (g *CellGroup) hasRate(r *CellRate) bool {
	if r.Cell < 0 || r.Cell >= len(g.Cells) {
		return false
	}
	c := &g.Cells[r.Cell]
	return c.Smooth && c.Rate == nil && c.Bits <= maxRate && r.Zero>>c.Bits == 0 && r.Scale>>maxRate == 0
}

// all returns the mask of all groups.
func (l *Layout) all() uint32 { return uint32(1<<len(l.Groups) - 1) }

// hideable returns the mask of the groups that can be hidden. Smooth groups cannot: a create makes
// its values a baseline for later updates.
func (l *Layout) hideable() (mask uint32) {
	for g := range l.Groups {
		if g > 0 && l.Groups[g].Raw == nil && !l.isSmooth(g) {
			mask |= 1 << g
		}
	}
	return mask
}

// cellsOf returns the number of cells of some groups.
func (l *Layout) cellsOf(groups uint32) (n int) {
	for m := groups; m != 0; m &= m - 1 {
		n += len(l.Groups[bits.TrailingZeros32(m)].Cells)
	}
	return n
}

// SmoothGroups returns the mask of the groups, except group 0, whose cells are all smooth.
func (l *Layout) SmoothGroups() uint32 { return l.smooth }

// smoothGroups returns the number of smooth groups.
func (l *Layout) smoothGroups() int { return bits.OnesCount32(l.smooth) }

// isSmooth reports whether group g can be sent relative to earlier values.
func (l *Layout) isSmooth(g int) bool { return l.smooth>>g&1 != 0 }

// ends reports whether cell i is the last one of its field.
func (g *CellGroup) ends(i int) bool {
	return i+1 == len(g.Cells) || g.Cells[i+1].Field != g.Cells[i].Field
}

// Values is the state of one group.
type Values struct {
	// Cells has one entry per cell. For a CellText it is an index into Texts. For a CellRef it is
	// an object number of Snapshots when sending, and a token when receiving.
	Cells []uint64
	Texts []string

	Raw     []byte // the bits of a hand-written group
	RawBits int    // number of bits in Raw
	RawEnds []RawEnd
}

// RawEnd is the end of a field of a hand-written group.
type RawEnd struct {
	Field string
	At    int // bits since the start of the group
}

// reset empties v and keeps its memory.
func (v *Values) reset() {
	v.Cells, v.Texts, v.Raw, v.RawEnds = v.Cells[:0], v.Texts[:0], v.Raw[:0], v.RawEnds[:0]
	v.RawBits = 0
}
