package sim

import "slices"

// A field declared at run time has no place in a Go struct, and neither has one that only the
// server has: its value is in a separate cell, one of Identity.runtimeCells. Only the lookup of the
// value differs. All other code handles both sorts of fields alike.

// bindCell makes f the row of the cell with this index.
func (f *Field) bindCell(cell int) {
	f.fits = func(o Object) bool { return len(o.Ident().runtimeCells) > cell }
	f.place = func(o Object) any { return o.Ident().runtimeCells[cell] }
}

// cell returns a new cell with the value v, which must be valid for the field.
func (f *Field) cell(v Value) any {
	switch {
	case f.Kind == KindNumber && f.Whole:
		n := int(v.Number())
		return &n
	case f.Kind == KindNumber:
		n := v.Number()
		return &n
	case f.Kind == KindBool:
		is := v.Bool()
		return &is
	case f.Kind == KindVec:
		at := v.Vec()
		return &at
	case f.Kind == KindRot:
		turn := v.Rot()
		return &turn
	case f.Kind == KindString:
		text := v.Text()
		return &text
	case f.block:
		return new(BlockRef)
	}
	return new(ID)
}

// zeroDefault returns the usual default of the field's kind: false, "", no object, or the number of
// its range nearest to 0.
func (f *Field) zeroDefault() Value {
	near := min(max(0, f.Lo), f.Hi)
	switch f.Kind {
	case KindNumber:
		return Number(near)
	case KindBool:
		return Bool(false)
	case KindVec:
		return Vec(Vec3{near, near, near})
	case KindRot:
		return Rotation(Rot{})
	case KindString:
		return String("")
	}
	return Nil()
}

// setConstructor makes c create objects of the Go class that it inherits from, with a cell for each
// declared field. The number of classes in between does not affect the size of an object.
func (c *Class) setConstructor(defaults []Value) {
	base := c.parent
	if base.spec != nil {
		base = base.base
	}
	rows := slices.Clone(c.parent.fields[len(base.fields):])
	values := make([]Value, 0, len(rows)+len(defaults))
	for _, f := range rows {
		values = append(values, c.parent.Default(f))
	}
	for k := range c.Fields {
		rows, values = append(rows, &c.Fields[k]), append(values, defaults[k])
	}
	c.base = base
	c.cells = func() []any {
		cells := make([]any, len(rows))
		for k, f := range rows {
			cells[k] = f.cell(values[k])
		}
		return cells
	}
	c.New = func() Object {
		o := base.New()
		if i := o.Ident(); i.runtimeCells == nil {
			i.runtimeCells = c.cells()
		} else { // those of a class that a server describes
			i.runtimeCells = append(i.runtimeCells, c.cells()...)
		}
		return o
	}
}
