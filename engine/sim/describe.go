package sim

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// A class declared at run time, on the wire:
//
//	class 10 │ name text │ parent's class 10 │ fields 7, each:
//	  name text │ joins 1: it is in the group of the one before │ kind 3
//	  number: whole 1 │ lo 64 │ hi 64 │ if not whole: precision
//	  vec:    lo 64 │ hi 64 │ precision
//	  rot:    width 6
//	  string: bytes at most 11
//	  object: class text; it has no default
//	  other default 1 ─ 1: the default, as the field travels
//	precision: width 6, 0 is exact │ if exact: steps 1 ─ 1: step 64
//
// The group numbers continue those of the parent.

const (
	countBits = 7  // of the number of fields
	widthBits = 6  // of the width of a number
	maxBits   = 11 // of the length of a text
	kindBits  = 3
)

// The errors of an invalid description, besides those of bitstream and of a declaration.
var (
	errClassOrder  = errors.New("sim: a class with a wrong id")
	errClassParent = errors.New("sim: a class with an unknown parent")
	errClassGroups = errors.New("sim: a class with too many groups")
)

// PackClass writes the description of a declared class.
func (cs *Classes) PackClass(w *bitstream.Writer, c *Class) {
	id, parent, n := uint64(c.wire), uint64(cs.WireID(c.parent)), uint64(len(c.Fields))
	name := c.Name
	describeClass(&w.Codec, &id, &parent, &n, &name)
	for i := range c.Fields {
		f := c.Fields[i]
		joins := i > 0 && f.Group == c.Fields[i-1].Group
		f.describeRow(&w.Codec, &joins)
		if f.Kind == KindObject {
			continue
		}
		if w.WriteFlag(f.Get(c.model) != f.zeroDefault()) {
			f.Serialize(&w.Codec, c.model)
		}
	}
}

// UnpackClass reads the description of a class from a peer and declares it. The id must be the next
// one; otherwise the peer has skipped a class. All classes that the description names must exist
// here. A class with this name that the peer described before is retired. Its objects keep the
// retired class until the peer deletes them. An error changes nothing.
func (cs *Classes) UnpackClass(r *bitstream.Reader) (*Class, error) {
	var id, parent, n uint64
	d := classDeclaration{spec: &ClassSpec{Source: "the server"}}
	describeClass(&r.Codec, &id, &parent, &n, &d.spec.Name)
	if n > MaxFields {
		r.Fail(bitstream.ErrRange)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	d.parent = cs.ByWire(int(parent))
	switch old := cs.Lookup(d.spec.Name); {
	case id != uint64(len(cs.wire)):
		return nil, errClassOrder
	case d.parent == nil:
		return nil, errClassParent
	case old != nil && !old.remote && !cs.foreign.yields(old):
		return nil, clash(old, d.spec)
	}
	d.spec.Parent = d.parent.Name
	if err := cs.declarable(&d); err != nil {
		return nil, fmt.Errorf("class %s: %w", String(d.spec.Name).Literal(), err)
	}
	if err := d.unpack(cs, r, int(n)); err != nil {
		return nil, err
	}
	c, err := cs.declare(&d)
	if err == nil {
		c.remote = true
	}
	return c, err
}

// describeClass codes everything before the fields, in both directions.
func describeClass(s *bitstream.Codec, id, parent, n *uint64, name *string) {
	s.Bits(id, classBits)
	s.Text(name, MaxName)
	s.Bits(parent, classBits)
	s.Bits(n, countBits)
}

// unpack reads n rows.
func (d *classDeclaration) unpack(cs *Classes, r *bitstream.Reader, n int) error {
	group := d.parent.Groups() - 1
	for i := range n {
		var f Field
		var joins bool
		f.describeRow(&r.Codec, &joins)
		if r.Err() != nil {
			return r.Err()
		}
		if i == 0 || !joins {
			group++
		}
		if group > MaxGroups {
			return errClassGroups
		}
		spec := f.spec(group)
		row := spec.row(uint8(group))
		if err := d.validate(cs, &row); err != nil {
			return fmt.Errorf("class %s: %w", String(d.spec.Name).Literal(), err)
		}
		spec.Default = row.zeroDefault()
		if row.Kind != KindObject && r.ReadFlag() {
			spec.Default = row.unpackDefault(r)
		}
		if r.Err() != nil {
			return r.Err()
		}
		if err := d.add(cs, row, spec.Default); err != nil {
			return err
		}
		d.spec.Fields = append(d.spec.Fields, spec)
	}
	return nil
}

// unpackDefault reads a default into a temporary cell.
func (f *Field) unpackDefault(r *bitstream.Reader) Value {
	draft := new(NetObject)
	draft.runtimeCells = []any{f.cell(f.zeroDefault())}
	row := *f
	row.bindCell(0)
	row.Serialize(&r.Codec, draft)
	return row.Get(draft)
}

// spec describes the field as a FieldSpec.
func (f *Field) spec(group int) FieldSpec {
	return FieldSpec{
		Name: f.Name, Group: fmt.Sprint(group), Kind: f.Kind, Lo: f.Lo, Hi: f.Hi, Whole: f.Whole,
		Bits: f.Bits, Step: f.Step, Max: f.Max, Class: f.Class,
	}
}

// describeRow codes a field without its default, in both directions.
func (f *Field) describeRow(s *bitstream.Codec, joins *bool) {
	s.Text(&f.Name, MaxName)
	s.Flag(joins)
	f.describeKind(s)
	switch f.Kind {
	case KindString:
		describeInt(s, &f.Max, maxBits)
	case KindObject:
		s.Text(&f.Class, MaxName)
	default:
		f.describeNumbers(s)
	}
}

func (f *Field) describeKind(s *bitstream.Codec) {
	kind := uint64(f.Kind)
	s.Bits(&kind, kindBits)
	f.Kind = ValueKind(kind)
}

// describeNumbers codes the range and the precision of numbers, vectors and rotations.
func (f *Field) describeNumbers(s *bitstream.Codec) {
	switch f.Kind {
	case KindNumber:
		s.Flag(&f.Whole)
		s.Float64(&f.Lo)
		s.Float64(&f.Hi)
		if !f.Whole {
			f.describePrecision(s)
		}
	case KindVec:
		s.Float64(&f.Lo)
		s.Float64(&f.Hi)
		f.describePrecision(s)
	case KindRot:
		describeInt(s, &f.Bits, widthBits)
	}
}

func (f *Field) describePrecision(s *bitstream.Codec) {
	describeInt(s, &f.Bits, widthBits)
	steps := f.Step != 0
	if f.Bits == 0 && s.Flag(&steps) {
		s.Float64(&f.Step)
	}
}

func describeInt(s *bitstream.Codec, v *int, n int) {
	x := uint64(*v)
	s.Bits(&x, n)
	*v = int(x)
}
