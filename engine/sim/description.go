package sim

import (
	"errors"

	"github.com/torc-engine/torc/netcore/bitstream"
)

// A datablock on the wire, as difference from a base:
//
//	class 10 │ index 14 │ key var │ based 1 ─┬─ 1: base's index 14, base's key relative to key, var
//	                                         └─ 0: the base is the defaults of the class
//	name text │ inherits 1 ─┬─ 1: parent is the base 1 │ else its name, text
//	per field, inherited first: same as the base 1 │ else the value
//
// The receiver must have the base in the version that the sender compared with. The base's key
// identifies this version.

// textHeaderBits is the most bits that a text takes besides its bytes. blockHeaderBits is the most
// bits that a block takes besides its fields; it includes their flags.
const (
	textHeaderBits  = 64
	blockHeaderBits = classBits + 2*indexBits + 3*80 + 2*(8*MaxName+textHeaderBits) + MaxFields
)

// The errors of an invalid description, besides those of bitstream.
var (
	errBlockClass = errors.New("sim: a datablock of an unknown class")
	errBlockName  = errors.New("sim: a datablock without a name")
	errBlockKey   = errors.New("sim: a datablock with a key above the maximum")
	errBlockBase  = errors.New("sim: a datablock with an unknown base")
)

// maxKey is the highest valid key. It is more than any number of changes and leaves room above it.
const maxKey = 1 << 48

// blockDelta is a block while it is written or read.
type blockDelta struct {
	block Datablock
	base  Object // nil: the defaults
	class uint64
	index uint64
	key   uint64
}

// Pack writes the block o as difference from base, or from the defaults of its class if base is nil
// or of an unsuitable class. The reader must have base with its current key. Without a base, every
// block fits into MaxBlockSize.
func (b *Blocks) Pack(w *bitstream.Writer, o, base Object) {
	d := blockDelta{block: o.(Datablock)}
	c := o.Ident().class
	d.class, d.index, d.key = uint64(b.world.classes.WireID(c)), uint64(d.block.Data().index), d.block.Data().key
	if base != nil && base != o && c.IsA(base.Ident().class) {
		d.base = base
	}
	b.describe(&w.Codec, &d)
}

// Unpack reads a block and puts it into the table, in place of the block at its index. An error
// changes nothing.
func (b *Blocks) Unpack(r *bitstream.Reader) (Object, error) {
	var d blockDelta
	b.describe(&r.Codec, &d)
	if err := r.Err(); err != nil {
		return nil, err
	}
	draft := d.block
	o, err := b.Put(int(d.index), draft.Ident().class, draft.Ident().name)
	if err != nil {
		return nil, err
	}
	b.replace(o, draft)
	b.setKey(o.(Datablock), d.key)
	b.spare = draft
	return o, nil
}

// describe codes a block in both directions. A reader makes the block.
func (b *Blocks) describe(s *bitstream.Codec, d *blockDelta) {
	s.Bits(&d.class, classBits)
	s.Bits(&d.index, indexBits)
	if s.Var(&d.key); d.key > maxKey {
		s.Fail(errBlockKey)
	}
	b.describeBase(s, d)
	if s.Reading() && !b.begin(s, d) {
		return
	}
	i := d.block.Ident()
	if s.Text(&i.name, MaxName); i.name == "" {
		s.Fail(errBlockName)
	}
	d.describeParent(s)
	base, shared := i.class.model, len(i.class.fields)
	if d.base != nil {
		base, shared = d.base, len(d.base.Ident().class.fields)
	}
	for n, f := range i.class.fields {
		same := n < shared && f.same(d.block, base)
		if n >= shared || !s.Flag(&same) {
			f.Serialize(s, d.block)
		} else if s.Reading() {
			f.copy(d.block, base)
		}
	}
}

// describeBase codes the index and the key of the base.
func (b *Blocks) describeBase(s *bitstream.Codec, d *blockDelta) {
	based := d.base != nil
	if !s.Flag(&based) {
		return
	}
	var index, away uint64
	if !s.Reading() {
		base := d.base.(Datablock).Data()
		index, away = uint64(base.index), zigzag(base.key-d.key)
	}
	s.Bits(&index, indexBits)
	s.Var(&away)
	if !s.Reading() {
		return
	}
	d.base = b.ByIndex(int(index))
	if base, ok := d.base.(Datablock); !ok || base.Data().key != d.key+unzigzag(away) {
		s.Fail(errBlockBase)
	}
}

// begin makes the block that a reader fills in.
func (b *Blocks) begin(s *bitstream.Codec, d *blockDelta) bool {
	c := b.world.classes.ByWire(int(d.class))
	if c == nil || c.Kind != BlockClass || c.Abstract {
		s.Fail(errBlockClass)
	} else if d.base != nil && !c.IsA(d.base.Ident().class) {
		s.Fail(errBlockBase)
	}
	if s.Err() != nil {
		return false
	}
	if d.block = b.spare; d.block == nil || d.block.Ident().class != c {
		d.block = b.draft(c, "")
		return true
	}
	b.spare = nil
	d.block.Ident().name, d.block.Data().parent = "", ""
	return true
}

// describeParent codes the name of the block that this one inherits from.
func (d *blockDelta) describeParent(s *bitstream.Codec) {
	data := d.block.Data()
	inherits := data.parent != ""
	if !s.Flag(&inherits) {
		return
	}
	isBase := d.base != nil && data.parent == d.base.Ident().name
	if !s.Flag(&isBase) {
		s.Text(&data.parent, MaxName)
	} else if s.Reading() {
		if d.base == nil {
			s.Fail(errBlockBase)
			return
		}
		data.parent = d.base.Ident().name
	}
}

// zigzag maps small differences of either sign to small numbers.
func zigzag(d uint64) uint64   { return d<<1 ^ uint64(int64(d)>>63) }
func unzigzag(z uint64) uint64 { return z>>1 ^ -(z & 1) }
