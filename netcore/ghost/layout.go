package ghost

import (
	"fmt"
	"math/bits"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
)

// The bounds of what can be a ghost (PROTOCOL.md, Ghosts).
const (
	maxGroups   = 32 // groups of a class
	classBits   = 10 // of a class's number on the wire
	idCount     = 1 << netcore.GhostBits
	rawMask     = 4  // groups that can be updated, up to which a mask is written as it is
	relativeAge = 60 // ticks: a value older than this predicts nothing
)

// CellKind is how a cell travels.
type CellKind uint8

const (
	CellBits CellKind = iota // an unsigned integer of a fixed width
	CellText                 // a text
	CellRef                  // another ghost, or none
)

// Cell is one value of a group, as small as it goes over the wire.
type Cell struct {
	Field  string   // whose value, or a part of whose value, it is; for messages
	Kind   CellKind // how it travels
	Bits   int      // of CellBits, 1..64
	Smooth bool     // its values over time lie near a line; needs Bits <= 32. Arithmetic is mod 2^Bits, so angles wrap
	Max    int      // bytes of a CellText
}

// Group is the part of an object's state that changes, and is sent, as one.
// Group 0 is constant: it travels when a ghost is created, and never again.
type Group struct {
	Cells  []Cell
	Weight uint8 // how urgent it is when it has changed, 1..255; 0 means 255

	// Raw is nil for cells. Of a hand-written group it reads past one such
	// group, or into something of its own, and calls end after each field.
	Raw func(s *bitstream.Stream, end func(field string))

	widths []uint8 // bits of the cells, side by side
	plain  bool    // all cells are CellBits, and there are some
}

// Layout is what both ends must agree on about a class of objects that can be
// ghosts. It does not change.
type Layout struct {
	ID     uint16  // the class's number on the wire, below 1024
	Name   string  // for messages
	Groups []Group // 1..32

	smooth uint32          // the groups that can be relative: all cells smooth, and not group 0
	track  [maxGroups]int8 // of a smooth group: its place among them
}

// NewLayout returns the layout of a class. It keeps the groups' cells. A layout
// that nothing could be written with is a bug of the caller's, and panics.
func NewLayout(id uint16, name string, groups []Group) *Layout {
	l := &Layout{ID: id, Name: name, Groups: append([]Group(nil), groups...)}
	if len(groups) == 0 || len(groups) > maxGroups || id>>classBits != 0 {
		panic(fmt.Sprintf("BUG: class %s has number %d and %d groups", name, id, len(groups)))
	}
	smooth := int8(0)
	for g := range l.Groups {
		group := &l.Groups[g]
		if group.Weight == 0 {
			group.Weight = 255
		}
		group.widths, group.plain = make([]uint8, len(group.Cells)), len(group.Cells) > 0
		for i, c := range group.Cells {
			group.widths[i] = uint8(c.Bits)
			group.plain = group.plain && c.Kind == CellBits
		}
		if l.inspect(group) && g > 0 {
			l.smooth |= 1 << g
			l.track[g] = smooth
			smooth++
		}
	}
	return l
}

// inspect panics if the group cannot be written, and reports whether it can be
// relative.
func (l *Layout) inspect(group *Group) (smooth bool) {
	if group.Raw != nil && len(group.Cells) > 0 {
		panic(fmt.Sprintf("BUG: class %s has a group that is hand-written and has cells", l.Name))
	}
	smooth = len(group.Cells) > 0
	for _, c := range group.Cells {
		bad := c.Kind > CellRef || c.Max < 0 || c.Kind == CellBits && (c.Bits < 1 || c.Bits > 64)
		if bad || c.Smooth && (c.Kind != CellBits || c.Bits > 32) {
			panic(fmt.Sprintf("BUG: class %s has a bad cell of field %s", l.Name, c.Field))
		}
		smooth = smooth && c.Smooth
	}
	return smooth
}

// all is the mask of all groups.
func (l *Layout) all() uint32 { return uint32(1<<len(l.Groups) - 1) }

// smoothGroups is how many groups are smooth.
func (l *Layout) smoothGroups() int { return bits.OnesCount32(l.smooth) }

// isSmooth reports whether group g can be relative to earlier values.
func (l *Layout) isSmooth(g int) bool { return l.smooth>>g&1 != 0 }

// ends reports whether a field ends with cell i of the group.
func (g *Group) ends(i int) bool {
	return i+1 == len(g.Cells) || g.Cells[i+1].Field != g.Cells[i].Field
}

// Values is the state of one group.
type Values struct {
	Cells []uint64 // per cell; CellText: index into Texts; CellRef: an object's number in Images (sending), a token (receiving)
	Texts []string

	Raw     []byte // of a hand-written group, its bits,
	RawBits int    // how many,
	RawEnds []RawEnd
}

// RawEnd is where a field of a hand-written group ends.
type RawEnd struct {
	Field string
	At    int // bits since the group began
}

// reset empties v and keeps its memory.
func (v *Values) reset() {
	v.Cells, v.Texts, v.Raw, v.RawEnds = v.Cells[:0], v.Texts[:0], v.Raw[:0], v.RawEnds[:0]
	v.RawBits = 0
}
