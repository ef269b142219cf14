package sim

// The names of the parts of vectors and rotations.
var (
	vecParts = []string{"x", "y", "z"}
	rotParts = []string{"yaw", "pitch", "roll"}
)

// refBits is the width in bits of a reference to a datablock: its index plus 1, or 0 for none.
const refBits = indexBits + 1

// parts returns the number of cells of the field.
func (f *Field) parts() int {
	if f.Kind == KindVec || f.Kind == KindRot {
		return 3
	}
	return 1
}

// cells returns the cells of the field.
func (f *Field) cells() []Cell {
	switch {
	case f.Kind == KindBool:
		return []Cell{{Field: f, Bits: 1}}
	case f.Kind == KindString:
		return []Cell{{Field: f, Kind: CellText, Max: f.Max}}
	case f.block:
		return []Cell{{Field: f, Bits: refBits}}
	case f.Kind == KindObject:
		return []Cell{{Field: f, Kind: CellRef}}
	}
	names := []string{""}
	switch f.Kind {
	case KindVec:
		names = vecParts
	case KindRot:
		names = rotParts
	}
	cells := make([]Cell, len(names))
	for i, name := range names {
		cells[i] = Cell{Field: f, Part: name, Bits: f.scale.bits, Smooth: f.scale.smooth() && !f.Jumps}
	}
	return cells
}

// quantise appends the values of the field's cells to v.
func (f *Field) quantise(o Object, v *Values) {
	s := &f.scale
	switch p := f.place(o).(type) {
	case *float64:
		v.Cells = append(v.Cells, s.code(*p))
	case *int:
		v.Cells = append(v.Cells, s.whole(*p))
	case *bool:
		var bit uint64
		if *p {
			bit = 1
		}
		v.Cells = append(v.Cells, bit)
	case *Vec3:
		v.Cells = append(v.Cells, s.code(p.X), s.code(p.Y), s.code(p.Z))
	case *Rot:
		v.Cells = append(v.Cells, s.code(p.Yaw), s.code(p.Pitch), s.code(p.Roll))
	case *string:
		v.Cells = append(v.Cells, uint64(len(v.Texts)))
		v.Texts = append(v.Texts, (*p)[:min(len(*p), f.Max)])
	case *ID:
		v.Cells = append(v.Cells, uint64(idIfAlive(o, *p)))
	case *BlockRef:
		v.Cells = append(v.Cells, uint64(min(*p, MaxBlocks)))
	}
}

// restore sets the field from its cells and reports whether the field changed. The cells must be
// valid.
func (f *Field) restore(o Object, cells []uint64, texts []string) bool {
	switch p := f.place(o).(type) {
	case *float64:
		return assign(p, f.scale.at(cells[0]))
	case *int:
		return assign(p, int(f.scale.at(cells[0])))
	case *bool:
		return assign(p, cells[0] == 1)
	case *Vec3:
		return assign(p, Vec3{f.scale.at(cells[0]), f.scale.at(cells[1]), f.scale.at(cells[2])})
	case *Rot:
		return assign(p, Rot{f.scale.at(cells[0]), f.scale.at(cells[1]), f.scale.at(cells[2])})
	case *string:
		return assign(p, texts[cells[0]])
	case *ID:
		return assign(p, ID(cells[0]))
	case *BlockRef:
		return assign(p, BlockRef(cells[0]))
	}
	return false
}

// at returns the value of a valid code.
func (s *scale) at(code uint64) float64 {
	x, _ := s.value(code)
	return x
}

func assign[T comparable](p *T, v T) bool {
	changed := *p != v
	*p = v
	return changed
}
