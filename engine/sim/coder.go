package sim

import (
	"math"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// IDTranslator translates object ids between this process and a peer.
type IDTranslator interface {
	ToWire(obj uint32) uint32    // 0 if the peer does not know the object
	FromWire(wire uint32) uint32 // 0 if this process has no such object
}

// Coder is a stream with a translation of object references. Without a View, references keep their
// ids.
type Coder struct {
	*bitstream.Codec
	View IDTranslator
}

// Serialize reads or writes the field of o, with object ids untranslated.
func (f *Field) Serialize(s *bitstream.Codec, o Object) { f.Code(Coder{Codec: s}, o) }

// Code reads or writes the field of o. If the field does not accept the value read, the reader
// fails with bitstream.ErrRange and the field keeps its value.
func (f *Field) Code(c Coder, o Object) {
	switch p := f.place(o).(type) {
	case *float64:
		f.number(c.Codec, p)
	case *int:
		c.Int(p, int(f.Lo), int(f.Hi))
	case *bool:
		c.Flag(p)
	case *Vec3:
		v := *p
		f.number(c.Codec, &v.X)
		f.number(c.Codec, &v.Y)
		f.number(c.Codec, &v.Z)
		if c.Reading() { // nodes of one process share the defaults that they write to a stream
			*p = v
		}
	case *Rot:
		r := *p
		f.number(c.Codec, &r.Yaw)
		f.number(c.Codec, &r.Pitch)
		f.number(c.Codec, &r.Roll)
		if c.Reading() {
			*p = r
		}
	case *string:
		c.Text(p, f.Max)
	case *ID:
		c.object(p)
	case *BlockRef:
		p.code(c.Codec)
	}
}

// number codes a number or an angle, by the field's scale.
func (f *Field) number(s *bitstream.Codec, p *float64) {
	var code uint64
	if !s.Reading() {
		code = f.scale.code(*p)
	}
	s.Bits(&code, f.scale.bits)
	if !s.Reading() || s.Err() != nil {
		return
	}
	x, ok := f.scale.value(code)
	if !ok || !f.holds(x) {
		s.Fail(bitstream.ErrRange)
		return
	}
	*p = x
}

// object codes a reference to an object.
func (c Coder) object(p *ID) {
	wire := uint64(*p)
	if c.View != nil && !c.Reading() {
		wire = uint64(c.View.ToWire(uint32(*p)))
	}
	c.Var(&wire)
	if !c.Reading() {
		return
	}
	if wire > math.MaxUint32 {
		c.Fail(bitstream.ErrRange)
		return
	}
	if c.View != nil {
		wire = uint64(c.View.FromWire(uint32(wire)))
	}
	*p = ID(wire)
}

// code codes a flag and, if the reference is not empty, the index of the block.
func (r *BlockRef) code(s *bitstream.Codec) {
	is, index := *r != 0, uint64(*r-1)
	if !s.Flag(&is) {
		*r = 0
		return
	}
	s.Bits(&index, indexBits)
	*r = BlockRef(index) + 1
}

// maxBits returns the most bits that the field can take on the wire.
func (f *Field) maxBits() int {
	numbers := 1
	switch {
	case f.Kind == KindBool:
		return 1
	case f.Kind == KindString:
		return 8*f.Max + textHeaderBits
	case f.block:
		return 1 + indexBits
	case f.Kind == KindObject:
		return 64
	case f.Kind != KindNumber:
		numbers = 3
	}
	return numbers * f.scale.bits
}

// same reports whether a and b have the same value in this field.
func (f *Field) same(a, b Object) bool {
	switch p := f.place(a).(type) {
	case *float64:
		return *p == *f.place(b).(*float64)
	case *int:
		return *p == *f.place(b).(*int)
	case *bool:
		return *p == *f.place(b).(*bool)
	case *Vec3:
		return *p == *f.place(b).(*Vec3)
	case *Rot:
		return *p == *f.place(b).(*Rot)
	case *string:
		return *p == *f.place(b).(*string)
	case *ID:
		return *p == *f.place(b).(*ID)
	case *BlockRef:
		return *p == *f.place(b).(*BlockRef)
	}
	return false
}

// copy sets the field in dst to its value in src.
func (f *Field) copy(dst, src Object) {
	switch p := f.place(dst).(type) {
	case *float64:
		*p = *f.place(src).(*float64)
	case *int:
		*p = *f.place(src).(*int)
	case *bool:
		*p = *f.place(src).(*bool)
	case *Vec3:
		*p = *f.place(src).(*Vec3)
	case *Rot:
		*p = *f.place(src).(*Rot)
	case *string:
		*p = *f.place(src).(*string)
	case *ID:
		*p = *f.place(src).(*ID)
	case *BlockRef:
		*p = *f.place(src).(*BlockRef)
	}
}
